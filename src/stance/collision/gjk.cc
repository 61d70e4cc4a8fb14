#include "stance/collision/gjk.h"

#include <algorithm>

namespace stance::collision {

using kernel::cross;
using kernel::dot;
using kernel::norm;

namespace {

constexpr int kMaxIterations = 100;
constexpr double kRelativeGap = 1e-14;   // of the squared distance, between upper and lower bound
constexpr double kOverlapSlack = 1e-14;  // times the size: closer than this is contact

void keep(GjkSimplex& s, const int* chosen, int count) {
  // chosen ascends: copies never overwrite what is still needed
  for (int k = 0; k < count; ++k) {
    const int from = chosen[k];
    if (from == k) continue;
    s.w[k] = s.w[from], s.a[k] = s.a[from], s.b[k] = s.b[from];
    s.vertex_a[k] = s.vertex_a[from], s.vertex_b[k] = s.vertex_b[from];
    s.weight[k] = s.weight[from];
  }
  s.count = count;
}

// The point of a face of the simplex nearest to the origin: which vertices carry it, how much.
struct Nearest {
  double distance2 = 1e300;
  Vec3d v;
  int chosen[3];
  double weight[3];
  int count = 0;
};

void try_point(const GjkSimplex& s, int i, Nearest& best) {
  const double d2 = dot(s.w[i], s.w[i]);
  if (d2 < best.distance2) best = {d2, s.w[i], {i}, {1.0}, 1};
}

void try_segment(const GjkSimplex& s, int i, int j, Nearest& best) {
  const Vec3d e = s.w[j] - s.w[i];
  const double e2 = dot(e, e), t = -dot(s.w[i], e);
  if (!(e2 > 0.0) || t <= 0.0) return try_point(s, i, best);
  if (t >= e2) return try_point(s, j, best);
  const double u = t / e2;
  const Vec3d v = madd(u, e, s.w[i]);
  const double d2 = dot(v, v);
  if (d2 < best.distance2) best = {d2, v, {i, j}, {1.0 - u, u}, 2};
}

void try_triangle(const GjkSimplex& s, int i, int j, int k, Nearest& best) {
  const Vec3d &a = s.w[i], &b = s.w[j], &c = s.w[k];
  const Vec3d n = cross(b - a, c - a);
  const double n2 = dot(n, n);
  // areas of the triangles with the origin's projection
  const double wa = dot(cross(b, c), n), wb = dot(cross(c, a), n), wc = dot(cross(a, b), n);
  if (n2 > 0.0 && wa > 0.0 && wb > 0.0 && wc > 0.0) {
    const Vec3d v = (dot(a, n) / n2) * n;
    const double d2 = dot(v, v), sum = wa + wb + wc;
    if (d2 < best.distance2) best = {d2, v, {i, j, k}, {wa / sum, wb / sum, wc / sum}, 3};
    return;
  }
  try_segment(s, i, j, best);
  try_segment(s, i, k, best);
  try_segment(s, j, k, best);
}

// Does the tetrahedron hold the origin? Otherwise its nearest face is tried.
bool holds_origin(const GjkSimplex& s, Nearest& best) {
  // corners ascend, as keep() wants them
  constexpr int kFaces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
  bool inside = true;
  for (const auto& f : kFaces) {
    const Vec3d n = cross(s.w[f[1]] - s.w[f[0]], s.w[f[2]] - s.w[f[0]]);
    const double origin = -dot(n, s.w[f[0]]), other = dot(n, s.w[f[3]] - s.w[f[0]]);
    if (origin * other > 0.0) continue;
    inside = false;
    try_triangle(s, f[0], f[1], f[2], best);
  }
  return inside;
}

}  // namespace

void add_support(const Convex& A, const Convex& B, const RelativePose& X_AB, const Vec3d& d,
                 GjkSimplex& s) {
  const Support a = find_core_support(A, d);
  const Support b = find_core_support(B, -transpose_mul(X_AB.R_AB, d));
  const int k = s.count++;
  s.a[k] = a.p;
  s.b[k] = madd(X_AB.R_AB, b.p, X_AB.p_AB);
  s.w[k] = s.a[k] - s.b[k];
  s.vertex_a[k] = a.vertex, s.vertex_b[k] = b.vertex;
}

void find_distance(const Convex& A, const Convex& B, const RelativePose& X_AB, double beyond,
                   GjkResult& out) {
  GjkSimplex& s = out.simplex;
  s.count = 0;
  Vec3d v = A.p_GC - madd(X_AB.R_AB, B.p_GC, X_AB.p_AB);
  if (!(dot(v, v) > 0.0)) v = Vec3d(1, 0, 0);
  add_support(A, B, X_AB, -v, s);
  s.weight[0] = 1.0;
  v = s.w[0];
  double d2 = dot(v, v);
  const double tiny = kOverlapSlack * (A.size + B.size);
  out.status = GjkStatus::kApart;

  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    if (d2 <= tiny * tiny) return void(out.status = GjkStatus::kOverlap);
    add_support(A, B, X_AB, -v, s);
    const int last = s.count - 1;
    const double bound = dot(v, s.w[last]);  // |v| times a lower bound of the distance

    // far enough, near enough, or a vertex met before
    if (bound > 0.0 && bound * bound > beyond * beyond * d2 && beyond >= 0.0)
      return void(out.status = GjkStatus::kBeyond);
    bool known = d2 - bound <= kRelativeGap * d2;
    for (int k = 0; k < last && !known; ++k) {
      const Vec3d e = s.w[k] - s.w[last];
      known = dot(e, e) == 0.0;
    }
    if (known) {
      --s.count;
      break;
    }

    // the nearest point of the larger simplex
    Nearest best;
    switch (s.count) {
      case 2: try_segment(s, 0, 1, best); break;
      case 3: try_triangle(s, 0, 1, 2, best); break;
      default:
        // a plane between the cores says otherwise: the tetrahedron is flat, and its sides rounding
        if (holds_origin(s, best) && !(bound > tiny * std::sqrt(d2)))
          return void(out.status = GjkStatus::kOverlap);
    }
    if (!(best.distance2 < d2)) {  // no progress: rounding
      --s.count;
      break;
    }
    for (int k = 0; k < best.count; ++k) s.weight[best.chosen[k]] = best.weight[k];
    keep(s, best.chosen, best.count);
    v = best.v;
    d2 = best.distance2;
  }

  out.distance = std::sqrt(d2);
  out.n = (1.0 / out.distance) * v;
  out.a = out.b = Vec3d();
  for (int k = 0; k < s.count; ++k) {
    out.a = madd(s.weight[k], s.a[k], out.a);
    out.b = madd(s.weight[k], s.b[k], out.b);
  }
}

}  // namespace stance::collision
