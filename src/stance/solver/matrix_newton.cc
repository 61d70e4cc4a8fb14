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

int count_rows(const Block& block) {
  switch (block.law) {
    case Law::kUnilateral:
    case Law::kBox: return 1;
    case Law::kBilateral: return block.rows;
    default: return 3;
  }
}

}  // namespace

// The linear system, dense when it is small or full. Small ones are factored in place, in memory
// that stays.
struct MatrixNewton::LinearSolver {
  std::vector<double> small;  // column-major
  Eigen::MatrixXd dense;
  Eigen::SparseMatrix<double> sparse;
  std::vector<Eigen::Triplet<double>> triplets;
  Eigen::VectorXd right, x;
  std::vector<double> right_small;

  // Gauss elimination with partial pivoting on `small` (n x n) and `right_small`, kPanel columns at
  // a time: one pass over the rest of the matrix instead of as many.
  static constexpr int kPanel = 4;
  bool solve_small(int n) {
    double* b = right_small.data();
    const auto column = [&](int j) { return j == n ? b : small.data() + std::ptrdiff_t(j) * n; };
    for (int k0 = 0; k0 < n; k0 += kPanel) {
      const int k1 = std::min(k0 + kPanel, n);
      for (int k = k0; k < k1; ++k) {
        double* a = column(k);
        int p = k;
        for (int i = k + 1; i < n; ++i)
          if (std::abs(a[i]) > std::abs(a[p])) p = i;
        if (!(std::abs(a[p]) > 0.0)) return false;
        if (p != k)
          for (int j = 0; j <= n; ++j) std::swap(column(j)[k], column(j)[p]);
        const double inverse = 1.0 / a[k];
        for (int i = k + 1; i < n; ++i) a[i] *= inverse;
        for (int j = k + 1; j < k1; ++j) eliminate(a, column(j), k, n);
      }
      for (int j = k1; j <= n; ++j) {
        double* to = column(j);
        for (int k = k0; k < k1; ++k) {  // within the panel's rows
          const double factor = to[k];
          for (int i = k + 1; i < k1; ++i) to[i] -= factor * column(k)[i];
        }
        if (k1 - k0 < kPanel) {
          for (int k = k0; k < k1; ++k)
            for (int i = k1; i < n; ++i) to[i] -= to[k] * column(k)[i];
          continue;
        }
        const double *a0 = column(k0), *a1 = column(k0 + 1), *a2 = column(k0 + 2),
                     *a3 = column(k0 + 3);
        const double f0 = to[k0], f1 = to[k0 + 1], f2 = to[k0 + 2], f3 = to[k0 + 3];
        for (int i = k1; i < n; ++i) to[i] -= (f0 * a0[i] + f1 * a1[i]) + (f2 * a2[i] + f3 * a3[i]);
      }
    }
    for (int k = n - 1; k >= 0; --k) {
      const double* a = column(k);
      b[k] /= a[k];
      for (int i = 0; i < k; ++i) b[i] -= b[k] * a[i];
    }
    return std::isfinite(b[0]);
  }
  // to -= to[k] a below row k
  static void eliminate(const double* a, double* to, int k, int n) {
    const double factor = to[k];
    for (int i = k + 1; i < n; ++i) to[i] -= factor * a[i];
  }

  bool solve_large(bool is_dense) {
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

void MatrixNewton::start(const ContactProblem& problem) {
  problem_ = &problem;
  linear_->small.reserve(9 * kSmall * kSmall);
  linear_->right_small.reserve(3 * kSmall);
  first_.reserve(kSmall + 1);
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
  return estimate_cost(problem_->num_blocks(), static_cast<double>(problem_->W.block.size()));
}

Vec3d MatrixNewton::own_part(int i) const {
  const Mat3d& W = problem_->W.block[problem_->W.diagonal[i]];
  return {W(0, 0), W(1, 1), W(2, 2)};
}

void MatrixNewton::calc_velocities(std::span<const Vec3d> p, std::span<Vec3d> u) {
  solver::calc_velocities(*problem_, p, u);
}

// (A (W + alpha rho) + B) dp = -F, rows in use only
bool MatrixNewton::solve(std::span<const NewtonRow> equations, double alpha, std::span<Vec3d> dp) {
  const ContactProblem& problem = *problem_;
  const int n = problem.num_blocks(), size = first_[n];
  const BlockMatrix& W = problem.W;
  LinearSolver& linear = *linear_;
  const bool is_small = n <= kSmall, dense = is_dense(n, static_cast<double>(W.block.size()));
  if (is_small) {
    linear.small.assign(static_cast<std::size_t>(size) * size, 0.0);
    linear.right_small.resize(size);
  } else {
    linear.right.resize(size);
    linear.triplets.clear();
    if (dense) linear.dense.setZero(size, size);
  }
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
          if (is_small)
            linear.small[static_cast<std::size_t>(from + c) * size + to + r] = entry(r, c);
          else if (dense)
            linear.dense(to + r, from + c) = entry(r, c);
          else if (entry(r, c) != 0.0)
            linear.triplets.emplace_back(to + r, from + c, entry(r, c));
        }
    }
    for (int r = 0; r < rows; ++r)
      (is_small ? linear.right_small[to + r] : linear.right[to + r]) = -row.F[r];
  }
  if (!(is_small ? linear.solve_small(size) : linear.solve_large(dense))) return false;
  const double* x = is_small ? linear.right_small.data() : linear.x.data();
  for (int i = 0; i < n; ++i) {
    dp[i] = {};
    for (int r = first_[i]; r < first_[i + 1]; ++r) dp[i].set(r - first_[i], x[r]);
  }
  return true;
}

}  // namespace stance::solver
