#include "stance/solver/dense_system.h"

#include <algorithm>
#include <cmath>

#include "stance/kernel/simd.h"

namespace stance::solver {

using kernel::Double4;
using kernel::fnma4;
using kernel::load4;
using kernel::splat;
using kernel::store4;

namespace {

constexpr int kPanel = 4;  // pivots for which the rest of the matrix is passed over once

int round_up(int n) { return (n + 3) / 4 * 4; }

}  // namespace

void DenseSystem::reserve(int n) {
  const int stride = round_up(n) + 4;
  a_.reserve(static_cast<std::size_t>(n) * stride);
  row_.reserve(n), x_.reserve(n);
}

void DenseSystem::start(int n) {
  n_ = n, right_ = round_up(n), stride_ = right_ + 4;
  a_.resize(static_cast<std::size_t>(n) * stride_);
  row_.resize(n), x_.resize(n);
  for (int i = 0; i < n; ++i) {
    row_[i] = a_.data() + static_cast<std::size_t>(i) * stride_;
    std::fill(row_[i] + n, row_[i] + stride_, 0.0);
  }
}

// Pivots, multipliers and the panel's own columns.
bool DenseSystem::factor_panel(int begin, int end) {
  for (int k = begin; k < end; ++k) {
    int p = k;
    double largest = std::abs(row_[k][k]);
    for (int i = k + 1; i < n_; ++i)
      if (const double size = std::abs(row_[i][k]); size > largest) largest = size, p = i;
    if (!(largest > 0.0)) return false;
    std::swap(row_[k], row_[p]);
    const double* pivot = row_[k];
    const double inverse = 1.0 / pivot[k];
    for (int i = k + 1; i < n_; ++i) {
      double* row = row_[i];
      const double factor = row[k] *= inverse;
      for (int j = k + 1; j < end; ++j) row[j] -= factor * pivot[j];
    }
  }
  return true;
}

// The panel's rows to the right of it.
void DenseSystem::finish_panel(int begin, int end) {
  for (int k = begin + 1; k < end; ++k)
    for (int l = begin; l < k; ++l) {
      const Double4 factor = splat(row_[k][l]);
      const double* from = row_[l];
      double* to = row_[k];
      for (int j = begin + kPanel; j < stride_; j += 4)
        store4(to + j, fnma4(factor, load4(from + j), load4(to + j)));
    }
}

// All rows below, two at a time.
void DenseSystem::update_rest(int begin, int end) {
  const double *u0 = row_[begin], *u1 = row_[begin + 1], *u2 = row_[begin + 2],
               *u3 = row_[begin + 3];
  int i = end;
  for (; i + 1 < n_; i += 2) {
    double *a = row_[i], *b = row_[i + 1];
    const Double4 a0 = splat(a[begin]), a1 = splat(a[begin + 1]), a2 = splat(a[begin + 2]),
                  a3 = splat(a[begin + 3]);
    const Double4 b0 = splat(b[begin]), b1 = splat(b[begin + 1]), b2 = splat(b[begin + 2]),
                  b3 = splat(b[begin + 3]);
    for (int j = end; j < stride_; j += 4) {
      const Double4 x0 = load4(u0 + j), x1 = load4(u1 + j), x2 = load4(u2 + j), x3 = load4(u3 + j);
      store4(a + j, fnma4(a3, x3, fnma4(a2, x2, fnma4(a1, x1, fnma4(a0, x0, load4(a + j))))));
      store4(b + j, fnma4(b3, x3, fnma4(b2, x2, fnma4(b1, x1, fnma4(b0, x0, load4(b + j))))));
    }
  }
  if (i == n_) return;
  double* a = row_[i];
  const Double4 a0 = splat(a[begin]), a1 = splat(a[begin + 1]), a2 = splat(a[begin + 2]),
                a3 = splat(a[begin + 3]);
  for (int j = end; j < stride_; j += 4) {
    const Double4 x0 = load4(u0 + j), x1 = load4(u1 + j), x2 = load4(u2 + j), x3 = load4(u3 + j);
    store4(a + j, fnma4(a3, x3, fnma4(a2, x2, fnma4(a1, x1, fnma4(a0, x0, load4(a + j))))));
  }
}

bool DenseSystem::solve() {
  for (int begin = 0; begin < n_; begin += kPanel) {
    const int end = std::min(begin + kPanel, n_);
    if (!factor_panel(begin, end)) return false;
    finish_panel(begin, end);
    if (end < n_) update_rest(begin, end);
  }
  double sum = 0.0;
  for (int k = n_ - 1; k >= 0; --k) {
    const double* row = row_[k];
    double rest = row[right_];
    for (int j = k + 1; j < n_; ++j) rest -= row[j] * x_[j];
    x_[k] = rest / row[k];
    sum += x_[k];
  }
  return std::isfinite(sum);
}

}  // namespace stance::solver
