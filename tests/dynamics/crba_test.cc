// The mass matrix and its sparse factor.

#include "stance/dynamics/crba.h"

#include <gtest/gtest.h>

#include "support/robots.h"
#include "support/workbench.h"

namespace stance::dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::in;
using test::out;
using test::relative_error;
using test::Workbench;

constexpr double kRounding = 1e-12;  // two algorithms over chains of about ten bodies
constexpr double kSolve = 1e-10;     // the same times condition numbers of 1e4 and more

void expect_mass_matrix(const Model& model, std::uint64_t seed) {
  SCOPED_TRACE(model.name);
  Workbench w = test::make_workbench(model, seed);
  const MatrixXd M = w.calc_mass_matrix();

  // columns are differences of inverse dynamics
  MatrixXd expected(model.nv, model.nv);
  const VectorXd bias = w.calc_bias();
  for (int k = 0; k < model.nv; ++k)
    expected.col(k) = w.calc_inverse(VectorXd::Unit(model.nv, k)) - bias;
  EXPECT_LT(relative_error(M, expected), kRounding);

  // symmetric to the bit, positive definite
  EXPECT_EQ(M, M.transpose());
  EXPECT_TRUE(test::solve_dense(M, bias).allFinite());
}

TEST(Crba, ColumnsAreRneaDifferencesOnRandomForests) {
  for (int seed = 0; seed < test::kNumForests; ++seed)
    expect_mass_matrix(test::make_forest(seed), seed);
}

class CrbaOnRobot : public test::RobotTest {};
TEST_P(CrbaOnRobot, ColumnsAreRneaDifferences) {
  for (int seed = 0; seed < 3; ++seed) expect_mass_matrix(model(), seed);
}
INSTANTIATE_TEST_SUITE_P(Robots, CrbaOnRobot, testing::ValuesIn(test::kRobotNames),
                         test::robot_name);

// Coordinates on different branches do not feel each other, and say so with exact zeros.
TEST(Crba, IsZeroBetweenBranches) {
  int zeros = 0;
  for (int seed = 0; seed < test::kNumForests; ++seed) {
    const Model model = test::make_forest(seed);
    Workbench w = test::make_workbench(model, seed);
    w.mass.M.setZero();
    const MatrixXd M = w.calc_mass_matrix();
    for (int k = 0; k < model.nv; ++k)
      for (int j = 0; j < k; ++j) {
        bool supports = false;
        for (int i = k; i >= 0; i = model.dof_parent[i]) supports |= i == j;
        if (supports) continue;
        ASSERT_EQ(M(j, k), 0.0);
        ++zeros;
      }
  }
  EXPECT_GT(zeros, 1000);
}

void expect_factor(const Model& model, std::uint64_t seed, bool with_diagonal) {
  SCOPED_TRACE(model.name);
  Workbench w = test::make_workbench(model, seed);
  kernel::Random random(900 + seed);
  MatrixXd M = w.calc_mass_matrix();
  VectorXd diagonal;
  if (with_diagonal) diagonal = test::make_vector(random, model.nv, 0.5).cwiseAbs();
  MassFactor factor(model);
  update_mass_factor(model, M, in(diagonal), factor);
  if (with_diagonal) M += diagonal.asDiagonal();
  const VectorXd b = test::make_vector(random, model.nv, 1.0);
  VectorXd x = b;
  solve_mass(model, factor, out(x));
  EXPECT_LT(relative_error(x, test::solve_dense(M, b)), kSolve);
}

TEST(MassFactor, SolvesLikeADenseCholesky) {
  for (int seed = 0; seed < test::kNumForests; ++seed) {
    expect_factor(test::make_forest(seed), seed, false);
    expect_factor(test::make_forest(seed), seed, true);
  }
}

class MassFactorOnRobot : public test::RobotTest {};
TEST_P(MassFactorOnRobot, SolvesLikeADenseCholesky) {
  expect_factor(model(), 1, false);
  expect_factor(model(), 2, true);
}
INSTANTIATE_TEST_SUITE_P(Robots, MassFactorOnRobot, testing::ValuesIn(test::kRobotNames),
                         test::robot_name);

}  // namespace
}  // namespace stance::dynamics
