#include "stance/solver/anderson.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

namespace stance::solver {

using kernel::Vec3d;

namespace {

constexpr double kRelativeRegularisation = 1e-10;
constexpr double kLargestWeight = 1e4;

}  // namespace

void Anderson::start(int size) {
  size_ = size;
  for (auto* a : {&last_g_, &last_f_}) a->resize(size);
  for (auto* a : {&dg_, &df_}) a->resize(static_cast<std::size_t>(size) * kMemory);
  restart();
}

void Anderson::propose(std::span<const Vec3d> x, std::span<const Vec3d> g, std::span<Vec3d> next) {
  using kernel::Double4, kernel::fma4, kernel::sum4;
  if (!has_last_) {
    for (int i = 0; i < size_; ++i) {
      last_f_[i] = g[i] - x[i];
      next[i] = last_g_[i] = g[i];
    }
    has_last_ = true;
    return;
  }

  // the newest difference takes the place of the oldest; its products with all, and theirs with f
  const int slot = count_ % kMemory;
  ++count_;
  const int n = std::min(count_, kMemory);
  Double4 with_new[kMemory] = {}, with_f[kMemory] = {};
  for (int i = 0; i < size_; ++i) {
    Vec3d* df = df_.data() + std::size_t(i) * kMemory;
    const Vec3d f = g[i] - x[i];
    dg_[std::size_t(i) * kMemory + slot] = g[i] - last_g_[i];
    const Vec3d newest = df[slot] = f - last_f_[i];
    last_g_[i] = g[i];
    last_f_[i] = f;
    for (int k = 0; k < n; ++k) {
      with_new[k] = fma4(df[k].e, newest.e, with_new[k]);
      with_f[k] = fma4(df[k].e, f.e, with_f[k]);
    }
  }
  for (int k = 0; k < n; ++k) gram_[slot][k] = gram_[k][slot] = sum4(with_new[k]);

  // weights that make f - sum w df smallest
  using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMemory, kMemory>;
  using Column = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMemory, 1>;
  Square A(n, n);
  Column c(n);
  for (int i = 0; i < n; ++i) {
    c[i] = sum4(with_f[i]);
    for (int j = 0; j < n; ++j) A(i, j) = gram_[i][j];
    A(i, i) *= 1.0 + kRelativeRegularisation;
    if (A(i, i) == 0.0) A(i, i) = 1.0;
  }
  const Column w = A.ldlt().solve(c);
  if (!(w.norm() < kLargestWeight)) {
    restart();
    std::copy(g.begin(), g.end(), next.begin());
    return;
  }
  for (int i = 0; i < size_; ++i) {
    const Vec3d* dg = dg_.data() + std::size_t(i) * kMemory;
    Vec3d sum = g[i];
    for (int k = 0; k < n; ++k) sum = nmadd(w[k], dg[k], sum);
    next[i] = sum;
  }
}

}  // namespace stance::solver
