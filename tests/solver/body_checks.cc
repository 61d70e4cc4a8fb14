#include "solver/body_checks.h"

#include <gtest/gtest.h>

#include "support/random_forest.h"

namespace stance::test {

using kernel::Vec3d;
using solver::Block;
using solver::BodyProblem;
using solver::BodySweeps;
using solver::ContactProblem;
using solver::kExact;
using solver::Law;
using solver::NewtonRow;
using solver::SweepReport;

std::vector<Vec3d> expect_same_sweeps(const BodyProblem& problem, const ContactProblem& same,
                                      double sixth, double tolerance, BodySweeps& sweeps) {
  const int n = problem.num_blocks();
  sweeps.start(problem);
  solver::GaussSeidel dense;
  dense.start(same);
  std::vector<Vec3d> p(n), r(n);
  sweeps.place(p);
  for (int k = 0; k < 10; ++k) {
    const double relaxation = k == 5 ? sixth : 1.0;
    const SweepReport a = sweeps.sweep(p, relaxation, kExact),
                      b = dense.sweep(r, relaxation, kExact);
    EXPECT_NEAR(a.change, b.change, tolerance * (1.0 + b.change));
    EXPECT_NEAR(a.velocity, b.velocity, tolerance * b.velocity);
    for (int i = 0; i < n; ++i) EXPECT_LT(norm(p[i] - r[i]), tolerance);
  }
  EXPECT_NEAR(sweeps.grade(p).absolute, calc_residual(same, p).absolute, 0.1 * tolerance);
  return p;
}

std::vector<Vec3d> expect_solved(const BodyProblem& problem, BodySweeps& sweeps,
                                 solver::Solver& solver) {
  sweeps.start(problem);
  std::vector<Vec3d> p(problem.num_blocks());
  solver::SolveOptions options;
  options.tolerance = 1e-10;
  EXPECT_TRUE(solver.solve(sweeps, options, p).is_converged);
  return p;
}

std::vector<Vec3d> press_inside(BodyProblem& problem, kernel::Random& random) {
  const int n = problem.num_blocks();
  std::vector<Vec3d> p(n);
  for (int i = 0; i < n; ++i) {
    Block& block = problem.blocks[i];
    if (block.law == Law::kContact && i % 4 == 0) block.law = Law::kBilateral;
    block.mu = 0.5;
    p[i] = Vec3d(random.uniform(0.1, 0.25), 0.0, 0.0);
    if (block.rows == 3) p[i] += Vec3d(0.0, random.uniform(-0.04, 0.04), 0.01);
    problem.q[i] = {};
  }
  return p;
}

void expect_held_still(BodyProblem& problem, const solver::BlockMatrix& W, std::vector<Vec3d> p,
                       kernel::Random& random) {
  for (int i = 0; i < problem.num_blocks(); ++i) problem.q[i] = -W.multiply_row(i, p);
  for (Vec3d& impulse : p) impulse += Vec3d(1e-10 * random.uniform(-1.0, 1.0), 0.0, 0.0);
  BodySweeps sweeps;
  sweeps.start(problem);
  sweeps.place(p);
  EXPECT_GT(sweeps.grade(p).relative, 1e-11);
  EXPECT_GT(sweeps.hold_still(p, 1e-8, 1e-15), 0);
  EXPECT_LT(sweeps.grade(p).relative, 1e-14);
}

std::vector<Vec3d> draw_impulses(std::span<const Block> blocks, kernel::Random& random) {
  std::vector<Vec3d> p(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    p[i] = Vec3d(Eigen::Vector3d(make_vector(random, 3, 1.0)));
    for (int r = count_rows(blocks[i]); r < 3; ++r) p[i].set(r, 0.0);
  }
  return p;
}

std::vector<NewtonRow> make_rows(solver::EquationKind kind, std::span<const Block> blocks,
                                 const solver::NewtonProblem& newton, std::span<const Vec3d> p,
                                 std::span<const Vec3d> u) {
  std::vector<NewtonRow> rows(blocks.size());
  for (int i = 0; i < static_cast<int>(blocks.size()); ++i) {
    const Block& block = blocks[i];
    const double load = block.law == Law::kSpin ? p[block.normal][0] : 0.0;
    rows[i].rho_n = newton.own_part(i)[0];
    rows[i].rho_t = count_rows(block) > 1 ? newton.own_part(i)[1] : rows[i].rho_n;
    const solver::BlockEquation e =
        calc_equation(kind, block, load, rows[i].rho_n, rows[i].rho_t, p[i], u[i]);
    rows[i].A = e.by_u, rows[i].B = e.by_p, rows[i].F = e.F;
  }
  return rows;
}

}  // namespace stance::test
