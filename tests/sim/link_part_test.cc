// Force-torque sensors in fixed joints, whose links were merged into one body.

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "stance/sim/sensor_kinds.h"

#include "mechanisms.h"

namespace stance::sim {
namespace {

using test::Runner;

model::JointSpec make_joint(const std::string& name, model::JointType type,
                            const std::string& parent, const std::string& child,
                            const Eigen::Vector3d& at) {
  model::JointSpec joint;
  joint.name = name, joint.type = type, joint.parent = parent, joint.child = child;
  joint.axis = Eigen::Vector3d::UnitY(), joint.p_PJ = at;
  return joint;
}

Eigen::Matrix3d make_moments(double xx, double yy, double zz) {
  return Eigen::Vector3d(xx, yy, zz).asDiagonal();
}

// On a hinge about y: a stub without mass, on it (fixed, `mount`) an arm of 1 kg and 1 m along x,
// on it (fixed and turned, `wrist`) a hand of 0.5 kg, on that (a hinge) a finger of 0.1 kg.
RobotSpec make_limb(double stub_mass) {
  using model::JointType;
  RobotSpec robot;
  robot.parts.add_link({.name = "stub",
                        .mass = stub_mass,
                        .com = {0.1, 0.0, 0.2},
                        .inertia = stub_mass * make_moments(0.02, 0.03, 0.04)});
  robot.parts.add_link({.name = "arm",
                        .mass = 1.0,
                        .com = {0.5, 0.1, 0.0},
                        .inertia = make_moments(1e-3, 0.08, 0.08)});
  robot.parts.add_link({.name = "hand",
                        .mass = 0.5,
                        .com = {0.0, 0.05, 0.02},
                        .inertia = make_moments(2e-3, 1e-3, 2e-3)});
  robot.parts.add_link({.name = "finger",
                        .mass = 0.1,
                        .com = {0.05, 0.0, 0.0},
                        .inertia = make_moments(1e-5, 1e-4, 1e-4)});
  robot.parts.add_joint(make_joint("hinge", JointType::kRevolute, "", "stub", {0.0, 0.0, 0.0}));
  robot.parts.add_joint(make_joint("mount", JointType::kFixed, "stub", "arm", {0.0, 0.0, 0.0}));
  model::JointSpec wrist = make_joint("wrist", JointType::kFixed, "arm", "hand", {1.0, 0.0, 0.0});
  wrist.R_PJ = make_rotation({0, 0, 1}, 0.5 * std::numbers::pi).eigen();
  robot.parts.add_joint(wrist);
  robot.parts.add_joint(
      make_joint("knuckle", JointType::kRevolute, "hand", "finger", {0.0, 0.1, 0.0}));
  robot.shapes.push_back({"arm", collision::make_sphere(0.05), {.p = {0.5, 0.0, 0.0}}});
  robot.shapes.push_back({"hand", collision::make_sphere(0.1), {}});
  return robot;
}

struct Limb : Runner {
  explicit Limb(SceneBuilder& builder, const RobotSpec& given)
      : Runner([&] {
          builder.add_robot(given);
          return builder.build();
        }()),
        robot(given),
        suite(scene.world) {}

  void add_fixed(const std::string& joint) {
    const model::JointSpec* found = nullptr;
    for (const model::JointSpec& spec : robot.parts.joints())
      if (spec.name == joint) found = &spec;
    LinkPart part = find_link_part(robot.parts, "", *found, scene.world.model);
    const model::Frame& frame = scene.world.model.frames[part.link];
    suite.add(std::make_unique<ForceTorque>(scene.world, joint,
                                            Mount{frame.body, {frame.R_BF, frame.p_BF}},
                                            ForceTorque::Options{}, std::move(part)));
  }
  void read() {
    values.resize(suite.width());
    suite.read({scene.world, state, scratch, input, report, kStep}, values);
  }
  Vec3d three(const std::string& channel) const {
    const int k = suite.find(channel);
    return {values[k], values[k + 1], values[k + 2]};
  }
  model::FrameIndex link(const std::string& name) const {
    return scene.world.model.find_frame(name);
  }

  static constexpr double kStep = 1e-3;
  RobotSpec robot;
  SensorSuite suite;
  std::vector<double> values;
};

void expect_near(const Vec3d& a, const Vec3d& b, double tolerance, const char* what) {
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(a[k], b[k], tolerance) << what << " " << k;
}

// All that hangs on a hinge but a stub without mass: the fixed joint has what the hinge has, in
// motion, in contact, pushed and tied.
TEST(LinkPart, AllOfABodyIsWhatItsJointCarries) {
  SceneBuilder builder("limb");
  builder.add_fixed(collision::make_plane(), {.p = {0.0, 0.0, -0.3}}, 0, "floor");
  SceneBuilder::Body bob;
  bob.name = "bob", bob.shape = collision::make_sphere(0.05), bob.pose.p = {1.0, 0.0, -0.2};
  builder.add_body(bob);
  builder.add_loop(
      {.kind = contact::LoopKind::kDistance, .link_a = "hand", .link_b = "bob", .length = 0.2});
  Limb r(builder, make_limb(0.0));
  const model::BodyIndex limb = r.scene.world.model.find_joint("hinge");
  r.suite.add(std::make_unique<ForceTorque>(r.scene.world, "hinge", Mount{limb, {}},
                                            ForceTorque::Options{}));
  r.add_fixed("mount");
  r.drive.wrenches = {{limb, {0.3, 0.0, 0.1}, {1, 2, 3}, {0.1, 0.2, 0.3}, r.link("arm")},
                      {limb, {1.0, 0.0, 0.0}, {-3, 1, 0}, {}, r.link("hand")}};
  double least = 1e300, most = -1e300;
  for (int n = 0; n < 500; ++n) {
    ASSERT_EQ(r.step(Limb::kStep).status, kStepFine);
    r.read();
    for (const char* kind : {"/force", "/torque", "/external_force", "/external_torque"})
      expect_near(r.three(std::string("mount") + kind), r.three(std::string("hinge") + kind), 1e-9,
                  kind);
    least = std::min(least, r.three("mount/force")[2]);
    most = std::max(most, r.three("mount/force")[2]);
  }
  EXPECT_GT(most - least, 10.0);  // it did meet something
}

// A wheel without gravity: the wrist carries the hand and the finger round.
TEST(LinkPart, CarriesItsOwnMassesRound) {
  SceneBuilder builder("limb");
  builder.set_gravity({0.0, 0.0, 0.0});
  Limb r(builder, make_limb(0.3));
  r.drive.stiffness[1] = 1e9, r.drive.damping[1] = 1e6;  // the finger is held
  r.add_fixed("wrist");
  const double w = 3.0;
  r.state.v[0] = w;
  for (int n = 0; n < 5; ++n) (void)r.step(Limb::kStep);
  r.read();
  // out along the arm, which is -y... y of the hand's frame is -x of the arm's
  const double out = 0.5 * (1.0 - 0.05) + 0.1 * (1.0 - 0.1);
  const double up = 0.5 * 0.02;
  // the finger lies along the hand's x, which is the arm's y: no part in x
  EXPECT_NEAR(r.three("wrist/force")[1], -w * w * out, 1e-5);
  EXPECT_NEAR(r.three("wrist/force")[0], 0.0, 1e-5);
  EXPECT_NEAR(r.three("wrist/force")[2], w * w * up, 1e-5);
}

// At rest: the weight of what hangs there, and of the forces those on the hand, not those on the
// arm of the same body.
TEST(LinkPart, FeelsWhatActsOnItsLinksOnly) {
  SceneBuilder builder("limb");
  builder.add_fixed(collision::make_box({0.2, 0.2, 0.1}), {.p = {1.0, 0.0, -0.2}}, 0, "table");
  Limb r(builder, make_limb(0.3));
  r.add_fixed("wrist");
  r.suite.add(std::make_unique<ContactForce>(r.scene.world, "touch", "hand"));
  r.drive.stiffness = {10.0, 1e8}, r.drive.damping = {10.0, 1e6};
  r.drive.wrenches = {{model::BodyIndex(1), {0.3, 0.0, 0.0}, {1, 2, -3}, {}, r.link("arm")},
                      {model::BodyIndex(1), {1.0, 0.0, 0.0}, {0, 7, 4}, {}, r.link("hand")},
                      {model::BodyIndex(1), {0.2, 0.0, 0.0}, {5, 5, 5}, {}}};
  for (int n = 0; n < 3000; ++n) (void)r.step(Limb::kStep);
  r.read();
  const Vec3d touch = r.three("touch/force");
  EXPECT_GT(touch[2], 1.0);
  // the hand's axes: x is y of the arm, y is -x; the arm is level
  const auto turn = [](const Vec3d& v) { return Vec3d(v[1], -v[0], v[2]); };
  const double tilt = std::abs(r.state.q[0]);
  EXPECT_LT(tilt, 1e-5);
  const Vec3d external = touch + Vec3d(0, 7, 4), weight(0.0, 0.0, -0.6 * 9.81);
  expect_near(r.three("wrist/external_force"), turn(external), 1e-4, "external");
  expect_near(r.three("wrist/force"), turn(external + weight), 1e-4, "force");
}

}  // namespace
}  // namespace stance::sim
