// Forward dynamics: the inverse of inverse dynamics, and of the dense equations.

#include "stance/dynamics/aba.h"

#include <gtest/gtest.h>

#include "stance/model/samples.h"

#include "support/robots.h"
#include "support/specs.h"
#include "support/workbench.h"

namespace stance::dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::in;
using test::out;
using test::relative_error;
using test::Workbench;
using test::Wrenches;

constexpr double kUndo = 1e-10;  // what the project promises
constexpr double kSolve = 1e-10;

Wrenches make_wrenches(kernel::Random& random, const Model& model) {
  Wrenches wrenches(model.nbody);
  for (auto& wrench : wrenches) {
    const Eigen::Vector3d moment = test::make_vector(random, 3, 5.0);
    const Eigen::Vector3d force = test::make_vector(random, 3, 5.0);
    wrench = {Vec3d(moment), Vec3d(force)};
  }
  return wrenches;
}

void expect_undone(const Model& model, std::uint64_t seed) {
  SCOPED_TRACE(model.name + ", state " + std::to_string(seed));
  Workbench w = test::make_workbench(model, seed);
  kernel::Random random(1100 + seed);
  const VectorXd vdot = test::make_vector(random, model.nv, 10.0);
  EXPECT_LT(relative_error(w.calc_forward(w.calc_inverse(vdot)), vdot), kUndo);
  const Wrenches wrenches = make_wrenches(random, model);
  EXPECT_LT(relative_error(w.calc_forward(w.calc_inverse(vdot, wrenches), wrenches), vdot), kUndo);
}

// (M + diagonal)^-1 (tau - bias), with what implicit stiffness and damping put on the diagonal.
void expect_dense_answer(const Model& model, std::uint64_t seed) {
  SCOPED_TRACE(model.name + ", state " + std::to_string(seed));
  Workbench w = test::make_workbench(model, seed);
  kernel::Random random(1200 + seed);
  const VectorXd tau = test::make_vector(random, model.nv, 20.0);
  VectorXd diagonal = test::make_vector(random, model.nv, 1.0).cwiseAbs();
  for (int k = 0; k < model.nv; k += 3) diagonal[k] = 0.0;  // joints without springs
  MatrixXd M = w.calc_mass_matrix();
  const VectorXd force = tau - w.calc_bias();
  EXPECT_LT(relative_error(w.calc_forward(tau), test::solve_dense(M, force)), kSolve);
  M += diagonal.asDiagonal();
  EXPECT_LT(relative_error(w.calc_forward(tau, {}, diagonal), test::solve_dense(M, force)), kSolve);
}

// A falling inverted pendulum's spring is negative; the base may have one as well.
TEST(Aba, TakesANegativeDiagonalOnAFloatingBase) {
  const Model model = test::make_free_body();
  Workbench w = test::make_workbench(model, 1);
  const VectorXd tau = VectorXd::Ones(6), diagonal = VectorXd::Constant(6, -0.05);
  const VectorXd force = tau - w.calc_bias();
  const MatrixXd M = w.calc_mass_matrix() + MatrixXd(diagonal.asDiagonal());
  EXPECT_LT(relative_error(w.calc_forward(tau, {}, diagonal), test::solve_dense(M, force)), kSolve);
}

TEST(Aba, UndoesRneaOnRandomForests) {
  for (int seed = 0; seed < test::kNumForests; ++seed) expect_undone(test::make_forest(seed), seed);
}

TEST(Aba, AnswersLikeTheDenseEquationsOnRandomForests) {
  for (int seed = 0; seed < test::kNumForests; ++seed)
    expect_dense_answer(test::make_forest(seed), seed);
}

class AbaOnRobot : public test::RobotTest {};
TEST_P(AbaOnRobot, UndoesRnea) {
  for (int seed = 0; seed < 5; ++seed) expect_undone(model(), seed);
}
TEST_P(AbaOnRobot, AnswersLikeTheDenseEquations) {
  for (int seed = 0; seed < 5; ++seed) expect_dense_answer(model(), seed);
}
INSTANTIATE_TEST_SUITE_P(Robots, AbaOnRobot, testing::ValuesIn(test::kRobotNames),
                         test::robot_name);

// Long chains: the error grows with the condition number of M, about the square of the length.
TEST(Aba, UndoesRneaOnLongChains) {
  for (bool floating : {false, true})
    for (int n : {1, 2, 100, 1000}) {
      SCOPED_TRACE(n);
      const Model model = model::make_chain(n, {.floating = floating});
      Workbench w = test::make_workbench(model, n);
      kernel::Random random(n);
      const VectorXd vdot = test::make_vector(random, model.nv, 10.0);
      const VectorXd back = w.calc_forward(w.calc_inverse(vdot));
      EXPECT_LT(relative_error(back, vdot), n > 100 ? 1e-7 : kUndo);
    }
}

TEST(Aba, AppliesTheInverseMassMatrixAlone) {
  for (int seed = 0; seed < test::kNumForests; ++seed) {
    SCOPED_TRACE(seed);
    const Model model = test::make_forest(seed);
    Workbench w = test::make_workbench(model, seed);
    kernel::Random random(1300 + seed);
    const VectorXd tau = test::make_vector(random, model.nv, 1.0);
    const VectorXd diagonal = test::make_vector(random, model.nv, 1.0).cwiseAbs();
    update_articulated(model, w.kin, w.inertias, in(diagonal), w.art);
    VectorXd vdot(model.nv);
    apply_inverse_mass(model, w.kin, w.art, in(tau), std::span<const Force<double>>(), w.forward,
                       out(vdot));
    MatrixXd M = w.calc_mass_matrix();
    M += diagonal.asDiagonal();
    EXPECT_LT(relative_error(vdot, test::solve_dense(M, tau)), kSolve);
  }
}

// A pile of work done before leaves no trace.
TEST(Aba, ForgetsEarlierCalls) {
  for (int seed = 0; seed < 20; ++seed) {
    const Model model = test::make_forest(seed);
    Workbench fresh = test::make_workbench(model, seed), used = test::make_workbench(model, 99);
    kernel::Random random(1400 + seed);
    const VectorXd tau = test::make_vector(random, model.nv, 20.0);
    (void)used.calc_forward(2.0 * tau, make_wrenches(random, model), tau.cwiseAbs());
    used.set(fresh.q, fresh.v);
    EXPECT_EQ(used.calc_forward(tau), fresh.calc_forward(tau));
  }
}

}  // namespace
}  // namespace stance::dynamics
