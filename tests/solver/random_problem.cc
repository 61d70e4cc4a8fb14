#include "solver/random_problem.h"

#include <cmath>

#include <Eigen/Geometry>

#include "support/random_forest.h"

namespace stance::test {

using Eigen::Matrix3d;
using Eigen::Vector3d;

solver::ContactProblem make_problem(std::uint64_t seed, const ProblemOptions& options) {
  return bench::make_heap_problem(seed, options);
}

solver::ContactProblem make_single(const solver::Block& block, const kernel::Mat3d& W,
                                   const kernel::Vec3d& q) {
  solver::ContactProblem problem;
  problem.blocks = {block};
  problem.q = {q};
  problem.W.row_start = {0, 1};
  problem.W.column = problem.W.diagonal = {0};
  problem.W.block = {W};
  return problem;
}

namespace {

// Rows and columns that a block does not use.
void keep_rows(solver::ContactProblem& problem, int i, int rows) {
  problem.blocks[i].rows = rows;
  for (int k = 0; k < static_cast<int>(problem.W.block.size()); ++k) {
    const bool in_row = k >= problem.W.row_start[i] && k < problem.W.row_start[i + 1];
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r)
        if ((in_row && r >= rows) || (problem.W.column[k] == i && c >= rows))
          problem.W.block[k].c[c].set(r, 0.0);
  }
  for (int r = rows; r < 3; ++r) problem.q[i].set(r, 0.0);
}

}  // namespace

void mix_laws(solver::ContactProblem& problem) {
  using solver::Law;
  problem.blocks[0].law = Law::kBilateral;
  problem.blocks[1].law = Law::kUnilateral, keep_rows(problem, 1, 1);
  problem.blocks[2].law = Law::kBox, problem.blocks[2].bound = 0.05, keep_rows(problem, 2, 1);
  problem.blocks[3].law = Law::kBilateral, keep_rows(problem, 3, 2);
  problem.blocks[5].law = Law::kSpin, problem.blocks[5].normal = 4;
  problem.blocks[5].mu = 0.1, problem.blocks[5].mu_rolling = 0.05;
}

Answer solve(const solver::ContactProblem& problem, const solver::SolveOptions& options,
             std::vector<kernel::Vec3d> start) {
  Answer answer{std::move(start), {}};
  answer.p.resize(problem.num_blocks());
  solver::Solver solver;
  answer.status = solver.solve(problem, options, answer.p);
  return answer;
}

solver::SolveOptions to(double tolerance) {
  solver::SolveOptions options;
  options.tolerance = tolerance;
  return options;
}

kernel::Mat3d make_inverse_inertia(kernel::Random& random, double spread) {
  const Matrix3d R = make_rotation(random);
  Vector3d d;
  for (int k = 0; k < 3; ++k) d[k] = std::pow(spread, random.uniform(-0.5, 0.5));
  return kernel::Mat3d(Matrix3d(R * d.asDiagonal() * R.transpose()));
}

}  // namespace stance::test
