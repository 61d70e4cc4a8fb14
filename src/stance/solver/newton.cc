#include "stance/solver/newton.h"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>
#include <Eigen/SparseLU>

#include "stance/solver/residual.h"

namespace stance::solver {
namespace {

constexpr double kAlpha = 1e-10;
constexpr double kShortestStep = 1e-3;
constexpr double kHelps = 0.1;      // a step of this length must shrink the residual by that part
constexpr int kPatience = 8;        // steps without a new best point,
constexpr int kPolish = 2;          // and once the tolerance is reached
constexpr double kMargin = 0.01;    // of the tolerance: what it aims at, for the way into the cones
constexpr int kDenseUpTo = 60;      // blocks: a dense factor is faster
constexpr double kDenseFill = 0.3;  // of the blocks of W

}  // namespace

// The linear system, dense when it is small or full.
struct Newton::LinearSolver {
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

Newton::Newton() : linear_(std::make_unique<LinearSolver>()) {}
Newton::~Newton() = default;

void Newton::start(const ContactProblem& problem) {
  const int n = problem.num_blocks();
  rows_.resize(n);
  for (auto* a : {&u_, &direction_, &trial_, &nearest_, &best_}) a->resize(n);
  for (int i = 0; i < n; ++i) {
    const Mat3d& W = problem.W.block[problem.W.diagonal[i]];
    const double tangential = 0.5 * (W(1, 1) + W(2, 2));
    rows_[i].rho_n = W(0, 0) > 0.0 ? 1.0 / W(0, 0) : 1.0;
    rows_[i].rho_t = tangential > 0.0 ? 1.0 / tangential : rows_[i].rho_n;
  }
}

bool Newton::is_dense(const ContactProblem& problem) {
  const double n = problem.num_blocks();
  return n <= kDenseUpTo || static_cast<double>(problem.W.block.size()) > kDenseFill * n * n;
}

void Newton::linearise(const Block& block, double normal, const Vec3d& p, const Vec3d& u,
                       Row& row) const {
  // rows that are unused, open or at a fixed bound: p = target, F = p - target
  const auto fix = [&](int r, double target) {
    row.A.c[r] = {};
    row.B.c[r] = {};
    row.B.c[r].set(r, 1.0);
    row.F.set(r, p[r] - target);
  };
  // rows that hold: F = rho u
  const auto hold = [&](int r) {
    const double rho = r == 0 ? row.rho_n : row.rho_t;
    row.A.c[r] = {};
    row.A.c[r].set(r, rho);
    row.B.c[r] = {};
    row.F.set(r, rho * u[r]);
  };
  // rows 1 and 2 on the circle of this radius, which grows by `slope` with x_N
  const double x_n = p[0] - row.rho_n * u[0];
  const auto bound = [&](double radius, double slope) {
    const double x1 = p[1] - row.rho_t * u[1], x2 = p[2] - row.rho_t * u[2];
    const double length = std::sqrt(x1 * x1 + x2 * x2);
    hold(1), hold(2);
    if (length <= radius) return;
    const double e1 = x1 / length, e2 = x2 / length, k = radius / length;
    // G = k (1 - e e^T), the slope of radius x / |x|
    const double g11 = k * (1.0 - e1 * e1), g12 = -k * e1 * e2, g22 = k * (1.0 - e2 * e2);
    row.F.set(1, p[1] - radius * e1), row.F.set(2, p[2] - radius * e2);
    row.A.c[1] = row.rho_t * Vec3d(0.0, g11, g12);
    row.A.c[2] = row.rho_t * Vec3d(0.0, g12, g22);
    row.B.c[1] = Vec3d(0.0, 1.0 - g11, -g12);
    row.B.c[2] = Vec3d(0.0, -g12, 1.0 - g22);
    row.A.c[0] += slope * row.rho_n * Vec3d(0.0, e1, e2);
    row.B.c[0] += -slope * Vec3d(0.0, e1, e2);
  };
  switch (block.law) {
    case Law::kContact:
      hold(0);
      bound(block.mu * x_n, block.mu);
      return;
    case Law::kSpin: {
      // the load is taken as given: its change is left to the next step
      const double torsion = block.mu * std::max(normal, 0.0);
      std::abs(x_n) <= torsion ? hold(0) : fix(0, std::copysign(torsion, x_n));
      bound(block.mu_rolling * std::max(normal, 0.0), 0.0);
      return;
    }
    case Law::kBilateral:
      for (int r = 0; r < 3; ++r) r < block.rows ? hold(r) : fix(r, 0.0);
      return;
    case Law::kUnilateral: hold(0), fix(1, 0.0), fix(2, 0.0); return;
    case Law::kBox:
      std::abs(x_n) <= block.bound ? hold(0) : fix(0, std::copysign(block.bound, x_n));
      fix(1, 0.0), fix(2, 0.0);
      return;
  }
}

bool Newton::solve_direction(const ContactProblem& problem, std::span<const Vec3d> p) {
  const int n = problem.num_blocks();
  const BlockMatrix& W = problem.W;
  calc_velocities(problem, p, u_);

  // who takes part; the others go to zero at once
  int size = 0;
  for (int i = 0; i < n; ++i) {
    const Block& block = problem.blocks[i];
    Row& row = rows_[i];
    const bool is_one_sided = block.law == Law::kContact || block.law == Law::kUnilateral;
    direction_[i] = {};
    if (is_one_sided && p[i][0] - row.rho_n * u_[i][0] <= 0.0) {
      row.slot = -1;
      direction_[i] = -p[i];
    } else {
      row.slot = size++;
      linearise(block, block.law == Law::kSpin ? p[block.normal][0] : 0.0, p[i], u_[i], row);
    }
  }
  if (size == 0) return true;

  // (A (W + alpha / rho) + B) dp = -F - A W dp_open
  LinearSolver& linear = *linear_;
  const bool is_dense = Newton::is_dense(problem);
  linear.right.resize(3 * size);
  linear.triplets.clear();
  if (is_dense) linear.dense.setZero(3 * size, 3 * size);
  for (int i = 0; i < n; ++i) {
    const Row& row = rows_[i];
    if (row.slot < 0) continue;
    Vec3d from_open;
    for (int k = W.row_start[i]; k < W.row_start[i + 1]; ++k) {
      const int j = W.column[k];
      if (rows_[j].slot < 0) {
        from_open = madd(W.block[k], direction_[j], from_open);
        continue;
      }
      Mat3d entry = row.A * W.block[k];
      if (i == j) {
        entry += row.B;
        entry.c[0] = madd(kAlpha / row.rho_n, row.A.c[0], entry.c[0]);
        for (int c = 1; c < 3; ++c) entry.c[c] = madd(kAlpha / row.rho_t, row.A.c[c], entry.c[c]);
      }
      for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) {
          const int at_row = 3 * row.slot + r, at_column = 3 * rows_[j].slot + c;
          if (is_dense)
            linear.dense(at_row, at_column) = entry(r, c);
          else if (entry(r, c) != 0.0)
            linear.triplets.emplace_back(at_row, at_column, entry(r, c));
        }
    }
    const Vec3d right = -row.F - row.A * from_open;
    for (int r = 0; r < 3; ++r) linear.right[3 * row.slot + r] = right[r];
  }
  if (!linear.solve(is_dense)) return false;
  for (int i = 0; i < n; ++i)
    if (const int s = 3 * rows_[i].slot; s >= 0)
      direction_[i] = Vec3d(linear.x[s], linear.x[s + 1], linear.x[s + 2]);
  return true;
}

// Moves p along the direction and returns its residual: the first length that helps, halving, or
// the one that harms least.
double Newton::search(const ContactProblem& problem, bool inside, std::span<Vec3d> p,
                      double residual) {
  double least = INFINITY;
  for (double length = 1.0; length > kShortestStep; length *= 0.5) {
    for (std::size_t i = 0; i < p.size(); ++i) trial_[i] = madd(length, direction_[i], p[i]);
    if (inside) project_impulses(problem.blocks, trial_);
    const double graded = calc_residual(problem, trial_).relative;
    if (graded < least) {
      least = graded;
      nearest_.swap(trial_);
    }
    if (least < (1.0 - kHelps * length) * residual) break;
  }
  if (least < INFINITY) std::copy(nearest_.begin(), nearest_.end(), p.begin());
  return least;
}

int Newton::run(const ContactProblem& problem, int most_steps, double tolerance,
                bool (*should_stop)(void*), void* stop_argument, std::span<Vec3d> p,
                double& residual) {
  best_.assign(p.begin(), p.end());
  double best = residual;
  int steps = 0;
  // across the cones' outside first, then, where that leads nowhere, along their inside
  for (const bool inside : {false, true}) {
    if (best < tolerance) break;
    std::copy(best_.begin(), best_.end(), p.begin());
    residual = best;
    for (int patience = kPatience;
         patience > 0 && steps < most_steps && best >= kMargin * tolerance;) {
      if (should_stop && should_stop(stop_argument)) break;
      ++steps;
      if (!solve_direction(problem, p)) break;
      residual = search(problem, inside, p, residual);
      if (!(residual < INFINITY)) break;
      --patience;
      if (residual < 0.9 * best) patience = residual < tolerance ? kPolish : kPatience;
      if (residual < best) {
        best = residual;
        std::copy(p.begin(), p.end(), best_.begin());
      }
    }
  }
  std::copy(best_.begin(), best_.end(), p.begin());
  residual = best;
  return steps;
}

}  // namespace stance::solver
