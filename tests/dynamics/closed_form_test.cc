// Motions that a pencil can predict: pendulum, falling ball, steadily spinning body.

#include <cmath>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "stance/model/builder.h"

#include "support/robots.h"
#include "support/simulate.h"
#include "support/specs.h"

namespace stance::dynamics {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;
using test::Method;
using test::Simulation;

constexpr double kG = 9.81;  // m/s^2

// A rod of 2 kg, 0.8 m, hinged at its end about y, hanging along -z at q = 0.
Model make_pendulum() {
  model::ModelBuilder builder("pendulum");
  model::LinkSpec rod = test::make_link("rod", 2.0);
  rod.com = {0.0, 0.0, -0.4};
  rod.inertia = Vector3d(2.0 * 0.64 / 12.0, 2.0 * 0.64 / 12.0, 1e-4).asDiagonal();
  builder.add_link(rod);
  model::JointSpec hinge = test::make_joint("hinge", model::JointType::kRevolute, "", "rod");
  hinge.axis = Vector3d::UnitY();
  builder.add_joint(hinge);
  return builder.build();
}

// Time of the first passage through the bottom after a start from rest: a quarter period.
double measure_quarter_period(const Model& model, double amplitude, double h) {
  Simulation sim(model, test::kGravity);
  sim.start(VectorXd::Constant(1, amplitude), VectorXd::Zero(1));
  double time = 0.0;
  while (true) {
    const VectorXd q = sim.q, v = sim.v;
    sim.step(Method::kRk4, h);
    if (sim.q[0] <= 0.0) {
      // the fraction of this step that ends at the bottom, by Newton on its length
      double part = 0.5 * h;
      for (int n = 0; n < 20; ++n) {
        sim.start(q, v);
        sim.step(Method::kRk4, part);
        part -= sim.q[0] / sim.v[0];
      }
      return time + part;
    }
    time += h;
  }
}

// T = 4 sqrt(I / (m g l)) K(sin(amplitude / 2)), I about the hinge.
TEST(ClosedForm, PendulumPeriodGrowsWithAmplitudeAsTheEllipticIntegral) {
  const Model model = make_pendulum();
  const double inertia = 2.0 * 0.64 / 3.0, slowness = std::sqrt(inertia / (2.0 * kG * 0.4));
  for (double amplitude : {0.01, 0.5, 1.5, 2.5, 3.1}) {
    const double expected = slowness * std::comp_ellint_1(std::sin(0.5 * amplitude));
    const double measured = measure_quarter_period(model, amplitude, 1e-3);
    // RK4 at 1 ms: h^4 = 1e-12, times the stretching of errors near the upper rest
    EXPECT_NEAR(measured, expected, 1e-10 * expected) << "amplitude " << amplitude;
  }
}

// The repository's own pendulum: a bob on a rod of 1 m, inertia about the hinge 1.00036 kg m^2.
TEST(ClosedForm, OurPendulumFileSwingsAsItSays) {
  const auto model = test::find_robot("pendulum");
  if (!model) GTEST_SKIP() << "built without the URDF reader";
  ASSERT_EQ(model->nv, 1);
  test::Workbench w(*model);
  w.set(VectorXd::Zero(1), VectorXd::Zero(1));
  const double inertia = w.calc_mass_matrix()(0, 0);
  EXPECT_NEAR(inertia, 1.00036, 1e-9);
  const double expected =
      std::sqrt(inertia / (model->mass[1] * kG)) * std::comp_ellint_1(std::sin(0.5));
  EXPECT_NEAR(measure_quarter_period(*model, 1.0, 1e-3), expected, 1e-9);
}

Model make_ball() {
  model::ModelBuilder builder("ball");
  builder.add_link(test::make_link("ball"));
  builder.attach_roots(model::ModelBuilder::Base::kFree);
  return builder.build();
}

// Parabolas are of second degree: RK4 has no error but rounding, the semi-implicit step falls
// g t h / 2 too far, exactly.
TEST(ClosedForm, AThrownBallFliesAParabola) {
  const Model model = make_ball();
  constexpr double kStep = 0.01;
  constexpr int kSteps = 200;
  const double t = kStep * kSteps;
  VectorXd q(7), v(6);
  q << 1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0;
  v << 0.0, 0.0, 0.0, 4.0, -5.0, 6.0;
  const Vector3d exact(1.0 + 4.0 * t, 2.0 - 5.0 * t, 3.0 + 6.0 * t - 0.5 * kG * t * t);
  for (Method method : {Method::kRk4, Method::kSemiImplicit}) {
    Simulation sim(model, test::kGravity);
    sim.start(q, v);
    sim.run(method, kStep, kSteps);
    const double late = method == Method::kRk4 ? 0.0 : 0.5 * kG * t * kStep;
    EXPECT_LT((sim.q.tail<3>() - (exact - Vector3d(0.0, 0.0, late))).norm(), 1e-12);
    EXPECT_LT((sim.v.tail<3>() - Vector3d(4.0, -5.0, 6.0 - kG * t)).norm(), 1e-12);
  }
}

// A ball spins about any axis steadily, and a spin leaves its flight alone.
TEST(ClosedForm, ASpinningBallTurnsSteadily) {
  const Model model = make_ball();
  VectorXd q(7), v(6);
  q << 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0;
  v << 3.0, -1.0, 2.0, 0.0, 0.0, 0.0;
  Simulation sim(model, test::kGravity);
  sim.start(q, v);
  sim.run(Method::kRk4, 0.01, 100);
  const auto expected = kernel::exp_quat(Vec3d(3.0, -1.0, 2.0));
  EXPECT_LT(
      (sim.q.head<4>() - Eigen::Vector4d(expected.w, expected.x, expected.y, expected.z)).norm(),
      1e-12);
  EXPECT_NEAR(sim.q[6], -0.5 * kG, 1e-12);
}

// A symmetric top, free of torque, precesses about its angular momentum with L / I1.
TEST(ClosedForm, ASymmetricTopPrecessesAboutItsMomentum) {
  model::ModelBuilder builder("top");
  model::LinkSpec disc = test::make_link("disc");
  disc.inertia = Vector3d(1.0, 1.0, 1.8).asDiagonal();
  builder.add_link(disc);
  builder.attach_roots(model::ModelBuilder::Base::kFree);
  const Model model = builder.build();
  VectorXd q = VectorXd::Zero(7), v = VectorXd::Zero(6);
  q[0] = 1.0;
  v.head<3>() = Vector3d(0.5, 0.0, 4.0);
  const Vector3d L(0.5 * 1.0, 0.0, 4.0 * 1.8);
  Simulation sim(model, test::kWeightless);
  sim.start(q, v);
  const double t = 1.0;
  sim.run(Method::kRk4, 1e-3, 1000);
  // the disc's axis goes round L on a cone
  const Eigen::AngleAxisd precession(L.norm() * t / 1.0, L.normalized());
  const Vector3d axis = sim.look().kin.R_WB[1].eigen().col(2);
  EXPECT_LT((axis - precession * Vector3d::UnitZ()).norm(), 1e-10);
}

}  // namespace
}  // namespace stance::dynamics
