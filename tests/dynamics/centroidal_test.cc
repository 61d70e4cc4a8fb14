// The whole forest as one body: centre of mass, momentum and their matrices.

#include "stance/dynamics/centroidal.h"

#include <gtest/gtest.h>

#include "stance/model/samples.h"

#include "support/motion.h"
#include "support/robots.h"
#include "support/textbook.h"
#include "support/workbench.h"

namespace stance::dynamics {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;
using test::BodyMotion;
using test::relative_error;
using test::Workbench;

constexpr double kRounding = 1e-12;

// Central differences in time: step^2 times third derivatives of momenta, order 1e5.
constexpr double kStep = 1e-5;
constexpr double kDifference = 1e-6;

Centroidal calc_centroidal(const Workbench& w) {
  Centroidal out(w.model);
  update_centroidal(w.model, w.kin, w.inertias, w.vel, out);
  return out;
}

// Sums over bodies, straight from their textbook motion.
void expect_sums(const Model& model, std::uint64_t seed) {
  SCOPED_TRACE(model.name);
  const Workbench w = test::make_workbench(model, seed);
  const Centroidal c = calc_centroidal(w);
  const auto bodies = test::calc_textbook_motion(model, w.q, w.v, VectorXd::Zero(model.nv));
  double mass = 0.0;
  Vector3d moment = Vector3d::Zero(), p = Vector3d::Zero();
  for (int i = 1; i < model.nbody; ++i) {
    const BodyMotion& B = bodies[i];
    const Vector3d com = model.com[i].eigen();
    mass += model.mass[i];
    moment += model.mass[i] * (B.p_WB + B.R_WB * com);
    p += model.mass[i] * B.R_WB * (B.v + B.w.cross(com));
  }
  const Vector3d centre = moment / mass;
  Vector3d L = Vector3d::Zero();
  for (int i = 1; i < model.nbody; ++i) {
    const BodyMotion& B = bodies[i];
    const Vector3d com = model.com[i].eigen();
    const Vector3d arm = B.p_WB + B.R_WB * com - centre;
    L += B.R_WB * (model.inertia[i].full().eigen() * B.w) +
         arm.cross(model.mass[i] * B.R_WB * (B.v + B.w.cross(com)));
  }
  EXPECT_NEAR(c.mass, mass, kRounding * mass);
  EXPECT_LT((c.com.eigen() - centre).norm(), kRounding);
  EXPECT_LT((c.com_velocity.eigen() - p / mass).norm(), kRounding * (1.0 + p.norm() / mass));
  EXPECT_LT((c.h_G.lin.eigen() - p).norm(), kRounding * (1.0 + p.norm()));
  EXPECT_LT((c.h_G.ang.eigen() - L).norm(), 10.0 * kRounding * (1.0 + L.norm()));

  // the matrices
  EXPECT_LT(relative_error(c.A_G * w.v, test::to_eigen(c.h_G)), kRounding * 10.0);
  EXPECT_LT(relative_error(c.J_com * w.v, c.com_velocity.eigen()), kRounding * 10.0);
  EXPECT_LT(relative_error(c.A_G.bottomRows(3), c.mass * c.J_com), kRounding);
}

// Derivatives along a motion: of the centre of mass, and of the momentum.
void expect_rates(const Model& model, std::uint64_t seed) {
  SCOPED_TRACE(model.name);
  const Workbench w = test::make_workbench(model, seed);
  kernel::Random random(2100 + seed);
  const VectorXd vdot = test::make_vector(random, model.nv, 5.0);
  const Centroidal c = calc_centroidal(w);
  const VectorXd com_rate = test::differentiate(
      w, vdot, kStep,
      [](const Workbench& at) -> VectorXd { return calc_centroidal(at).com.eigen(); });
  EXPECT_LT((com_rate - c.com_velocity.eigen()).norm(), kDifference);

  const VectorXd rate = test::differentiate(w, vdot, kStep, [](const Workbench& at) -> VectorXd {
    return test::to_eigen(calc_centroidal(at).h_G);
  });
  std::vector<Motion<double>> A_bias(model.nbody);
  calc_accelerations(model, w.kin, w.vel, {}, A_bias);
  const auto bias = calc_momentum_bias(model, w.kin, w.inertias, w.vel, A_bias, c.com);
  EXPECT_LT(relative_error(VectorXd(c.A_G * vdot + test::to_eigen(bias)), rate), kDifference);

  // with vdot = 0 what remains is dA_G/dt v alone
  const VectorXd dA_v = test::differentiate(
      w, VectorXd::Zero(model.nv), kStep,
      [&](const Workbench& at) -> VectorXd { return calc_centroidal(at).A_G * w.v; });
  EXPECT_LT(relative_error(test::to_eigen(bias), dA_v), kDifference);
}

TEST(Centroidal, IsTheSumOverBodiesOnRandomForests) {
  for (int seed = 0; seed < test::kNumForests; ++seed) expect_sums(test::make_forest(seed), seed);
}
TEST(Centroidal, HasTheRatesOfFiniteDifferencesOnRandomForests) {
  for (int seed = 0; seed < test::kNumForests; ++seed) expect_rates(test::make_forest(seed), seed);
}

class CentroidalOnRobot : public test::RobotTest {};
TEST_P(CentroidalOnRobot, IsTheSumOverBodies) { expect_sums(model(), 1); }
TEST_P(CentroidalOnRobot, HasTheRatesOfFiniteDifferences) { expect_rates(model(), 2); }

// Newton and Euler for the whole of a free-flying robot: whatever its motors do, momentum changes
// by gravity and outside forces alone.
TEST_P(CentroidalOnRobot, MomentumChangesByOutsideForcesAlone) {
  Workbench w = test::make_workbench(model(), 3);
  kernel::Random random(2200);
  VectorXd tau = test::make_vector(random, model().nv, 50.0);
  tau.head<6>().setZero();  // nobody holds the base
  test::Wrenches wrenches(model().nbody);
  const Centroidal c = calc_centroidal(w);
  Vector3d force = c.mass * w.gravity.eigen(), moment = Vector3d::Zero();
  for (int i = 1; i < model().nbody; ++i) {
    const Vector3d n = test::make_vector(random, 3, 10.0), f = test::make_vector(random, 3, 10.0);
    wrenches[i] = {Vec3d(n), Vec3d(f)};
    const Vector3d p_OG = (c.com - w.kin.p_WO[0]).eigen();
    moment += n - p_OG.cross(f);
    force += f;
  }
  const VectorXd vdot = w.calc_forward(tau, wrenches);
  std::vector<Motion<double>> A_bias(model().nbody);
  calc_accelerations(model(), w.kin, w.vel, {}, A_bias);
  const auto bias = calc_momentum_bias(model(), w.kin, w.inertias, w.vel, A_bias, c.com);
  const VectorXd rate = c.A_G * vdot + test::to_eigen(bias);
  // accelerations reach 1e4 where light links meet 50 N m: their forces cancel to a few hundred
  const double scale = 1e-11 * (c.A_G.cwiseAbs() * vdot.cwiseAbs()).maxCoeff();
  EXPECT_LT((rate.head<3>() - moment).norm(), scale);
  EXPECT_LT((rate.tail<3>() - force).norm(), scale);
}
INSTANTIATE_TEST_SUITE_P(Robots, CentroidalOnRobot, testing::ValuesIn(test::kRobotNames),
                         test::robot_name);

// Three cubes: a centre and momentum that can be computed by head.
TEST(Centroidal, OfThreeCubesIsTheirMean) {
  const Model model = model::make_cubes(3);
  Workbench w(model);
  VectorXd q = Eigen::Map<const VectorXd>(model::make_neutral(model).data(), model.nq);
  VectorXd v = VectorXd::Zero(model.nv);
  for (int i = 0; i < 3; ++i) {
    q.segment<3>(7 * i + 4) = Vector3d(i, 2.0 * i, 0.0);
    v.segment<3>(6 * i + 3) = Vector3d(0.0, 0.0, i);
  }
  w.set(q, v);
  const Centroidal c = calc_centroidal(w);
  EXPECT_DOUBLE_EQ(c.mass, 3.0);
  EXPECT_LT((c.com.eigen() - Vector3d(1.0, 2.0, 0.0)).norm(), kRounding);
  EXPECT_LT((c.com_velocity.eigen() - Vector3d(0.0, 0.0, 1.0)).norm(), kRounding);
  // r x m v of the outer two about the middle one: (1, 2, 0) x (0, 0, 1) twice, less the mean
  EXPECT_LT((c.h_G.ang.eigen() - Vector3d(4.0, -2.0, 0.0)).norm(), kRounding);
}

}  // namespace
}  // namespace stance::dynamics
