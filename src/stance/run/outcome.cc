#include "stance/run/outcome.h"

namespace stance::run {

Outcome make_outcome(const Simulation& simulation) {
  const sim::Monitor& monitor = simulation.monitor();
  return {summarize(simulation), monitor.events(), monitor.events_left_out(),
          simulation.time() - simulation.began(), judge(simulation)};
}

}  // namespace stance::run
