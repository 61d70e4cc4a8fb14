// Contacts along which nothing can move are left out, and said so: a plate that turns on a base
// overlaps it along the axis (no impulse can part them). It once took 1e11 N within 6 ms.

#include "stance/sim/monitor.h"

#include "sim/simulation.h"

namespace stance::test {
namespace {

// A plate of 1 kg on a vertical hinge, 2 mm deep in a block of the world; the hinge leans by
// `tilt`.
sim::Scene make_turntable(double tilt) {
  SceneBuilder builder("turntable");
  const kernel::Mat3d R = make_rotation({1, 2, 0}, tilt);
  builder.add_fixed(make_box({0.1, 0.1, 0.05}), {R, R * Vec3d(0, 0, 0.05)}, 0, "block");
  sim::RobotSpec robot;
  robot.name = "table";
  model::LinkSpec plate;
  plate.name = "plate", plate.mass = 1.0;
  plate.com = {0.0, 0.0, 0.05};
  plate.inertia = 0.01 * Eigen::Matrix3d::Identity();
  model::JointSpec pan;
  pan.name = "pan", pan.type = model::JointType::kRevolute, pan.child = "plate";
  pan.axis = Eigen::Vector3d::UnitZ(), pan.p_PJ = {0.0, 0.0, 0.098};
  robot.parts.add_link(plate), robot.parts.add_joint(pan);
  robot.shapes.push_back(
      {"plate", make_box({0.1, 0.1, 0.05}), {kernel::Mat3d::identity(), {0, 0, 0.05}}});
  robot.base.R = R;
  builder.add_robot(robot);
  return builder.build();
}

TEST(Immobile, APlateThatOverlapsWhatItTurnsOnStillTurns) {
  for (const double tilt : {0.0, 0.3, 1.1}) {
    Simulation s(make_turntable(tilt));
    s.state.v[0] = 1.0;
    double most = 0.0;
    int left_out = 0;
    s.run(0.5, kIsSlow ? 1e-2 : 1e-3, [&] {
      left_out = std::max(left_out, s.report.contact.immobile);
      for (const auto& contact : s.scratch.contact.contacts) most = std::max(most, contact.p[0]);
    });
    EXPECT_EQ(most, 0.0) << tilt;
    EXPECT_GE(left_out, 4) << tilt;
    // nothing brakes it: its com lies on the axis
    EXPECT_NEAR(s.state.v[0], 1.0, 1e-12) << tilt;
  }
}

TEST(Immobile, ThePairIsNamedOnce) {
  Simulation s(make_turntable(0.3));
  sim::Monitor monitor(s.world, s.state, {});
  s.run(0.05, 1e-3, [&] { monitor.watch(s.world, s.state, s.scratch, s.report, 1e-3); });
  ASSERT_EQ(monitor.events().size(), 1u);
  EXPECT_EQ(monitor.events()[0].kind, sim::Event::Kind::kImmobile);
  EXPECT_EQ(monitor.events()[0].what, "table/plate on block");
  EXPECT_EQ(monitor.summary().immobile, 1);
}

}  // namespace
}  // namespace stance::test
