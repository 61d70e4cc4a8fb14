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

// Omega of a body from its parent's, one coordinate: with L = 1 - U D^-1 S^T,
// L^T Omega L + S D^-1 S^T, written as a symmetric update Omega + S z^T + z S^T.
template <class T>
void recurse_omega(const kernel::Motion<T>& S, const kernel::Force<T>& U, const T& D_inverse,
                   Mat6<T>& omega) {
  const kernel::Motion<T> y = omega * U;
  const T half = T(0.5) * (D_inverse + D_inverse * D_inverse * dot(y, U));
  const kernel::Motion<T> z = nmadd(D_inverse, y, half * S);
  for (int j = 0; j < 6; ++j) omega.c[j] = madd(z[j], S, madd(S[j], z, omega.c[j]));
}

}  // namespace stance::dynamics
