#include "stance/solver/matrix_newton.h"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>
#include <Eigen/SparseLU>

#include "stance/solver/residual.h"

namespace stance::solver {
namespace {

constexpr int kDenseUpTo = 60;      // blocks: a dense factor is faster
constexpr double kDenseFill = 0.3;  // of the blocks of W

bool is_dense(int num_blocks, double matrix_blocks) {
  const double n = num_blocks;
  return n <= kDenseUpTo || matrix_blocks > kDenseFill * n * n;
}

}  // namespace

// The linear system, dense when it is small or full.
struct MatrixNewton::LinearSolver {
  Eigen::MatrixXd dense;
  Eigen::SparseMatrix<double> sparse;
  std::vector<Eigen::Triplet<double>> triplets;
  Eigen::VectorXd right, x;

  bool solve(bool is_dense) {
    if (is_dense) {
      x = dense.partialPivLu().solve(right);
    } else {
      sparse.resize(right.size(), right.size());
      sparse.setFromTriplets(triplets.begin(), triplets.end());
      Eigen::SparseLU<Eigen::SparseMatrix<double>> factor(sparse);
      if (factor.info() != Eigen::Success) return false;
      x = factor.solve(right);
    }
    return x.allFinite();
  }
};

MatrixNewton::MatrixNewton() : linear_(std::make_unique<LinearSolver>()) {}
MatrixNewton::~MatrixNewton() = default;

void MatrixNewton::start(const ContactProblem& problem, const BlockMatrix& total) {
  problem_ = &problem, W_ = &total;
  first_.assign(1, 0);
  for (const Block& block : problem.blocks) first_.push_back(first_.back() + count_rows(block));
}

// By times measured on the problems of docs/benchmarks.md: a dense factor does 24 flops in a
// nanosecond, a sparse one costs what its fill makes it.
double MatrixNewton::estimate_cost(int num_blocks, double matrix_blocks) {
  const double n = num_blocks, other = 600.0 * n;  // equations, searches
  const double factor = is_dense(num_blocks, matrix_blocks)
                            ? std::pow(3.0 * n, 3.0) / 24.0
                            : 0.6 * std::pow(9.0 * matrix_blocks, 1.5);
  return factor + other;
}

double MatrixNewton::step_cost() const {
  return estimate_cost(problem_->num_blocks(), static_cast<double>(W_->block.size()));
}

Vec3d MatrixNewton::own_part(int i) const {
  const Mat3d& W = W_->block[W_->diagonal[i]];
  return {W(0, 0), W(1, 1), W(2, 2)};
}

void MatrixNewton::calc_velocities(std::span<const Vec3d> p, std::span<Vec3d> u) {
  solver::calc_velocities(*problem_, p, u);
}

// (A (W + alpha rho) + B) dp = -F, rows in use only
bool MatrixNewton::solve(std::span<const NewtonRow> equations, double alpha, std::span<Vec3d> dp) {
  const ContactProblem& problem = *problem_;
  const int n = problem.num_blocks(), size = first_[n];
  const BlockMatrix& W = *W_;
  LinearSolver& linear = *linear_;
  const bool dense = is_dense(n, static_cast<double>(W.block.size()));
  linear.right.resize(size);
  linear.triplets.clear();
  if (dense) linear.dense.setZero(size, size);
  for (int i = 0; i < n; ++i) {
    const NewtonRow& row = equations[i];
    const int to = first_[i], rows = first_[i + 1] - to;
    for (int k = W.row_start[i]; k < W.row_start[i + 1]; ++k) {
      const int j = W.column[k];
      Mat3d entry = row.A * W.block[k];
      if (i == j) {
        entry += row.B;
        for (int c = 0; c < 3; ++c)
          entry.c[c] = madd(alpha * (c == 0 ? row.rho_n : row.rho_t), row.A.c[c], entry.c[c]);
      }
      const int from = first_[j], columns = first_[j + 1] - from;
      for (int c = 0; c < columns; ++c)
        for (int r = 0; r < rows; ++r) {
          if (dense)
            linear.dense(to + r, from + c) = entry(r, c);
          else if (entry(r, c) != 0.0)
            linear.triplets.emplace_back(to + r, from + c, entry(r, c));
        }
    }
    for (int r = 0; r < rows; ++r) linear.right[to + r] = -row.F[r];
  }
  if (!linear.solve(dense)) return false;
  const double* x = linear.x.data();
  for (int i = 0; i < n; ++i) {
    dp[i] = {};
    for (int r = first_[i]; r < first_[i + 1]; ++r) dp[i].set(r - first_[i], x[r]);
  }
  return true;
}

}  // namespace stance::solver
