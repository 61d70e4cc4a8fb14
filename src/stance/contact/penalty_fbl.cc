#include "stance/contact/penalty_fbl.h"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>

namespace stance::contact {

using kernel::Mat3d;
using kernel::Vec3d;

namespace {

// Directions that answer this much less than the strongest are ones along which nothing moves: a
// flat foot's inner forces. Rounding leaves them near 1e-15, and mass ratios of 1e6 are 1e-6.
constexpr double kRank = 1e-11;

template <class Matrix, class Vector>
void solve_minimum_norm(const solver::BlockMatrix& blocks, std::span<const Vec3d> b, Matrix& W,
                        Vector& right, Eigen::CompleteOrthogonalDecomposition<Matrix>& factor,
                        std::span<Vec3d> p) {
  const int m = blocks.num_rows();
  W.resize(3 * m, 3 * m), right.resize(3 * m);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < m; ++j) {
      const Mat3d& block = blocks.block[blocks.row_start[i] + j];
      for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) W(3 * i + r, 3 * j + c) = block.c[c][r];
    }
    for (int r = 0; r < 3; ++r) right[3 * i + r] = b[i][r];
  }
  factor.setThreshold(kRank);
  factor.compute(W);
  Vector answer = factor.solve(right);
  for (int i = 0; i < m; ++i) p[i] = {answer[3 * i], answer[3 * i + 1], answer[3 * i + 2]};
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

  Matrix W;
  Vector right;
  Eigen::CompleteOrthogonalDecomposition<Matrix> factor;
};

MinimumNorm::MinimumNorm() = default;
MinimumNorm::~MinimumNorm() = default;
MinimumNorm::MinimumNorm(MinimumNorm&&) noexcept = default;
MinimumNorm& MinimumNorm::operator=(MinimumNorm&&) noexcept = default;

void MinimumNorm::solve(const solver::BlockMatrix& W, std::span<const Vec3d> b,
                        std::span<Vec3d> p) {
  if (W.num_rows() > kFixed) {
    Eigen::MatrixXd dense;
    Eigen::VectorXd right;
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factor;
    solve_minimum_norm(W, b, dense, right, factor, p);
    return;
  }
  if (!work_) work_ = std::make_unique<Work>();
  solve_minimum_norm(W, b, work_->W, work_->right, work_->factor, p);
}

}  // namespace stance::contact
