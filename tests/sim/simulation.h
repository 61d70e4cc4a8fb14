#pragma once

// Runs a scene and keeps what tests ask for.

#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "stance/dynamics/centroidal.h"
#include "stance/sim/sample_scenes.h"
#include "stance/sim/scene_builder.h"
#include "stance/sim/step.h"

#include "support/slow.h"

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
  explicit Simulation(sim::Sample sample)
      : world(std::move(sample.scene.world)),
        state(std::move(sample.scene.start)),
        bodies(std::move(sample.scene.bodies)),
        scratch(world),
        tau(std::move(sample.tau)),
        stiffness(std::move(sample.stiffness)) {}
  explicit Simulation(sim::Scene scene) : Simulation(sim::Sample{std::move(scene), {}, {}}) {}

  // Steps until `seconds` more have passed; every step must be taken, and those that did not reach
  // their tolerance are counted.
  void run(double seconds, double h, const std::function<void()>& watch = {}) {
    for (int k = static_cast<int>(std::lround(seconds / h)); k > 0; --k) {
      report = sim::step(world, {tau, stiffness, {}, {}}, h, state, scratch);
      ASSERT_EQ(report.status & ~sim::kUnsolved, 0u) << "at " << state.time << " s";
      unconverged += (report.status & sim::kUnsolved) != 0;
      deepest = std::max(deepest, report.contact.penetration);
      most_work = std::max(most_work, report.contact.work);
      if (watch) watch();
    }
  }

  // Of the k-th body added: position, velocity of its centre, spin, in world axes.
  Vec3d position(int k = 0) const {
    return three(state.q.data() + world.model.q_start[bodies[k]] + 4);
  }
  Vec3d velocity(int k = 0) const {
    return three(state.v.data() + world.model.v_start[bodies[k]] + 3);
  }
  Vec3d spin(int k = 0) const { return three(state.v.data() + world.model.v_start[bodies[k]]); }

  double fastest() const {
    double worst = 0.0;
    for (const double v : state.v) worst = std::max(worst, std::abs(v));
    return worst;
  }

  sim::World world;
  sim::State state;
  std::vector<model::BodyIndex> bodies;
  sim::Scratch scratch;
  std::vector<double> tau, stiffness;  // on the joints, all the time
  sim::StepReport report;
  int unconverged = 0;      // steps
  double deepest = 0.0;     // m, of all steps
  double most_work = -1e9;  // J, of contact impulses in one step

 private:
  static Vec3d three(const double* x) { return {x[0], x[1], x[2]}; }
};

// The exponent p of errors ~ h^p, from the first and the last of errors whose steps fall by
// `ratio`.
inline double calc_order(const std::vector<double>& errors, double ratio) {
  const double steps = static_cast<double>(errors.size() - 1);
  return std::log(errors.front() / errors.back()) / (steps * std::log(ratio));
}

// Energy of a state, J.
inline double calc_energy(const Simulation& s) {
  const model::Model& model = s.world.model;
  dynamics::Bodies bodies(model);
  bodies.update(model, s.state.q, s.state.v);
  return calc_kinetic_energy(model, bodies.inertias(), bodies.vel(),
                             std::span<const double>(s.state.v)) +
         calc_potential_energy(model, s.world.gravity, bodies.kin(), bodies.inertias());
}

}  // namespace stance::test
