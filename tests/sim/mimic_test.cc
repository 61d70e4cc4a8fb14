// Fingers that mimic, with limits that contradict them, as robot files have them: there is no
// displacement that serves all rows. Cut off after some sweeps, one of a thousand radians was taken
// once, and with it the state.

#include "sim/simulation.h"

namespace stance::test {
namespace {

constexpr int kFingers = 3, kPhalanges = 3;
constexpr double kRatio = 2.0, kOffset = 0.785398, kUpper = 0.5;  // of the mimic; of each follower

// A hand of 50 g on an arm of 0.5 kg, fingers of 0.1 g, dropped from `height` and turned by `turn`.
sim::Scene make_hand(double height, double turn) {
  SceneBuilder builder("hand");
  builder.add_fixed(make_plane(), {});
  sim::RobotSpec robot;
  robot.name = "hand";
  const auto add_link = [&](const std::string& name, double mass, double size, const Vec3d& com) {
    model::LinkSpec link;
    link.name = name, link.mass = mass, link.com = com.eigen();
    link.inertia = 0.4 * mass * size * size * Eigen::Matrix3d::Identity();
    robot.parts.add_link(link);
    robot.shapes.push_back({name, make_sphere(size), {kernel::Mat3d::identity(), com}});
  };
  const auto add_joint = [&](const std::string& parent, const std::string& child, const Vec3d& p,
                             const Vec3d& axis, double upper, bool mimics) {
    model::JointSpec joint;
    joint.name = child, joint.type = model::JointType::kRevolute;
    joint.parent = parent, joint.child = child;
    joint.p_PJ = p.eigen(), joint.axis = axis.eigen();
    joint.lower = 0.0, joint.upper = upper;
    if (mimics) joint.mimic = model::MimicSpec{"grip", kRatio, kOffset};
    robot.parts.add_joint(joint);
  };
  add_link("arm", 0.5, 0.04, {0, 0, 0.05});
  add_link("palm", 0.05, 0.02, {0, 0, -0.03});
  add_joint("arm", "palm", {0, 0, 0}, {0, 1, 0}, 1.5, false);
  add_link("grip", 1e-4, 0.004, {0, 0, -0.01});
  add_joint("palm", "grip", {0, 0, -0.05}, {1, 0, 0}, 1.0, false);
  for (int finger = 0; finger < kFingers; ++finger) {
    std::string parent = "palm";
    for (int k = 0; k < kPhalanges; ++k) {
      const std::string name = "f" + std::to_string(finger) + std::to_string(k);
      add_link(name, 1e-4, 0.005, {0, 0, -0.015});
      const Vec3d root(0.03 * (finger - 1), 0, -0.06);
      add_joint(parent, name, k == 0 ? root : Vec3d(0, 0, -0.03),
                {k % 2 ? 1.0 : 0.0, k % 2 ? 0.0 : 1.0, 0}, kUpper, true);
      parent = name;
    }
  }
  robot.parts.attach_roots(model::ModelBuilder::Base::kFree);
  robot.base = {make_rotation({1, 0.3, 0}, turn), {0, 0, height}};
  builder.add_robot(robot);
  return builder.build();
}

TEST(Mimic, LimitsThatContradictItLeaveTheHandWhole) {
  for (const double turn : {0.3, 2.9}) {
    Simulation s(make_hand(0.15, turn));
    const model::Model& model = s.world.model;
    s.stiffness.assign(model.nv, 0.0), s.tau.assign(model.nv, 0.0);
    for (int i = 1; i < model.nbody; ++i)
      if (model.joint_nv(i) == 1) s.stiffness[model.v_start[i]] = 1000.0;
    double worst = 0.0, moved = 0.0;
    std::vector<double> last = s.state.q;
    s.run(kIsSlow ? 0.02 : 0.2, 2e-4, [&] {
      worst = std::max(worst, s.report.contact.loop_error);
      for (int i = 1; i < model.nbody; ++i)
        if (model.joint_nv(i) == 1)
          moved = std::max(moved, std::abs(s.state.q[model.q_start[i]] - last[model.q_start[i]]));
      last = s.state.q;
    });
    // it starts off by the offset, and no joint has farther to go in a step
    EXPECT_LE(worst, kOffset + 1e-9) << turn;
    EXPECT_LE(moved, kOffset) << turn;
    EXPECT_LT(s.fastest(), 100.0) << turn;
  }
}

}  // namespace
}  // namespace stance::test
