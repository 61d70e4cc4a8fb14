// The space of bodies and the matrix W are two views of one problem.

#include "stance/solver/body_problem.h"

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include "stance/solver/solve.h"

#include "solver/random_problem.h"
#include "support/random_forest.h"

namespace stance::solver {
namespace {

using Eigen::MatrixXd;

Force<double> make_wrench(kernel::Random& random) {
  return {Vec3d(Eigen::Vector3d(test::make_vector(random, 3, 0.3))),
          Vec3d(Eigen::Vector3d(test::make_vector(random, 3, 1.0)))};
}

// Trees of one to three nodes whose responses come from one positive definite matrix each.
BodyProblem make_body_problem(std::uint64_t seed) {
  kernel::Random random(7300 + seed);
  BodyProblem problem;
  for (int tree = 0; tree < 4; ++tree) {
    const int first = problem.num_nodes(), count = 1 + random.integer(3), size = 6 * count;
    MatrixXd A(size, size);
    for (int c = 0; c < size; ++c) A.col(c) = test::make_vector(random, size, 1.0);
    const MatrixXd omega = A * A.transpose() / size + 0.1 * MatrixXd::Identity(size, size);
    for (int j = 0; j < count; ++j) {
      problem.nodes.push_back({first, first + count, static_cast<int>(problem.response.size())});
      for (int k = 0; k < count; ++k) {
        Mat6<double> block;
        for (int c = 0; c < 6; ++c) {
          const Eigen::Matrix<double, 6, 1> column = omega.block<6, 1>(6 * k, 6 * j + c);
          block.c[c] = {Vec3d(Eigen::Vector3d(column.head<3>())),
                        Vec3d(Eigen::Vector3d(column.tail<3>()))};
        }
        problem.response.push_back(block);
      }
    }
  }
  for (int i = 0; i < 12; ++i) {
    BodyProblem::Rows rows;
    rows.a = random.integer(problem.num_nodes());
    rows.b =
        random.integer(problem.num_nodes() + 1) - 1;  // some with the world, some within a tree
    if (rows.b == rows.a) rows.b = -1;
    for (int k = 0; k < 3; ++k)
      rows.f_a[k] = make_wrench(random), rows.f_b[k] = make_wrench(random);
    problem.rows.push_back(rows);
    Block block;
    block.mu = random.uniform(0.0, 0.8);
    problem.blocks.push_back(block);
    problem.q.emplace_back(Eigen::Vector3d(test::make_vector(random, 3, 1.0)));
  }
  return problem;
}

TEST(BodyProblem, SweepsAsTheExplicitMatrixDoes) {
  for (int seed = 0; seed < 30; ++seed) {
    const BodyProblem problem = make_body_problem(seed);
    ContactProblem same;
    make_explicit(problem, same);
    ASSERT_EQ(find_fault(same), "");
    BodySweeps sweeps;
    sweeps.start(problem);
    GaussSeidel dense;
    dense.start(same);
    std::vector<Vec3d> p(12), r(12);
    sweeps.place(p);
    for (int k = 0; k < 10; ++k) {
      const SweepReport a = sweeps.sweep(p, 1.0), b = dense.sweep(r, 1.0);
      EXPECT_NEAR(a.change, b.change, 1e-11 * (1.0 + b.change));
      EXPECT_NEAR(a.velocity, b.velocity, 1e-11 * b.velocity);
      for (int i = 0; i < 12; ++i) ASSERT_LT(norm(p[i] - r[i]), 1e-11) << "seed " << seed;
    }
    EXPECT_NEAR(sweeps.grade(p).absolute, calc_residual(same, p).absolute, 1e-12);
  }
}

TEST(BodyProblem, IsSolved) {
  for (int seed = 0; seed < 50; ++seed) {
    const BodyProblem problem = make_body_problem(seed);
    BodySweeps sweeps;
    sweeps.start(problem);
    std::vector<Vec3d> p(12);
    SolveOptions options;
    options.tolerance = 1e-10;
    Solver solver;
    EXPECT_TRUE(solver.solve(sweeps, options, p).is_converged) << "seed " << seed;
    ContactProblem same;
    make_explicit(problem, same);
    EXPECT_LT(calc_residual(same, p).relative, 2e-10) << "seed " << seed;
  }
}

}  // namespace
}  // namespace stance::solver
