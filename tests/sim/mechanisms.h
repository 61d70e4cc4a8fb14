#pragma once

// Small mechanisms for tests of what drives and measures them.

#include "stance/model/builder.h"
#include "stance/sim/module.h"
#include "stance/sim/scene_builder.h"
#include "stance/sim/step.h"

namespace stance::test {

struct ArmOptions {
  double rotor = 0.0, dry = 0.0, viscous = 0.0;
  double gravity = 9.81;
};

// A rod of 1 m and 1 kg on a hinge about y at the world's origin; at zero it points along x, and
// turns downwards.
inline sim::Scene make_arm(const ArmOptions& options) {
  sim::SceneBuilder builder("arm");
  builder.set_gravity({0.0, 0.0, -options.gravity});
  sim::RobotSpec robot;
  robot.parts.add_link({.name = "arm",
                        .mass = 1.0,
                        .com = {0.5, 0.0, 0.0},
                        .inertia = Eigen::Vector3d(1e-9, 1.0 / 12.0, 1.0 / 12.0).asDiagonal()});
  model::JointSpec hinge;
  hinge.name = "hinge", hinge.type = model::JointType::kRevolute, hinge.child = "arm";
  hinge.axis = Eigen::Vector3d::UnitY();
  hinge.rotor_inertia = options.rotor, hinge.friction = options.dry;
  hinge.damping = options.viscous;
  robot.parts.add_joint(hinge);
  builder.add_robot(robot);
  return builder.build();
}

// `count` rods of 0.2 m on hinges about y and x in turn, hanging over a floor that the last ones
// touch when they swing.
inline sim::Scene make_drive_chain(int count) {
  sim::SceneBuilder builder("chain");
  builder.add_fixed(collision::make_plane(), {.p = {0.0, 0.0, -0.2 * count + 0.15}}, 0, "floor");
  sim::RobotSpec robot;
  for (int k = 0; k < count; ++k) {
    const std::string name = "rod" + std::to_string(k);
    robot.parts.add_link({.name = name,
                          .mass = 0.2,
                          .com = {0.0, 0.0, -0.1},
                          .inertia = Eigen::Vector3d(7e-4, 7e-4, 1e-5).asDiagonal()});
    model::JointSpec hinge;
    hinge.name = "hinge" + std::to_string(k), hinge.type = model::JointType::kRevolute;
    hinge.child = name, hinge.rotor_inertia = 1e-3;
    hinge.axis = k % 2 == 0 ? Eigen::Vector3d::UnitY() : Eigen::Vector3d::UnitX();
    if (k > 0) {
      hinge.parent = "rod" + std::to_string(k - 1);
      hinge.p_PJ = Eigen::Vector3d(0.0, 0.0, -0.2);
    }
    robot.parts.add_joint(hinge);
    robot.start.emplace_back(hinge.name, 0.2);
    robot.shapes.push_back({name, collision::make_sphere(0.03), {.p = {0.0, 0.0, -0.2}}});
  }
  builder.add_robot(robot);
  return builder.build();
}

// A scene with a drive that tests may change between steps.
struct Runner {
  explicit Runner(sim::Scene made)
      : scene(std::move(made)), state(scene.start), scratch(scene.world), drive(scene.world) {}

  sim::StepReport step(double h) {
    const double* q = state.q.data();
    q_before.assign(q, q + state.q.size());
    input = drive.input();
    return report = sim::step(scene.world, input, h, state, scratch);
  }
  // Of a joint's coordinate before the last step.
  double scratch_q(int k) const {
    return q_before[scene.world.model.q_start[scene.world.model.dof_body[k]]];
  }

  sim::Scene scene;
  sim::State state;
  sim::Scratch scratch;
  sim::Drive drive;
  sim::Input input;
  sim::StepReport report;
  std::vector<double> q_before;
};

}  // namespace stance::test
