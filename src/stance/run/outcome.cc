#include "stance/run/outcome.h"

namespace stance::run {

Outcome make_outcome(const Simulation& simulation, double began) {
  const sim::Monitor& monitor = simulation.monitor();
  return {monitor.summary(), monitor.events(), monitor.events_left_out(), simulation.time() - began,
          judge(simulation)};
}

}  // namespace stance::run
