#pragma once

// Runs a scene and keeps what tests ask for.

#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "stance/sim/scene_builder.h"
#include "stance/sim/step.h"

namespace stance::test {

using collision::make_box;
using collision::make_cylinder;
using collision::make_plane;
using collision::make_sphere;
using kernel::Vec3d;
using sim::make_rotation;
using sim::SceneBuilder;

class Simulation {
 public:
  explicit Simulation(sim::Scene scene)
      : world(std::move(scene.world)), state(std::move(scene.start)), scratch(world) {}

  // Steps until `seconds` more have passed; every step must be taken, and those that did not reach
  // their tolerance are counted.
  void run(double seconds, double h, const std::function<void()>& watch = {}) {
    for (int k = static_cast<int>(std::lround(seconds / h)); k > 0; --k) {
      report = sim::step(world, {}, h, state, scratch);
      ASSERT_EQ(report.status & ~sim::kNotConverged, 0u) << "at " << state.time << " s";
      unconverged += (report.status & sim::kNotConverged) != 0;
      deepest = std::max(deepest, report.contact.penetration);
      most_work = std::max(most_work, report.contact.work);
      if (watch) watch();
    }
  }

  // Of the k-th body added: position, velocity of its centre, spin, in world axes.
  Vec3d position(int k = 0) const { return three(state.q.data() + world.model.q_start[k + 1] + 4); }
  Vec3d velocity(int k = 0) const { return three(state.v.data() + world.model.v_start[k + 1] + 3); }
  Vec3d spin(int k = 0) const { return three(state.v.data() + world.model.v_start[k + 1]); }

  double fastest() const {
    double worst = 0.0;
    for (const double v : state.v) worst = std::max(worst, std::abs(v));
    return worst;
  }

  sim::World world;
  sim::State state;
  sim::Scratch scratch;
  sim::StepReport report;
  int unconverged = 0;      // steps
  double deepest = 0.0;     // m, of all steps
  double most_work = -1e9;  // J, of contact impulses in one step

 private:
  static Vec3d three(const double* x) { return {x[0], x[1], x[2]}; }
};

}  // namespace stance::test
