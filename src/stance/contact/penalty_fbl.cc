#include "stance/contact/penalty_fbl.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/QR>

namespace stance::contact {

using kernel::Mat3d;
using kernel::Vec3d;

namespace {

// Directions that answer this much less than the strongest are ones along which nothing moves: a
// flat foot's inner forces. Rounding leaves them near 1e-15, and mass ratios of 1e6 are 1e-6.
constexpr double kRank = 1e-11;

// What the solution needs, in one size or another.
template <class M, class V>
struct Factors {
  M W, range, inner;
  V right, answer;
  Eigen::ColPivHouseholderQR<M> qr;
  Eigen::LDLT<M> ldlt;
};

// W is symmetric, so its range Q is also where the smallest solution lies: p = Q y, and
// Q^T W Q y = Q^T b is regular.
template <class M, class V>
void solve_minimum_norm(const solver::BlockMatrix& blocks, std::span<const Vec3d> b,
                        Factors<M, V>& f, std::span<Vec3d> p) {
  const int m = static_cast<int>(b.size()), n = 3 * m;
  f.W.resize(n, n), f.right.resize(n);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < m; ++j) {
      const Mat3d& block = blocks.block[blocks.row_start[i] + j];
      for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) f.W(3 * i + r, 3 * j + c) = block.c[c][r];
    }
    for (int r = 0; r < 3; ++r) f.right[3 * i + r] = b[i][r];
  }

  f.qr.setThreshold(kRank);
  f.qr.compute(f.W);
  const int rank = static_cast<int>(f.qr.rank());
  f.range.setIdentity(n, rank);
  // column by column: Eigen asks for memory where it takes several
  for (int k = 0; k < rank; ++k) f.range.col(k).applyOnTheLeft(f.qr.householderQ());

  f.inner.noalias() = f.range.transpose() * f.W.template selfadjointView<Eigen::Lower>() * f.range;
  f.ldlt.compute(f.inner);
  f.answer.noalias() = f.range.transpose() * f.right;
  f.right = f.ldlt.solve(f.answer);
  f.answer.noalias() = f.range * f.right;
  for (int i = 0; i < m; ++i) p[i] = {f.answer[3 * i], f.answer[3 * i + 1], f.answer[3 * i + 2]};
}

}  // namespace

Vec3d calc_wanted_velocity(const PenaltyOptions& options, double h, double gap, const Vec3d& u) {
  const double start = u[0] - h * options.kp * (gap + options.wanted_penetration);
  const double damping = start < 0.0 ? h * options.kv : 0.0;
  const double across = 1.0 / (1.0 + h * options.kv);
  return {start / (1.0 + damping + h * h * options.kp), across * u[1], across * u[2]};
}

Vec3d saturate(double mu, const Vec3d& f) {
  if (f[0] <= 0.0) return {};
  const double limit = mu * f[0], size = std::hypot(f[1], f[2]);
  const double scale = size > limit ? limit / size : 1.0;
  return {f[0], scale * f[1], scale * f[2]};
}

struct MinimumNorm::Work {
  static constexpr int kSize = 3 * kFixed;
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kSize, kSize>;
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kSize, 1>;

  Factors<Matrix, Vector> factors;
};

MinimumNorm::MinimumNorm() = default;
MinimumNorm::~MinimumNorm() = default;
MinimumNorm::MinimumNorm(MinimumNorm&&) noexcept = default;
MinimumNorm& MinimumNorm::operator=(MinimumNorm&&) noexcept = default;

void MinimumNorm::solve(const solver::BlockMatrix& W, std::span<const Vec3d> b,
                        std::span<Vec3d> p) {
  if (static_cast<int>(b.size()) > kFixed) {
    Factors<Eigen::MatrixXd, Eigen::VectorXd> factors;
    solve_minimum_norm(W, b, factors, p);
    return;
  }
  if (!work_) work_ = std::make_unique<Work>();
  solve_minimum_norm(W, b, work_->factors, p);
}

double calc_least_squares_error(const solver::BlockMatrix& W, std::span<const Vec3d> b,
                                std::span<const Vec3d> p, std::vector<Vec3d>& left) {
  const int m = static_cast<int>(b.size());
  const auto multiply = [&](int i, std::span<const Vec3d> x) {
    Vec3d sum;
    for (int j = 0; j < m; ++j) sum += W.block[W.row_start[i] + j] * x[j];
    return sum;
  };
  double error2 = 0.0, W2 = 0.0, b2 = 0.0, moved2 = 0.0;
  left.clear();
  for (int i = 0; i < m; ++i) {
    const Vec3d moved = multiply(i, p);
    left.push_back(moved - b[i]);
    b2 += dot(b[i], b[i]), moved2 += dot(moved, moved);
    for (int j = 0; j < m; ++j)
      for (const Vec3d& column : W.block[W.row_start[i] + j].c) W2 += dot(column, column);
  }
  for (int i = 0; i < m; ++i) {
    const Vec3d error = multiply(i, left);
    error2 += dot(error, error);
  }
  const double scale = std::sqrt(W2) * (std::sqrt(moved2) + std::sqrt(b2));
  return scale > 0.0 ? std::sqrt(error2) / scale : 0.0;
}

}  // namespace stance::contact
