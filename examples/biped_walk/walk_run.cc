#include "walk_run.h"

#include <algorithm>
#include <cmath>

#include "stance/contact/law.h"
#include "stance/io/scene.h"
#include "stance/run/simulation.h"
#include "stance/sim/vertex_forces.h"

using namespace stance;
using control::Foot;

namespace {

constexpr double kMargin = 0.02;  // s, at both ends of a stance, where a foot bears next to nothing

// A swing is a step when all corners of the foot were at least 5 mm high at once, on the way to
// where it is pressed again.
struct StepCounter {
  bool is_high = false;
  int steps = 0;

  void watch(double lowest, double force) {
    if (lowest > 5e-3) is_high = true;
    if (is_high && force > 100.0) is_high = false, ++steps;
  }
};

}  // namespace

WalkRun run_walk(const std::string& file, contact::ContactLaw law, const std::string& wanted) {
  scene::Settings settings;
  settings.file = file;
  settings.law = contact_law_name(law);
  settings.set = {{"wanted", wanted}};
  run::Simulation simulation(io::load_scene(settings));
  const sim::World& world = simulation.part().scene.world;
  const double h = simulation.spec().step, duration = simulation.spec().duration;
  const control::WalkPlan plan({});

  std::vector<std::string> names;
  for (int k = 1; k <= 8; ++k) names.push_back("biped/v" + std::to_string(k));
  sim::VertexForces vertices(world, names);
  sim::FalseImpacts alone(8), flat(8), all(8), feet(2);
  StepCounter counters[2];

  WalkRun run;
  run.weight = -world.gravity[2] * world.model.total_mass();
  for (long n = std::lround(duration / h); n > 0; --n) {
    const double time = simulation.time();
    simulation.advance();
    vertices.update(world, simulation.view().scratch, h);
    run.time.push_back(time - plan.swings().front().from);
    for (int foot = 0; foot < 2; ++foot) {
      const Foot own = foot == 0 ? Foot::kRight : Foot::kLeft;
      const Foot other = foot == 0 ? Foot::kLeft : Foot::kRight;
      // a step counts when it lies within the phase as a whole
      const bool is_flat = plan.is_flat(own, time) && plan.is_flat(own, time + h);
      const bool is_alone = is_flat && !plan.is_flat(other, time) && !plan.is_flat(other, time + h);
      double lowest = 1.0, sum = 0.0;
      for (int k = 4 * foot; k < 4 * foot + 4; ++k) {
        const double height = vertices.height(k), force = vertices.force(k);
        run.height.push_back(height), run.force.push_back(force);
        run.highest = std::max(run.highest, height);
        run.mean_force += force * h / duration;
        lowest = std::min(lowest, height), sum += force;
        alone.watch(k, is_alone, force);
        flat.watch(k, plan.is_flat(own, time, kMargin), force);
        all.watch(k, is_flat, force);
        if (is_alone) run.low = std::min(run.low, height), run.high = std::max(run.high, height);
      }
      feet.watch(foot, plan.is_flat(own, time, kMargin), sum);
      counters[foot].watch(lowest, sum);
    }
  }
  run.false_impacts = alone.count();
  run.false_impacts_flat = flat.count();
  run.false_impacts_all = all.count();
  run.foot_breaks = feet.count();
  run.steps = counters[0].steps + counters[1].steps;
  const sim::RunSummary& summary = simulation.monitor().summary();
  run.slip = summary.most_slip;
  run.fell = summary.has_fallen;
  run.worst_penetration = summary.worst_penetration;
  run.unconverged = summary.unconverged;
  return run;
}
