#include "stance/solver/newton.h"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>
#include <Eigen/SparseLU>

#include "stance/solver/block_equation.h"
#include "stance/solver/residual.h"

namespace stance::solver {
namespace {

constexpr double kShortestStep = 1e-3;
constexpr double kEnough[] = {2e-4, 0.1};  // by kind: how much of a step's length must be gained
constexpr int kPatience = 8;               // steps without a new best point,
constexpr int kPolish = 2;                 // and once the tolerance is reached
constexpr int kDenseUpTo = 60;             // blocks: a dense factor is faster
constexpr double kDenseFill = 0.3;         // of the blocks of W

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
struct Newton::LinearSolver {
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

Newton::Newton() : linear_(std::make_unique<LinearSolver>()) {}
Newton::~Newton() = default;

bool Newton::is_dense(int num_blocks, double matrix_blocks) {
  const double n = num_blocks;
  return n <= kDenseUpTo || matrix_blocks > kDenseFill * n * n;
}

void Newton::start(const ContactProblem& problem) {
  const int n = problem.num_blocks();
  rows_.resize(std::max<std::size_t>(n, rows_.size()));
  for (auto* a : {&u_, &direction_, &trial_, &least_, &best_}) {
    a->reserve(kSmall);
    a->resize(n);
  }
  linear_->small.reserve(9 * kSmall * kSmall);
  linear_->right_small.reserve(3 * kSmall);
  first_.reserve(kSmall + 1);
  first_.assign(1, 0);
  for (int i = 0; i < n; ++i) {
    first_.push_back(first_.back() + count_rows(problem.blocks[i]));
    const Mat3d& W = problem.W.block[problem.W.diagonal[i]];
    const double tangential = 0.5 * (W(1, 1) + W(2, 2));
    rows_[i].rho_n = W(0, 0) > 0.0 ? W(0, 0) : 1.0;
    rows_[i].rho_t = tangential > 0.0 ? tangential : rows_[i].rho_n;
  }
}

// What a search makes smaller: half the sum of squares of all equations at p, or the natural-map
// residual. Equations and slopes go into rows_ when asked for.
double Newton::calc_merit(EquationKind kind, const ContactProblem& problem,
                          std::span<const Vec3d> p, bool with_slopes) {
  const bool is_fischer = kind == EquationKind::kFischerBurmeister;
  double sum = 0.0;
  if (is_fischer || with_slopes) {
    calc_velocities(problem, p, u_);
    for (int i = 0; i < problem.num_blocks(); ++i) {
      const Block& block = problem.blocks[i];
      Row& row = rows_[i];
      const BlockEquation e =
          calc_equation(kind, block, block.law == Law::kSpin ? p[block.normal][0] : 0.0, row.rho_n,
                        row.rho_t, p[i], u_[i]);
      sum += dot(e.F, e.F);
      if (with_slopes) row.A = e.by_u, row.B = e.by_p, row.F = e.F;
    }
  }
  return is_fischer ? 0.5 * sum : calc_residual(problem, p).relative;
}

// (A (W + alpha rho) + B) dp = -F, rows in use only
bool Newton::solve_direction(const ContactProblem& problem, double alpha) {
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
    const Row& row = rows_[i];
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
    direction_[i] = {};
    for (int r = first_[i]; r < first_[i + 1]; ++r) direction_[i].set(r - first_[i], x[r]);
  }
  return true;
}

// Moves p along the direction and returns its merit: the first length that gains enough, halving,
// or the one that harms least.
double Newton::search(EquationKind kind, const ContactProblem& problem, double merit,
                      std::span<Vec3d> p) {
  double least = INFINITY;
  for (double length = 1.0; length > kShortestStep; length *= 0.5) {
    for (std::size_t i = 0; i < p.size(); ++i) trial_[i] = madd(length, direction_[i], p[i]);
    const double reached = calc_merit(kind, problem, trial_, false);
    if (reached < least) {
      least = reached;
      least_.swap(trial_);
    }
    if (least < (1.0 - kEnough[static_cast<int>(kind)] * length) * merit) break;
  }
  if (least < INFINITY) std::copy(least_.begin(), least_.begin() + p.size(), p.begin());
  return least;
}

int Newton::run(const NewtonOptions& how, const ContactProblem& problem, int most_steps,
                double tolerance, double aim, bool (*should_stop)(void*), void* stop_argument,
                std::span<Vec3d> p, double& residual) {
  const EquationKind kind = how.kind;
  const int n = problem.num_blocks();
  std::copy(p.begin(), p.end(), best_.begin());
  double best = residual, best_merit = INFINITY;
  int steps = 0;
  for (int patience = kPatience; patience > 0 && steps < most_steps && best >= aim; --patience) {
    if (should_stop && should_stop(stop_argument)) break;
    ++steps;
    const double merit = calc_merit(kind, problem, p, true);
    if (!solve_direction(problem, how.alpha)) break;
    const double reached = search(kind, problem, merit, p);
    if (!(reached < INFINITY)) break;
    residual = calc_residual(problem, p).relative;
    if (residual < 0.9 * best || reached < 0.9 * best_merit)
      patience = (residual < tolerance ? kPolish : kPatience) + 1;
    best_merit = std::min(best_merit, reached);
    if (residual < best) {
      best = residual;
      std::copy(p.begin(), p.end(), best_.begin());
    }
  }
  std::copy(best_.begin(), best_.begin() + n, p.begin());
  residual = best;
  return steps;
}

}  // namespace stance::solver
