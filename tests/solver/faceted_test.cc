// Rows A5, S1, S2: the complementarity problem with pyramids, beside the exact cones.

#include "stance/solver/faceted.h"

#include <numbers>

#include <gtest/gtest.h>

#include "stance/solver/lemke.h"
#include "stance/solver/residual.h"
#include "stance/solver/solve.h"

#include "solver/random_problem.h"
#include "support/random_forest.h"

namespace stance::solver {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST(Lemke, SolvesATextbookProblem) {
  // Cottle, Pang and Stone, example 4.3.3 scaled: w = M z + q with solution by hand
  MatrixXd M(2, 2);
  M << 2, 1, 1, 2;
  VectorXd z;
  ASSERT_TRUE(solve_lcp(M, VectorXd::Constant(2, -3.0), 100, nullptr, nullptr, z).is_solved);
  EXPECT_NEAR(z[0], 1.0, 1e-14);
  EXPECT_NEAR(z[1], 1.0, 1e-14);
  ASSERT_TRUE(solve_lcp(M, Eigen::Vector2d(-4.0, 1.0), 100, nullptr, nullptr, z).is_solved);
  EXPECT_NEAR(z[0], 2.0, 1e-14);
  EXPECT_NEAR(z[1], 0.0, 1e-14);
}

TEST(Lemke, SolvesRandomPositiveDefiniteProblems) {
  kernel::Random random(7200);
  for (int trial = 0; trial < 100; ++trial) {
    const int n = 1 + random.integer(30);
    MatrixXd A(n, n);
    for (int c = 0; c < n; ++c) A.col(c) = test::make_vector(random, n, 1.0);
    const MatrixXd M = A * A.transpose() + 0.01 * MatrixXd::Identity(n, n);
    const VectorXd q = test::make_vector(random, n, 1.0);
    VectorXd z;
    ASSERT_TRUE(solve_lcp(M, q, 10000, nullptr, nullptr, z).is_solved);
    const VectorXd w = M * z + q;
    EXPECT_GT(w.minCoeff(), -1e-9) << "trial " << trial;
    EXPECT_LT(w.cwiseProduct(z).cwiseAbs().maxCoeff(), 1e-8) << "trial " << trial;
  }
}

TEST(Lemke, SaysWhenThereIsNoSolution) {
  VectorXd z;
  EXPECT_FALSE(solve_lcp(MatrixXd::Zero(1, 1), VectorXd::Constant(1, -1.0), 10, nullptr, nullptr, z)
                   .is_solved);
}

std::vector<Vec3d> solve_exactly(const ContactProblem& problem) {
  std::vector<Vec3d> p(problem.num_blocks());
  SolveOptions options;
  options.tolerance = 1e-12;
  Solver solver;
  EXPECT_TRUE(solver.solve(problem, options, p).is_converged);
  return p;
}

TEST(Faceted, IsExactWithoutFriction) {
  for (int seed = 0; seed < 20; ++seed) {
    const ContactProblem problem =
        test::make_problem(seed, {.bodies = 8, .contacts = 6, .mass_ratio = 1.0, .mu = 0.0});
    std::vector<Vec3d> p(6);
    ASSERT_TRUE(solve_faceted(problem, {}, p).is_solved) << "seed " << seed;
    const std::vector<Vec3d> exact = solve_exactly(problem);
    for (int i = 0; i < 6; ++i) EXPECT_LT(norm(p[i] - exact[i]), 1e-9) << "seed " << seed;
  }
}

// The loss of accuracy that A5 speaks of: a point mass sliding between two facets turns off its
// way; the error falls with the square of the number of facets.
TEST(Faceted, ErrorFallsWithTheSquareOfTheFacets) {
  Block block;
  block.mu = 0.5;
  double last = 0.0;
  for (const int facets : {4, 8, 16, 32}) {
    const double between = std::numbers::pi / facets;  // half way between two directions
    const ContactProblem problem = test::make_single(
        block, Mat3d::identity(), Vec3d(-1.0, 3.0 * std::cos(between), 3.0 * std::sin(between)));
    Vec3d p;
    FacetedOptions options;
    options.facets = facets;
    const FacetedStatus status = solve_faceted(problem, options, {&p, 1});
    ASSERT_TRUE(status.is_solved);
    EXPECT_EQ(status.size, facets + 2);
    const double missing = 0.5 - std::hypot(p[1], p[2]);
    EXPECT_NEAR(calc_residual(problem, {&p, 1}).cone_violation, 0.0, 1e-15);
    if (last > 0.0) {
      EXPECT_NEAR(last / missing, 4.0, 0.7) << facets;
    }
    last = missing;
  }
}

// All laws have a faceted form; with scalar ones only it is exact.
TEST(Faceted, KnowsLimitsBoxesAndBilaterals) {
  ContactProblem problem;
  for (const Law law : {Law::kBilateral, Law::kUnilateral, Law::kBox}) {
    Block block;
    block.law = law, block.rows = 1, block.bound = 0.3;
    problem.blocks.push_back(block);
  }
  const double W[3][3] = {{2.0, 0.5, 0.3}, {0.5, 1.5, -0.2}, {0.3, -0.2, 1.0}};
  std::vector<Entry> entries;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) entries.push_back({3 * i, 3 * j, W[i][j]});
  problem.W = make_block_matrix(3, entries);
  problem.q = {Vec3d(1.0, 0, 0), Vec3d(-0.4, 0, 0), Vec3d(2.0, 0, 0)};
  std::vector<Vec3d> p(3);
  ASSERT_TRUE(solve_faceted(problem, {}, p).is_solved);
  const std::vector<Vec3d> exact = solve_exactly(problem);
  for (int i = 0; i < 3; ++i) EXPECT_LT(norm(p[i] - exact[i]), 1e-9);
}

}  // namespace
}  // namespace stance::solver
