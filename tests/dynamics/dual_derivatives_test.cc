// The analytic derivatives against dual numbers sent through the algorithms themselves: two exact
// ways that must agree to rounding, where finite differences see only half of the digits.

#include <gtest/gtest.h>

#include "stance/dynamics/aba.h"
#include "stance/dynamics/derivatives.h"
#include "stance/kernel/dual.h"

#include "support/robots.h"
#include "support/workbench.h"

namespace stance::dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using kernel::Dual;
using test::in;
using test::relative_error;
using test::Workbench;

constexpr double kRounding = 1e-11;  // of the largest entry
constexpr double kSolve = 1e-9;      // through M^-1

using Duals = std::vector<Dual>;
using Input = std::span<const Dual>;

Duals to_dual(const VectorXd& x) { return Duals(x.begin(), x.end()); }

// An algorithm run with dual numbers, four directions at a time: column k is the derivative of
// what `run(q, v)` returns along q (+) e_k or v + e_k.
template <class Run>
MatrixXd differentiate(const Model& model, const VectorXd& q, const VectorXd& v, bool by_q,
                       Run run) {
  MatrixXd J(model.nv, model.nv);
  for (int first = 0; first < model.nv; first += Dual::kDirections) {
    const int count = std::min(Dual::kDirections, model.nv - first);
    Duals q_dual = to_dual(q), v_dual = to_dual(v), step(model.nv);
    for (int n = 0; n < count; ++n) (by_q ? step : v_dual)[first + n].d[n] = 1.0;
    model::integrate(model, q_dual.data(), step.data(), q_dual.data());
    const Duals result = run(q_dual, v_dual);
    for (int k = 0; k < model.nv; ++k)
      for (int n = 0; n < count; ++n) J(k, first + n) = result[k].d[n];
  }
  return J;
}

// The state of the algorithms with dual numbers.
struct DualBench {
  explicit DualBench(const Model& model_)
      : model(model_), kin(model), vel(model), inertias(model), forward(model), art(model) {}

  void set(const Duals& q, const Duals& v) {
    update_kinematics(model, Input(q), kin);
    update_velocities(model, kin, Input(v), vel);
    update_inertias(model, kin, inertias);
  }
  Duals calc_inverse(const Vec3d& gravity, const Duals& vdot) {
    Duals tau(model.nv);
    calc_inverse_dynamics(model, gravity, kin, inertias, vel, Input(vdot),
                          std::span<const Force<Dual>>(), forward.newton_euler,
                          std::span<Dual>(tau));
    return tau;
  }
  Duals calc_forward(const Vec3d& gravity, const Duals& tau) {
    Duals vdot(model.nv);
    update_articulated(model, kin, inertias, Input(), art);
    calc_forward_dynamics(model, gravity, kin, inertias, vel, art, Input(tau),
                          std::span<const Force<Dual>>(), forward, std::span<Dual>(vdot));
    return vdot;
  }

  const Model& model;
  Kinematics<Dual> kin;
  Velocities<Dual> vel;
  Inertias<Dual> inertias;
  ForwardDynamics<Dual> forward;
  Articulated<Dual> art;
};

void expect_dual_derivatives(const Model& model, std::uint64_t seed) {
  SCOPED_TRACE(model.name);
  Workbench w = test::make_workbench(model, seed);
  kernel::Random random(4400 + seed);
  const VectorXd tau = test::make_vector(random, model.nv, 5.0), vdot = w.calc_forward(tau);
  MassFactor factor(model);
  update_mass_factor(model, w.calc_mass_matrix(), {}, factor);
  DerivativesWork work(model);
  DualBench bench(model);
  MatrixXd by_q(model.nv, model.nv), by_v = by_q, by_tau = by_q;

  const auto inverse = [&](const Duals& q, const Duals& v) {
    bench.set(q, v);
    return bench.calc_inverse(w.gravity, to_dual(vdot));
  };
  calc_inverse_dynamics_derivatives(model, w.gravity, in(w.q), in(w.v), in(vdot), work, by_q, by_v);
  EXPECT_LT(relative_error(by_q, differentiate(model, w.q, w.v, true, inverse)), kRounding);
  EXPECT_LT(relative_error(by_v, differentiate(model, w.q, w.v, false, inverse)), kRounding);

  const auto forward = [&](const Duals& q, const Duals& v) {
    bench.set(q, v);
    return bench.calc_forward(w.gravity, to_dual(tau));
  };
  calc_forward_dynamics_derivatives(model, w.gravity, in(w.q), in(w.v), in(vdot), factor, work,
                                    by_q, by_v, by_tau);
  EXPECT_LT(relative_error(by_q, differentiate(model, w.q, w.v, true, forward)), kSolve);
  EXPECT_LT(relative_error(by_v, differentiate(model, w.q, w.v, false, forward)), kSolve);
}

TEST(DualDerivatives, AgreeWithTheAnalyticOnesOnRandomForests) {
  for (int seed = 0; seed < test::kNumForests; ++seed)
    expect_dual_derivatives(test::make_forest(seed), seed);
}

class DualDerivativesOnRobot : public test::RobotTest {};
TEST_P(DualDerivativesOnRobot, AgreeWithTheAnalyticOnes) { expect_dual_derivatives(model(), 1); }
INSTANTIATE_TEST_SUITE_P(Robots, DualDerivativesOnRobot, testing::ValuesIn(test::kRobotNames),
                         test::robot_name);

}  // namespace
}  // namespace stance::dynamics
