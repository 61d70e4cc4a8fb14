// Exact derivatives of inverse and forward dynamics against central differences.

#include "stance/dynamics/derivatives.h"

#include <gtest/gtest.h>

#include "support/robots.h"
#include "support/workbench.h"

namespace stance::dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::in;
using test::relative_error;
using test::Workbench;

// Central differences: step^2 times third derivatives, plus rounding of the function over the
// step. Forces stay below 1e-8 of the largest entry; accelerations pass through M^-1, and with
// fingers of a few grams (JVRC-1) below 1e-6. dual_derivatives_test.cc sees the other digits.
constexpr double kStep = 1e-5;
constexpr double kInverseDynamics = 1e-7;
constexpr double kForwardDynamics = 1e-5;

// Column k: f(q (+) h e_k) or f(v + h e_k), by central differences.
template <class Function>
MatrixXd differentiate_columns(int size, Function function) {
  MatrixXd J(size, size);
  for (int k = 0; k < size; ++k) {
    const VectorXd step = kStep * VectorXd::Unit(size, k);
    const VectorXd ahead = function(step);
    J.col(k) = (ahead - function(-step)) / (2.0 * kStep);
  }
  return J;
}

void expect_inverse_derivatives(const Model& model, std::uint64_t seed) {
  SCOPED_TRACE(model.name);
  Workbench w = test::make_workbench(model, seed);
  kernel::Random random(2400 + seed);
  const VectorXd q = w.q, v = w.v, vdot = test::make_vector(random, model.nv, 5.0);
  DerivativesWork work(model);
  MatrixXd dtau_dq(model.nv, model.nv), dtau_dv(model.nv, model.nv);
  calc_inverse_dynamics_derivatives(model, w.gravity, in(q), in(v), in(vdot), work, dtau_dq,
                                    dtau_dv);
  const auto tau = [&](const VectorXd& dq, const VectorXd& dv) {
    w.set(test::displace(model, q, dq), v + dv);
    return w.calc_inverse(vdot);
  };
  const VectorXd zero = VectorXd::Zero(model.nv);
  EXPECT_LT(relative_error(dtau_dq, differentiate_columns(
                                        model.nv, [&](const VectorXd& d) { return tau(d, zero); })),
            kInverseDynamics);
  EXPECT_LT(relative_error(dtau_dv, differentiate_columns(
                                        model.nv, [&](const VectorXd& d) { return tau(zero, d); })),
            kInverseDynamics);
}

void expect_forward_derivatives(const Model& model, std::uint64_t seed) {
  SCOPED_TRACE(model.name);
  Workbench w = test::make_workbench(model, seed);
  kernel::Random random(2500 + seed);
  const VectorXd q = w.q, v = w.v, tau = test::make_vector(random, model.nv, 5.0);
  const VectorXd vdot = w.calc_forward(tau);
  const MatrixXd M = w.calc_mass_matrix();
  MassFactor factor(model);
  update_mass_factor(model, M, {}, factor);
  DerivativesWork work(model);
  MatrixXd by_q(model.nv, model.nv), by_v = by_q, by_tau = by_q;
  calc_forward_dynamics_derivatives(model, w.gravity, in(q), in(v), in(vdot), factor, work, by_q,
                                    by_v, by_tau);
  const auto forward = [&](const VectorXd& dq, const VectorXd& dv) {
    w.set(test::displace(model, q, dq), v + dv);
    return w.calc_forward(tau);
  };
  const VectorXd zero = VectorXd::Zero(model.nv);
  EXPECT_LT(
      relative_error(by_q, differentiate_columns(
                               model.nv, [&](const VectorXd& d) { return forward(d, zero); })),
      kForwardDynamics);
  EXPECT_LT(
      relative_error(by_v, differentiate_columns(
                               model.nv, [&](const VectorXd& d) { return forward(zero, d); })),
      kForwardDynamics);
  EXPECT_LT(relative_error(by_tau, test::solve_dense(M, MatrixXd::Identity(model.nv, model.nv))),
            1e-10);
}

TEST(Derivatives, OfInverseDynamicsOnRandomForests) {
  for (int seed = 0; seed < test::kNumForests; ++seed)
    expect_inverse_derivatives(test::make_forest(seed), seed);
}
TEST(Derivatives, OfForwardDynamicsOnRandomForests) {
  for (int seed = 0; seed < test::kNumForests; ++seed)
    expect_forward_derivatives(test::make_forest(seed), seed);
}

class DerivativesOnRobot : public test::RobotTest {};
TEST_P(DerivativesOnRobot, OfInverseDynamics) { expect_inverse_derivatives(model(), 1); }
TEST_P(DerivativesOnRobot, OfForwardDynamics) { expect_forward_derivatives(model(), 2); }
INSTANTIATE_TEST_SUITE_P(Robots, DerivativesOnRobot, testing::ValuesIn(test::kRobotNames),
                         test::robot_name);

}  // namespace
}  // namespace stance::dynamics
