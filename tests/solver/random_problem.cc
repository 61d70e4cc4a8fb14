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

kernel::Mat3d make_inverse_inertia(kernel::Random& random, double spread) {
  const Matrix3d R = make_rotation(random);
  Vector3d d;
  for (int k = 0; k < 3; ++k) d[k] = std::pow(spread, random.uniform(-0.5, 0.5));
  return kernel::Mat3d(Matrix3d(R * d.asDiagonal() * R.transpose()));
}

}  // namespace stance::test
