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

// A plate of 1 kg that turns about an axis which leans by `lean`, on a table that it overlaps.
void add_pan(SceneBuilder& builder, double lean, double overlap, const Vec3d& half,
             const Vec3d& p) {
  builder.add_fixed(make_box({0.5, 0.5, 0.05}), {.p = {0, 0, -0.05 + overlap}}, 0, "table");
  sim::RobotSpec robot;
  robot.name = "pan";
  model::LinkSpec plate;
  plate.name = "plate", plate.mass = 1.0;
  plate.inertia = 0.01 * Eigen::Matrix3d::Identity();
  model::JointSpec pan;
  pan.name = "pan", pan.type = model::JointType::kRevolute, pan.child = "plate";
  pan.axis = Eigen::Vector3d::UnitZ();
  robot.parts.add_link(plate), robot.parts.add_joint(pan);
  robot.shapes.push_back({"plate", make_box(half), {kernel::Mat3d::identity(), p}});
  robot.base.R = make_rotation({1, 0, 0}, lean);
  builder.add_robot(robot);
}

// The hinge of a file that says 1.5708 for a quarter turn is 3.67e-6 rad off; a cube lies on the
// plate. Rows with such a lever once took 6e10 N with every step "converged", or turned the plate
// by any angle to take back 0.1 mm of overlap, which ended in a pair of geometries that do not
// exist.
TEST(Immobile, AnAxisThatIsUprightButForTheDigitsOfAFileIsUpright) {
  for (const double lean : {3.673e-6, 1e-5, 1e-4})
    for (const double overlap : {0.0, 1e-4, 5e-4}) {
      SceneBuilder builder("leaning turntable");
      add_pan(builder, lean, overlap, {0.1, 0.1, 0.05}, {0, 0, 0.05});
      SceneBuilder::Body cube;
      cube.shape = make_box({0.025, 0.025, 0.025}), cube.mass = 0.5;
      cube.pose.p = {0.02, 0, 0.125};
      builder.add_body(cube);
      Simulation s(builder.build());
      double& rate = s.state.v[s.world.model.v_start[s.world.model.find_body("pan/plate")]];
      rate = 1.0;
      double most = 0.0;
      int left_out = 0;
      s.run(0.5, kIsSlow ? 1e-2 : 1e-3, [&] {
        left_out = std::max(left_out, s.report.contact.immobile);
        for (const auto& contact : s.scratch.contact.contacts) most = std::max(most, contact.p[0]);
      });
      EXPECT_LT(most, 0.2) << lean << " " << overlap;  // N s: the cube's weight and its landing
      EXPECT_GE(left_out, 1) << lean << " " << overlap;
      EXPECT_NEAR(rate, 1.0, 0.1) << lean << " " << overlap;  // the cube rides with it
      EXPECT_EQ(s.unconverged, 0) << lean << " " << overlap;
    }
}

// What has a lever of a hundredth is a contact as any other: it brings the plate to rest.
TEST(Immobile, ALeverThatIsWorthTheNameIsKept) {
  SceneBuilder builder("slanted");
  add_pan(builder, 0.01, 0.0, {0.02, 0.02, 0.02}, {0.2, 0, 0.021});
  Simulation s(builder.build());
  s.state.v[0] = -10.0;
  s.run(1.0, 1e-3, [&] { EXPECT_EQ(s.report.contact.immobile, 0); });
  EXPECT_NEAR(s.state.v[0], 0.0, 1e-9);
  EXPECT_LT(s.deepest, 1e-3);
}

// A displacement that would turn the plate by more than a radian is not taken, and the step says
// so.
TEST(Immobile, AWayOutThatIsTooFarIsNotTaken) {
  SceneBuilder builder("jammed");
  add_pan(builder, 1e-3, 5e-3, {0.02, 0.02, 0.02}, {0.2, 0, 0.02});
  Simulation s(builder.build());
  const double q = s.state.q[0];
  sim::Monitor monitor(s.world, s.state, {});
  s.run(0.05, 1e-3, [&] {
    EXPECT_TRUE(s.report.status & sim::kDriftNotConverged);
    monitor.watch(s.world, s.state, s.scratch, s.report, 1e-3);
  });
  EXPECT_EQ(monitor.summary().unconverged, 50);
  EXPECT_LE(monitor.summary().worst_residual, 1e-8);
  EXPECT_GE(monitor.summary().worst_drift_residual, 1e-4);
  EXPECT_NEAR(s.state.q[0], q, 1e-6);
}

}  // namespace
}  // namespace stance::test
