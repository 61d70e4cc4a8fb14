// Kinetic and potential energy, and the balance of power.

#include <gtest/gtest.h>

#include "stance/dynamics/centroidal.h"

#include "support/motion.h"
#include "support/robots.h"
#include "support/workbench.h"

namespace stance::dynamics {
namespace {

using Eigen::VectorXd;
using test::in;
using test::Workbench;

constexpr double kRounding = 1e-12;
constexpr double kStep = 1e-5;
constexpr double kDifference = 1e-6;  // of the largest power among the joints

double calc_energy(const Workbench& w) {
  return calc_kinetic_energy(w.model, w.inertias, w.vel, in(w.v)) +
         calc_potential_energy(w.model, w.gravity, w.kin, w.inertias);
}

void expect_kinetic_energy(const Model& model, std::uint64_t seed) {
  SCOPED_TRACE(model.name);
  Workbench w = test::make_workbench(model, seed);
  const double T = calc_kinetic_energy(model, w.inertias, w.vel, in(w.v));
  EXPECT_NEAR(T, 0.5 * w.v.dot(w.calc_mass_matrix() * w.v), kRounding * T);
}

// dE/dt = tau . v with nothing but the joint forces at work.
void expect_power_balance(const Model& model, std::uint64_t seed) {
  SCOPED_TRACE(model.name);
  Workbench w = test::make_workbench(model, seed);
  kernel::Random random(2300 + seed);
  const VectorXd vdot = test::make_vector(random, model.nv, 5.0);
  const VectorXd tau = w.calc_inverse(vdot);
  const VectorXd rate = test::differentiate(
      w, vdot, kStep, [](const Workbench& at) { return VectorXd::Constant(1, calc_energy(at)); });
  const double largest = tau.cwiseProduct(w.v).cwiseAbs().maxCoeff();
  EXPECT_NEAR(rate[0], tau.dot(w.v), kDifference * largest);
}

// Standing still, the joints hold the slope of the potential energy.
void expect_potential_slope(const Model& model, std::uint64_t seed) {
  SCOPED_TRACE(model.name);
  Workbench w = test::make_workbench(model, seed);
  const VectorXd q = w.q, zero = VectorXd::Zero(model.nv);
  w.set(q, zero);
  const VectorXd holding = w.calc_bias();
  VectorXd slope(model.nv);
  const auto potential = [&](const VectorXd& step) {
    w.set(test::displace(model, q, step), zero);
    return calc_potential_energy(model, w.gravity, w.kin, w.inertias);
  };
  for (int k = 0; k < model.nv; ++k) {
    const VectorXd step = kStep * VectorXd::Unit(model.nv, k);
    slope[k] = (potential(step) - potential(-step)) / (2.0 * kStep);
  }
  EXPECT_LT(test::relative_error(holding, slope), 1e-8);
}

TEST(Energy, IsHalfOfVMVOnRandomForests) {
  for (int seed = 0; seed < test::kNumForests; ++seed)
    expect_kinetic_energy(test::make_forest(seed), seed);
}
TEST(Energy, ChangesByThePowerOfTheJointsOnRandomForests) {
  for (int seed = 0; seed < test::kNumForests; ++seed)
    expect_power_balance(test::make_forest(seed), seed);
}
TEST(Energy, HasTheSlopeThatJointsHoldOnRandomForests) {
  for (int seed = 0; seed < test::kNumForests; ++seed)
    expect_potential_slope(test::make_forest(seed), seed);
}

class EnergyOnRobot : public test::RobotTest {};
TEST_P(EnergyOnRobot, IsHalfOfVMV) { expect_kinetic_energy(model(), 1); }
TEST_P(EnergyOnRobot, ChangesByThePowerOfTheJoints) { expect_power_balance(model(), 2); }
TEST_P(EnergyOnRobot, HasTheSlopeThatJointsHold) { expect_potential_slope(model(), 3); }
INSTANTIATE_TEST_SUITE_P(Robots, EnergyOnRobot, testing::ValuesIn(test::kRobotNames),
                         test::robot_name);

}  // namespace
}  // namespace stance::dynamics
