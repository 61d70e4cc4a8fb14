// Drives: torque limits, exactly; external forces; PD's steady error; dry friction of joints.

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "stance/kernel/random.h"
#include "stance/model/builder.h"
#include "stance/sim/controllers.h"
#include "stance/sim/step.h"

#include "heap_counter.h"
#include "mechanisms.h"
#include "simulation.h"

namespace stance::sim {
namespace {

using test::make_arm;
using test::Runner;

constexpr double kInertia = 1.0 / 3.0 + 0.1;  // of the arm's rod about its hinge, and its rotor

// ---- limits -----------------------------------------------------------------------------------

// A PD so far from its target that it stays at its limit all the time: the constant torque's closed
// form, theta = tau t (t + h) / (2 I) on the step's grid.
TEST(TorqueLimit, SaturatedPdIsAConstantTorque) {
  Runner r(make_arm({.rotor = 0.1, .gravity = 0.0}));
  r.drive.stiffness[0] = 1e5, r.drive.damping[0] = 10.0, r.drive.target[0] = 100.0;
  r.drive.limit[0] = 2.0;
  const double h = 1e-3;
  for (int n = 1; n <= 1000; ++n) {
    const StepReport report = r.step(h);
    EXPECT_EQ(r.scratch.drive[0], 2.0);
    EXPECT_LE(report.passes, n == 1 ? 2 : 1);
    EXPECT_EQ(report.status, kStepFine);
    EXPECT_NEAR(r.state.v[0], 2.0 / kInertia * n * h, 1e-12 * n);
    EXPECT_NEAR(r.state.q[0], 2.0 / kInertia * h * h * n * (n + 1) / 2, 1e-12 * n);
  }
}

// The torque of every step is the clamped law at its end, whatever the stiffness.
TEST(TorqueLimit, IsTheClampedLawAtTheEndOfTheStep) {
  for (const double stiffness : {1e2, 1e4, 1e6, 1e9}) {
    Runner r(make_arm({.rotor = 0.1}));
    r.drive.stiffness[0] = stiffness, r.drive.damping[0] = 0.3 * stiffness;
    r.drive.target[0] = 1.0, r.drive.limit[0] = 8.0;
    const double h = 1e-3;
    int saturated = 0;
    for (int n = 0; n < 9000; ++n) {
      ASSERT_EQ(r.step(h).status, kStepFine);
      const double law = stiffness * (1.0 - r.state.q[0]) - r.drive.damping[0] * r.state.v[0];
      const double wanted = std::clamp(law, -8.0, 8.0);
      EXPECT_NEAR(r.scratch.drive[0], wanted, 1e-5 + 1e-15 * stiffness) << stiffness << " " << n;
      EXPECT_LE(std::abs(r.scratch.drive[0]), 8.0);
      saturated += r.state.at_limit[0] != 0;
    }
    EXPECT_GT(saturated, 100);
    // held against gravity, and still
    EXPECT_NEAR(r.state.v[0], 0.0, 1e-9) << stiffness;
    EXPECT_EQ(r.state.at_limit[0], 0);
  }
}

// Too weak to hold the arm up, and very stiff: swings, never more than its limit, keeps its energy
// account.
TEST(TorqueLimit, StiffPdAtItsLimitIsStable) {
  Runner r(make_arm({.rotor = 0.1}));
  r.drive.stiffness[0] = 1e7, r.drive.damping[0] = 1e3;
  r.drive.target[0] = std::numbers::pi / 2, r.drive.limit[0] = 2.0;
  double fastest = 0.0;
  StepReport report;
  for (int n = 0; n < 20000; ++n) {
    report = r.step(1e-3);
    ASSERT_EQ(report.status, kStepFine);
    ASSERT_LE(std::abs(r.scratch.drive[0]), 2.0);
    fastest = std::max(fastest, std::abs(r.state.v[0]));
  }
  EXPECT_LT(fastest, 10.0);
  EXPECT_LT(std::abs(report.energy_error), 0.1);
}

// Chains whose joints go in and out of their limits all the time, on a floor: passes end, and the
// law holds in every joint.
TEST(TorqueLimit, ManyJointsAgreeInAFewPasses) {
  Runner r(test::make_drive_chain(8));
  kernel::Random random(7);
  const double h = 1e-3;
  int most = 0, more = 0, unconverged = 0;
  const int steps = test::kIsSlow ? 200 : 4000;
  for (int n = 0; n < steps; ++n) {
    for (int k = 0; k < r.scene.world.model.nv; ++k) {
      if (n % 50 == 0) r.drive.target[k] = random.uniform(-1.0, 1.0);
      r.drive.stiffness[k] = 200.0, r.drive.damping[k] = 1.0, r.drive.limit[k] = 1.5;
    }
    const StepReport report = r.step(h);
    ASSERT_EQ(report.status & ~kNotConverged, 0u);
    unconverged += report.status != 0;
    most = std::max(most, report.passes), more += report.passes > 1;
    for (int k = 0; k < r.scene.world.model.nv; ++k) {
      const double law =
          200.0 * (r.drive.target[k] - r.scratch_q(k) - h * r.state.v[k]) - r.state.v[k];
      EXPECT_NEAR(r.scratch.drive[k], std::clamp(law, -1.5, 1.5), 1e-5) << n;
    }
  }
  EXPECT_EQ(unconverged, 0);
  EXPECT_GT(more, steps / 100);
  EXPECT_LE(most, 12);
  RecordProperty("most_passes", most);
  RecordProperty("steps_with_more", more);
  std::printf("most passes %d, steps with more than one %d of %d\n", most, more, steps);
}

TEST(TorqueLimit, AsksForNoMemory) {
  Runner r(test::make_drive_chain(8));
  for (int k = 0; k < r.scene.world.model.nv; ++k)
    r.drive.stiffness[k] = 200.0, r.drive.target[k] = 0.5, r.drive.limit[k] = 1.0;
  for (int n = 0; n < 2000; ++n) (void)r.step(1e-3);
  EXPECT_EQ(bench::count_heap_calls([&] {
              for (int n = 0; n < 300; ++n) (void)r.step(1e-3);
            }),
            0);
}

// ---- PD (A23), actuators (A24) ----------------------------------------------------------------

// Against gravity a PD gives way by the angle where K (q - target) = m g l/2 cos q.
TEST(Drives, SteadyErrorOfPdIsTorqueOverStiffness) {
  const double stiffness = 200.0;
  Runner r(make_arm({}));
  r.drive.stiffness[0] = stiffness, r.drive.damping[0] = 10.0;
  for (int n = 0; n < 5000; ++n) (void)r.step(1e-3);
  const double q = r.state.q[0];
  EXPECT_NEAR(stiffness * (0.0 - q), -9.81 * 0.5 * std::cos(q), 1e-9);
  EXPECT_GT(std::abs(q), 0.02);
  EXPECT_NEAR(r.scratch.drive[0], -9.81 * 0.5 * std::cos(q), 1e-9);
}

// Dry friction of the joint holds whatever the torque does not exceed, and takes it off what does.
TEST(Drives, DryFrictionOpposesMotion) {
  for (const double sign : {1.0, -1.0}) {
    Runner r(make_arm({.rotor = 0.1, .dry = 2.0, .gravity = 0.0}));
    r.drive.tau[0] = 1.9 * sign;
    for (int n = 0; n < 500; ++n) (void)r.step(1e-3);
    EXPECT_EQ(r.state.q[0], 0.0);
    r.drive.tau[0] = 3.0 * sign;
    for (int n = 0; n < 500; ++n) (void)r.step(1e-3);
    EXPECT_NEAR(r.state.v[0], sign * 0.5 / kInertia, 1e-9);
    r.drive.tau[0] = 0.0;
    for (int n = 0; n < 500; ++n) (void)r.step(1e-3);
    EXPECT_NEAR(r.state.v[0], 0.0, 1e-12);
  }
}

// ---- forces on bodies (H9) --------------------------------------------------------------------

TEST(ExternalForce, AcceleratesAFreeBodyAtItsPoint) {
  SceneBuilder builder("box");
  builder.set_gravity({0.0, 0.0, 0.0});
  SceneBuilder::Body box;
  box.shape = collision::make_box({0.1, 0.1, 0.1}), box.mass = 2.0;
  builder.add_body(box);
  Runner r(builder.build());
  const double inertia = 2.0 * 0.2 * 0.2 / 6.0;
  r.drive.wrenches = {{r.scene.bodies[0], {0.1, 0.0, 0.0}, {0.0, 3.0, 0.0}, {0.0, 0.0, 0.2}}};
  const StepReport first = r.step(1e-3);
  EXPECT_NEAR(r.state.v[4], 1e-3 * 3.0 / 2.0, 1e-15);
  EXPECT_NEAR(r.state.v[2], 1e-3 * (0.3 + 0.2) / inertia, 1e-14);
  EXPECT_EQ(first.status, kStepFine);
  for (int n = 0; n < 10; ++n) (void)r.step(1e-3);
  EXPECT_NEAR(r.step(1e-3).energy_error, 0.0, 1e-6);
}

// A force at the tip of the arm is a torque of force times length about the hinge.
TEST(ExternalForce, ActsThroughTheJacobian) {
  Runner r(make_arm({.gravity = 0.0}));
  const model::BodyIndex arm = r.scene.world.model.find_body("arm");
  r.drive.wrenches = {{arm, {1.0, 0.0, 0.0}, {0.0, 0.0, -3.0}, {}}};
  (void)r.step(1e-3);
  EXPECT_NEAR(r.state.v[0], 1e-3 * 3.0 * 3.0, 1e-14);  // about +y, downwards
}

}  // namespace
}  // namespace stance::sim
