#pragma once

// Ball and brick of paper R, for the penalty laws.

#include "sim/simulation.h"

namespace stance::test {

using contact::ContactLaw;
using contact::ContactOptions;
using sim::Scene;

constexpr double kG = 9.81;
constexpr double kDegree = 3.14159265358979323846 / 180.0;
constexpr double kRadius = 0.1;                   // of the ball, m
constexpr double kBrickX = 0.1, kBrickZ = 0.025;  // half sizes of the brick, m

inline ContactOptions make_fbl(double kp, double kv, double wanted = 0.0) {
  ContactOptions options;
  options.law = ContactLaw::kPenaltyFbl;
  options.penalty.kp = kp, options.penalty.kv = kv, options.penalty.wanted_penetration = wanted;
  return options;
}

inline ContactOptions make_classical(ContactLaw law, double stiffness, double damping) {
  ContactOptions options;
  options.law = law;
  options.penalty.stiffness = stiffness, options.penalty.damping = damping;
  return options;
}

// A ball this high above the floor, moving up with this velocity.
inline Scene make_ball(const ContactOptions& options, double gap, double velocity,
                       double mass = 1.0) {
  SceneBuilder builder("ball");
  builder.contact() = options;
  builder.add_fixed(make_plane(), {});
  SceneBuilder::Body ball;
  ball.shape = make_sphere(kRadius);
  ball.mass = mass;
  ball.pose.p = {0.0, 0.0, kRadius + gap};
  ball.velocity = {0.0, 0.0, velocity};
  builder.add_body(ball);
  return builder.build();
}

// A brick on four corners, sunk in by `depth`, on a ramp whose downhill is +x, moving downhill.
inline Scene make_brick(const ContactOptions& options, double angle, double mu, double velocity,
                        double depth = 0.0, double mass = 1.0) {
  SceneBuilder builder("brick");
  builder.contact() = options;
  builder.set_material(0, {mu});
  const kernel::Mat3d R = make_rotation({0, 1, 0}, angle);
  builder.add_fixed(make_plane(), {R, {}});
  SceneBuilder::Body brick;
  brick.shape = make_box({kBrickX, 0.05, kBrickZ});
  brick.mass = mass;
  brick.pose = {R, R * Vec3d(0, 0, kBrickZ - depth)};
  brick.velocity = R * Vec3d(velocity, 0.0, 0.0);
  builder.add_body(brick);
  return builder.build();
}

// The brick of the paper's equations: it moves along and off the ramp and cannot turn, and touches
// it with a ball at its bottom. Coordinates: q[0] along, q[1] off the ramp.
inline Scene make_sled(const ContactOptions& options, double angle, double mu, double velocity,
                       double depth = 0.0, double mass = 1.0, double joint_friction = 0.0,
                       double upper = model::kInfinity) {
  const kernel::Mat3d R = make_rotation({0, 1, 0}, angle);
  model::ModelBuilder builder("sled");
  builder.add_link({.name = "carriage"});
  builder.add_link(
      {.name = "brick", .mass = mass, .inertia = 0.01 * mass * Eigen::Matrix3d::Identity()});
  builder.add_joint({.name = "along",
                     .type = model::JointType::kPrismatic,
                     .parent = "",
                     .child = "carriage",
                     .R_PJ = R.eigen(),
                     .upper = upper,
                     .friction = joint_friction});
  builder.add_joint({.name = "off",
                     .type = model::JointType::kPrismatic,
                     .parent = "carriage",
                     .child = "brick",
                     .axis = Eigen::Vector3d::UnitZ()});
  collision::CollisionBuilder shapes;
  collision::Geometry ramp, foot;
  ramp.shape = make_plane(), ramp.R_BG = R, ramp.name = "ramp";
  foot.shape = make_sphere(kRadius), foot.body = 2, foot.name = "foot";
  shapes.add(ramp), shapes.add(foot);
  sim::World world{builder.build(), shapes.build(), {{mu}}, options};
  sim::State start(world);
  start.q = {0.0, kRadius - depth};
  start.v = {velocity, 0.0};
  return {std::move(world), std::move(start), {}};
}

}  // namespace stance::test
