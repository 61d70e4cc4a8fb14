#include <algorithm>

#include "stance/collision/sat.h"
#include "stance/collision/segments.h"
#include "stance/kernel/simd.h"

namespace stance::collision {

using kernel::cross;
using kernel::dot;
using kernel::Double4;
using kernel::fma4;
using kernel::fms4;
using kernel::Long4;
using kernel::splat;
using kernel::yzx;

namespace {

// Edge axes of directions closer than this (rad) are left out: they are face axes then.
constexpr double kParallel2 = 1e-14;
// An edge axis must beat the faces by this much (times the size).
constexpr double kEdgeBias = 1e-10;

Double4 absolute(Double4 a) { return a < 0.0 ? -a : a; }
Double4 zxy(Double4 a) { return __builtin_shufflevector(a, a, 2, 0, 1, 3); }
Double4 root(Double4 a) { return Double4{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), 1.0}; }

struct Axis {
  double separation = -1e300;
  int index = -1;
};

void keep_best(Double4 s, int first, double bias, Axis& best) {
  for (int k = 0; k < 3; ++k)
    if (s[k] > best.separation + bias) best = {s[k], first + k};
}

// Is a box farther than margin from the bounding box of the other? Its separations along the three
// square axes add up: diagonal neighbours are told apart at once.
bool is_beyond(Double4 s, double margin) {
  const Double4 apart = s > 0.0 ? s : splat(0.0);
  return s[0] > margin || s[1] > margin || s[2] > margin ||
         (margin >= 0.0 && kernel::sum4(apart * apart) > margin * margin);
}

// Closest points of the edges of A and B, along axes i and j, that face each other along n.
void find_edge_points(const Convex& A, const Convex& B, const RelativePose& X_AB, int i, int j,
                      Witness& out) {
  const Vec3d n_B = transpose_mul(X_AB.R_AB, out.n);
  Vec3d a, b;
  int corner_a = 0, corner_b = 0;
  for (int k = 0; k < 3; ++k) {
    const bool up_a = k != i && out.n[k] < 0.0, up_b = k != j && n_B[k] > 0.0;
    a.set(k, k == i ? 0.0 : up_a ? A.half[k] : -A.half[k]);
    b.set(k, k == j ? 0.0 : up_b ? B.half[k] : -B.half[k]);
    corner_a |= up_a << k, corner_b |= up_b << k;
  }
  Vec3d axis_a;
  axis_a.set(i, 1.0);
  const SegmentPoints points = find_line_points(a, axis_a, A.half[i], madd(X_AB.R_AB, b, X_AB.p_AB),
                                                X_AB.R_AB.c[j], B.half[j]);
  out.a = points.a, out.b = points.b;
  out.name = feature_name(kEdges, 64 + 8 * i + corner_a, 64 + 8 * j + corner_b);
}

}  // namespace

bool find_box_box_axis(const Convex& A, const Convex& B, const RelativePose& X_AB, double margin,
                       Witness& out) {
  // C_ij = a_i . b_j by columns and by rows, and their absolute values
  const Mat3d& C = X_AB.R_AB;
  const Mat3d Ct = transpose(C);
  const Vec3d& t = X_AB.p_AB;
  const Double4 a = A.half.e, b = B.half.e;
  const Double4 C0 = absolute(C.c[0].e), C1 = absolute(C.c[1].e), C2 = absolute(C.c[2].e);
  const Double4 R0 = absolute(Ct.c[0].e), R1 = absolute(Ct.c[1].e), R2 = absolute(Ct.c[2].e);
  Axis best;

  // faces of A: |t_i| - a_i - sum_j |C_ij| b_j
  const Double4 s_A =
      absolute(t.e) - a - fma4(splat(b[0]), C0, fma4(splat(b[1]), C1, splat(b[2]) * C2));
  keep_best(s_A, 0, 0.0, best);
  if (is_beyond(s_A, margin)) return false;

  // faces of B: |t . b_j| - b_j - sum_i |C_ij| a_i
  const Vec3d t_B = transpose_mul(C, t);
  const Double4 s_B =
      absolute(t_B.e) - b - fma4(splat(a[0]), R0, fma4(splat(a[1]), R1, splat(a[2]) * R2));
  const double bias = kEdgeBias * std::min(A.size, B.size);
  keep_best(s_B, 3, bias, best);
  if (is_beyond(s_B, margin)) return false;

  // edges a_i x b_j, three at a time: lanes are i
  const Double4 a1 = yzx(a), a2 = zxy(a), t1 = yzx(t.e), t2 = zxy(t.e);
  const Double4 column[3] = {C.c[0].e, C.c[1].e, C.c[2].e}, column_abs[3] = {C0, C1, C2};
  for (int j = 0; j < 3; ++j) {
    const int j1 = j == 2 ? 0 : j + 1, j2 = j == 0 ? 2 : j - 1;
    const Double4 c1 = yzx(column[j]), c2 = zxy(column[j]);
    const Double4 length2 = fma4(c1, c1, c2 * c2);
    const Double4 distance = absolute(fms4(t2, c1, t1 * c2));
    const Double4 reach_A = fma4(a1, absolute(c2), a2 * absolute(c1));
    const Double4 reach_B = fma4(splat(b[j1]), column_abs[j2], splat(b[j2]) * column_abs[j1]);
    const Long4 usable = length2 > kParallel2;
    const Double4 s = (distance - reach_A - reach_B) / root(usable ? length2 : splat(1.0));
    keep_best(usable ? s : splat(-1e300), 6 + 3 * j, bias, best);
  }
  if (best.separation > margin) return false;

  // the normal from B to A, and points on the axis
  out.separation = best.separation;
  if (best.index < 3) {
    out.n = Vec3d();
    out.n.set(best.index, t[best.index] > 0.0 ? -1.0 : 1.0);
  } else if (best.index < 6) {
    const int j = best.index - 3;
    out.n = t_B[j] > 0.0 ? -C.c[j] : C.c[j];
  } else {
    const int j = (best.index - 6) / 3, i = (best.index - 6) % 3;
    Vec3d e;
    e.set(i, 1.0);
    const Vec3d axis = cross(e, C.c[j]);
    out.n = (dot(axis, t) > 0.0 ? -1.0 : 1.0) / norm(axis) * axis;
    find_edge_points(A, B, X_AB, i, j, out);
    return true;
  }
  if (best.index < 3) {
    const Support s = find_core_support(B, transpose_mul(C, out.n));
    out.b = madd(C, s.p, t);
    out.a = madd(best.separation, out.n, out.b);
    out.name = feature_name(kVertexOfB, 0, s.vertex);
  } else {
    const Support s = find_core_support(A, -out.n);
    out.a = s.p;
    out.b = madd(-best.separation, out.n, out.a);
    out.name = feature_name(kVertexOfA, s.vertex, 0);
  }
  return true;
}

}  // namespace stance::collision
