#include "stance/solver/dense_newton.h"

#include <algorithm>
#include <cmath>

namespace stance::solver {
namespace {

bool has_part_of_u(const NewtonRow& row) {
  return dot(row.A.c[0], row.A.c[0]) + dot(row.A.c[1], row.A.c[1]) + dot(row.A.c[2], row.A.c[2]) >
         0.0;
}

}  // namespace

int DenseNewton::count_rows(std::span<const Block> blocks) {
  int sum = 0;
  for (const Block& block : blocks) sum += solver::count_rows(block);
  return sum;
}

double DenseNewton::estimate_cost(int num_blocks, int rows) {
  const double n = rows;
  return n * n * n / 40.0 + n * n + 200.0 * num_blocks;
}

void DenseNewton::start(std::span<const Block> blocks, std::span<const Vec3d> q) {
  blocks_ = blocks, q_ = q;
  first_.reserve(kSmall + 1), held_.reserve(kSmall), columns_.reserve(kSmall);
  first_.assign(1, 0);
  for (const Block& block : blocks) first_.push_back(first_.back() + solver::count_rows(block));
  size_ = first_.back(), stride_ = (size_ + 3) / 4 * 4;
  W_.reserve(kSmall * kSmall), p_.reserve(kSmall), du_.reserve(kSmall), system_.reserve(kSmall);
  W_.assign(static_cast<std::size_t>(size_) * stride_, 0.0);
  p_.assign(stride_, 0.0), du_.resize(size_);
}

void DenseNewton::start(const ContactProblem& problem) {
  start(problem.blocks, problem.q);
  const BlockMatrix& W = problem.W;
  for (int i = 0; i < problem.num_blocks(); ++i)
    for (int k = W.row_start[i]; k < W.row_start[i + 1]; ++k) {
      const int j = W.column[k];
      for (int r = first_[i]; r < first_[i + 1]; ++r)
        for (int c = first_[j]; c < first_[j + 1]; ++c)
          row(r)[c] = W.block[k](r - first_[i], c - first_[j]);
    }
  add_compliance(problem.C);
}

// What a unit impulse on every row does to all of them; W is symmetric.
void DenseNewton::start(const BodyProblem& problem, NodeMotions& work) {
  start(problem.blocks, problem.q);
  const int n = problem.num_blocks();
  for (int j = 0; j < n; ++j)
    for (int c = first_[j]; c < first_[j + 1]; ++c) {
      work.V.assign(problem.num_nodes(), {});
      work.w.assign(problem.num_coordinates, 0.0);
      Vec3d unit;
      unit.set(c - first_[j], 1.0);
      push(problem, problem.rows[j], unit, work);
      for (int i = 0; i < n; ++i) {
        const Vec3d u = read_rows(problem.rows[i], work);
        for (int r = first_[i]; r < first_[i + 1]; ++r) row(c)[r] = u[r - first_[i]];
      }
    }
  add_compliance(problem.C);
}

void DenseNewton::add_compliance(const Compliance& C) {
  C.visit([&](int i, int j, const Mat3d& C_ij) {
    for (int r = first_[i]; r < first_[i + 1]; ++r)
      for (int c = first_[j]; c < first_[j + 1]; ++c)
        row(r)[c] += C_ij(r - first_[i], c - first_[j]);
  });
}

Vec3d DenseNewton::own_part(int i) const {
  Vec3d out;
  for (int r = first_[i]; r < first_[i + 1]; ++r) out.set(r - first_[i], row(r)[r]);
  return out;
}

void DenseNewton::calc_velocities(std::span<const Vec3d> p, std::span<Vec3d> u) {
  const int n = static_cast<int>(blocks_.size());
  for (int i = 0; i < n; ++i)
    for (int r = first_[i]; r < first_[i + 1]; ++r) p_[r] = p[i][r - first_[i]];
  for (int i = 0; i < n; ++i) {
    u[i] = q_[i];
    for (int r = first_[i]; r < first_[i + 1]; ++r) {
      kernel::Double4 sum{};
      for (int c = 0; c < stride_; c += 4)
        sum = kernel::fma4(kernel::load4(row(r) + c), kernel::load4(p_.data() + c), sum);
      u[i].set(r - first_[i], q_[i][r - first_[i]] + kernel::sum4(sum));
    }
  }
}

// Blocks whose equation is about their impulse alone, B dp = -F; what that changes goes into du_.
void DenseNewton::solve_alone(std::span<const NewtonRow> rows, std::span<Vec3d> dp) {
  std::fill(du_.begin(), du_.end(), 0.0);
  held_.clear(), columns_.clear();
  for (int i = 0; i < static_cast<int>(blocks_.size()); ++i) {
    if (has_part_of_u(rows[i])) {
      held_.push_back(i);
      for (int r = first_[i]; r < first_[i + 1]; ++r) columns_.push_back(r);
      continue;
    }
    dp[i] = {};
    for (int r = first_[i]; r < first_[i + 1]; ++r) {
      const int k = r - first_[i];
      const double x = -rows[i].F[k] / rows[i].B(k, k);
      dp[i].set(k, x);
      if (x == 0.0) continue;
      for (int c = 0; c < size_; ++c) du_[c] += x * row(c)[r];
    }
  }
}

// (A (W + alpha rho) + B) dp = -F - A du of a block, as rows of the system from `at` on.
void DenseNewton::add_equations(const NewtonRow& equation, double alpha, int block, int at) {
  const int from = first_[block], n = first_[block + 1] - from, m = system_.size();
  const double* w[3];
  for (int c = 0; c < 3; ++c) w[c] = row(from + std::min(c, n - 1));
  for (int r = 0; r < n; ++r) {
    const double a0 = equation.A(r, 0), a1 = n > 1 ? equation.A(r, 1) : 0.0,
                 a2 = n > 2 ? equation.A(r, 2) : 0.0;
    double* to = system_.row(at + r);
    if (m == size_)
      for (int c = 0; c < m; ++c) to[c] = (a0 * w[0][c] + a1 * w[1][c]) + a2 * w[2][c];
    else
      for (int c = 0; c < m; ++c) {
        const int k = columns_[c];
        to[c] = (a0 * w[0][k] + a1 * w[1][k]) + a2 * w[2][k];
      }
    double right = -equation.F[r];
    for (int c = 0; c < n; ++c) {
      const double a = equation.A(r, c), rho = c == 0 ? equation.rho_n : equation.rho_t;
      to[at + c] += equation.B(r, c) + alpha * rho * a;
      right -= a * du_[from + c];
    }
    system_.right(at + r) = right;
  }
}

bool DenseNewton::solve(std::span<const NewtonRow> rows, double alpha, std::span<Vec3d> dp) {
  solve_alone(rows, dp);
  system_.start(static_cast<int>(columns_.size()));
  int at = 0;
  for (const int i : held_) {
    add_equations(rows[i], alpha, i, at);
    at += first_[i + 1] - first_[i];
  }
  if (!system_.solve()) return false;
  const double* x = system_.solution().data();
  for (const int i : held_) {
    dp[i] = {};
    for (int r = first_[i]; r < first_[i + 1]; ++r) dp[i].set(r - first_[i], *x++);
  }
  return true;
}

}  // namespace stance::solver
