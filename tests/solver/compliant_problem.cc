#include "solver/compliant_problem.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "solver/random_problem.h"
#include "support/random_forest.h"

namespace stance::test {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using kernel::Mat3d;
using kernel::Vec3d;
using solver::Block;
using solver::BlockMatrix;
using solver::Compliance;
using solver::ContactProblem;
using solver::Law;

// ---- problems -----------------------------------------------------------------------------------

void add_random_group(std::span<const Block> blocks, std::span<const int> members, double scale,
                      bool is_thin, kernel::Random& random, Compliance& C) {
  const int m = static_cast<int>(members.size());
  MatrixXd A(3 * m, is_thin ? m + 1 : 3 * m);
  for (int c = 0; c < A.cols(); ++c) A.col(c) = make_vector(random, 3 * m, 1.0);
  for (int k = 0; k < m; ++k)
    for (int r = count_rows(blocks[members[k]]); r < 3; ++r) A.row(3 * k + r).setZero();
  const MatrixXd dense = scale / m * A * A.transpose();
  std::vector<Mat3d> columns;
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < m; ++i)
      columns.emplace_back(Eigen::Matrix3d(dense.block<3, 3>(3 * i, 3 * j)));
  C.add_group(members, columns);
}

void add_random_compliance(std::span<const Block> blocks, std::uint64_t seed, double scale,
                           Compliance& C) {
  kernel::Random random(400 + seed);
  const int n = static_cast<int>(blocks.size());
  std::vector<int> even, odd;
  for (int i = 0; i < n / 2; ++i) (i % 2 ? odd : even).push_back(i);
  add_random_group(blocks, even, scale, false, random, C);
  add_random_group(blocks, odd, scale, true, random, C);
  const int single[] = {n / 2};
  add_random_group(blocks, single, scale, false, random, C);
  for (int i = n / 3; i < n; i += 3) {
    Vec3d own;
    for (int r = 0; r < count_rows(blocks[i]); ++r) own.set(r, scale * random.uniform(0.0, 1.0));
    C.set_own(i, own);
  }
}

MatrixXd make_dense(const Compliance& C, int n) {
  MatrixXd dense = MatrixXd::Zero(3 * n, 3 * n);
  C.visit(
      [&](int i, int j, const Mat3d& C_ij) { dense.block<3, 3>(3 * i, 3 * j) += C_ij.eigen(); });
  return dense;
}

MatrixXd make_dense(const BlockMatrix& W) {
  const int n = W.num_rows();
  MatrixXd dense = MatrixXd::Zero(3 * n, 3 * n);
  for (int i = 0; i < n; ++i)
    for (int k = W.row_start[i]; k < W.row_start[i + 1]; ++k)
      dense.block<3, 3>(3 * i, 3 * W.column[k]) = W.block[k].eigen();
  return dense;
}

VectorXd flatten(std::span<const Vec3d> x) {
  VectorXd flat(3 * x.size());
  for (std::size_t i = 0; i < x.size(); ++i) flat.segment<3>(3 * i) = x[i].eigen();
  return flat;
}

ContactProblem make_all_laws(std::uint64_t seed, double mass_ratio) {
  ContactProblem problem =
      make_problem(seed, {.bodies = 8, .contacts = 12, .mass_ratio = mass_ratio, .mu = 0.3});
  mix_laws(problem);
  return problem;
}

ContactProblem make_rigid(const ContactProblem& problem) {
  ContactProblem rigid;
  rigid.blocks = problem.blocks, rigid.q = problem.q;
  const int n = problem.num_blocks();
  const MatrixXd sum = make_dense(problem.W) + make_dense(problem.C, n);
  rigid.W =
      solver::make_block_matrix(n, std::span(sum.data(), static_cast<std::size_t>(sum.size())));
  return rigid;
}

// ---- the reference ------------------------------------------------------------------------------

namespace {

// The nearest admissible impulse of a block, written down once more.
Vector3d project(const Block& block, double load, const Vector3d& x) {
  const auto into_disc = [](double radius, const Vector3d& a) -> Vector3d {
    const double length = std::hypot(a[1], a[2]);
    const double scale = length > radius ? radius / length : 1.0;
    return {a[0], scale * a[1], scale * a[2]};
  };
  switch (block.law) {
    case Law::kContact: {
      const double t = std::hypot(x[1], x[2]);
      if (t <= block.mu * x[0]) return x;
      if (block.mu * t <= -x[0]) return Vector3d::Zero();
      const double n = (x[0] + block.mu * t) / (1.0 + block.mu * block.mu);
      return {n, block.mu * n * x[1] / t, block.mu * n * x[2] / t};
    }
    case Law::kSpin: {
      const double torsion = block.mu * std::max(load, 0.0);
      return into_disc(block.mu_rolling * std::max(load, 0.0),
                       {std::clamp(x[0], -torsion, torsion), x[1], x[2]});
    }
    case Law::kBilateral: return x;
    case Law::kUnilateral: return {std::max(x[0], 0.0), 0.0, 0.0};
    case Law::kBox: return {std::clamp(x[0], -block.bound, block.bound), 0.0, 0.0};
  }
  return x;
}

}  // namespace

VectorXd iterate_reference(const ContactProblem& problem, int most) {
  const int n = problem.num_blocks();
  const MatrixXd total = make_dense(problem.W) + make_dense(problem.C, n);
  const VectorXd q = flatten(problem.q);
  const double rho = 1.0 / Eigen::SelfAdjointEigenSolver<MatrixXd>(total).eigenvalues().maxCoeff();
  VectorXd p = VectorXd::Zero(3 * n);
  for (int k = 0; k < most; ++k) {
    const VectorXd u = total * p + q, before = p;
    for (int i = 0; i < n; ++i) {
      Vector3d step = u.segment<3>(3 * i);
      const Block& block = problem.blocks[i];
      if (block.law == Law::kContact) step[0] += block.mu * std::hypot(step[1], step[2]);
      const double load = block.law == Law::kSpin ? before[3 * block.normal] : 0.0;
      p.segment<3>(3 * i) = project(block, load, before.segment<3>(3 * i) - rho * step);
    }
    if ((p - before).norm() <= 1e-15 * p.norm()) break;
  }
  return p;
}

double calc_distance(std::span<const Vec3d> a, std::span<const Vec3d> b) {
  return (flatten(a) - flatten(b)).norm();
}

}  // namespace stance::test
