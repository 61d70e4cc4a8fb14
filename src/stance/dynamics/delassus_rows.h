#pragma once

// Six rows at once: the algebra that all propagation methods share.
//
// A 6xN matrix of forces or motions on one body is kept by rows, row i holding coordinate i of
// all N columns (N = 3 in a Vec3, 6 in a Motion). Sums over coordinates then run down the rows,
// with the factors S_i and U_i as plain scalars, and never across a vector.

#include "stance/kernel/spatial.h"

namespace stance::dynamics {

using kernel::Mat6;
using kernel::Vec3;

// sum_i a_i row_i for a spatial vector a = (ang, lin)
template <class T, class Row>
Row combine(const Vec3<T>& ang, const Vec3<T>& lin, const Row* row) {
  const Row first = madd(ang[2], row[2], madd(ang[1], row[1], ang[0] * row[0]));
  const Row second = madd(lin[2], row[5], madd(lin[1], row[4], lin[0] * row[3]));
  return first + second;
}

// row_i -= a_i g
template <class T, class Row>
void deflate(const Vec3<T>& ang, const Vec3<T>& lin, const Row& g, Row* row) {
  for (int i = 0; i < 3; ++i) {
    row[i] = nmadd(ang[i], g, row[i]);
    row[3 + i] = nmadd(lin[i], g, row[3 + i]);
  }
}

// row_i += a_i g
template <class T, class Row>
void inflate(const Vec3<T>& ang, const Vec3<T>& lin, const Row& g, Row* row) {
  for (int i = 0; i < 3; ++i) {
    row[i] = madd(ang[i], g, row[i]);
    row[3 + i] = madd(lin[i], g, row[3 + i]);
  }
}

// out_i = sum_j m(i, j) row_j
template <class T, class Row>
void multiply(const Mat6<T>& m, const Row* row, Row* out) {
  for (int i = 0; i < 6; ++i) {
    // m is symmetric where this is used: row i is column i
    out[i] = combine(m.c[i].ang, m.c[i].lin, row);
  }
}

// a^T B, column by column
template <class T>
kernel::Motion<T> column_products(const kernel::Force<T>& a, const Mat6<T>& B) {
  return {{dot(B.c[0], a), dot(B.c[1], a), dot(B.c[2], a)},
          {dot(B.c[3], a), dot(B.c[4], a), dot(B.c[5], a)}};
}
inline kernel::Motion<double> column_products(const kernel::Force<double>& a,
                                              const Mat6<double>& B) {
  const auto product = [&](int j) {
    return kernel::fma4(B.c[j].lin.e, a.lin.e, B.c[j].ang.e * a.ang.e);
  };
  const kernel::Double4 zero{};
  return {Vec3<double>(kernel::sum4x4(product(0), product(1), product(2), zero)),
          Vec3<double>(kernel::sum4x4(product(3), product(4), product(5), zero))};
}

// Omega of a body from its parent's, one coordinate: with L = 1 - U D^-1 S^T,
// L^T (Omega L) + S D^-1 S^T, one side after the other. The symmetric update Omega + S z^T + z S^T
// is a third cheaper but keeps the rounding of a parent that moves much more easily than its child:
// on a biped of 75 kg whose base is a foot of 1 kg it leaves seven digits fewer.
template <class T>
void recurse_omega(const kernel::Motion<T>& S, const kernel::Force<T>& U, const T& D_inverse,
                   Mat6<T>& omega) {
  const kernel::Motion<T> y = D_inverse * (omega * U);
  for (int j = 0; j < 6; ++j) omega.c[j] = nmadd(S[j], y, omega.c[j]);
  const kernel::Motion<T> z = D_inverse * (S - column_products(U, omega));
  for (int j = 0; j < 6; ++j) omega.c[j] = madd(z[j], S, omega.c[j]);
}

}  // namespace stance::dynamics
