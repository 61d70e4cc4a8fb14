#include "stance/collision/cylinder_pair.h"

#include <algorithm>

#include "stance/collision/epa.h"
#include "stance/collision/gjk.h"
#include "stance/collision/segments.h"

namespace stance::collision {

using kernel::dot;
using kernel::norm;

namespace {

// Nearer than this (times the size) distance has no direction left: depth takes over.
constexpr double kTouching = 1e-9;
// A proven face contact up to this deep (times the size) is taken without looking further.
constexpr double kShallow = 0.05;

// Separation of A and B along n (from B to A, in the frame of A), with the points that show it.
void try_axis(const Convex& A, const Convex& B, const RelativePose& X_AB, const Vec3d& n,
              Witness& best) {
  const Support a = find_core_support(A, -n);
  const Support b = find_core_support(B, transpose_mul(X_AB.R_AB, n));
  const Vec3d p_b = madd(X_AB.R_AB, b.p, X_AB.p_AB);
  const double s = dot(n, a.p - p_b);
  if (s > best.separation) best = {n, s, a.p, p_b, feature_name(0, 0x7000, 0x7000)};
}

// The axes on which flat meets flat or straight: caps and faces.
void find_flat_axis(const Convex& A, const Convex& B, const RelativePose& X_AB, Witness& best) {
  best.separation = -1e300;
  if (A.kind == ShapeKind::kCylinder) {
    // the cap that looks at B
    const Vec3d z(0, 0, 1);
    try_axis(A, B, X_AB, X_AB.p_AB[2] > 0.0 ? -z : z, best);
  }
  if (B.kind == ShapeKind::kCylinder) {
    const Vec3d z = X_AB.R_AB.c[2];
    try_axis(A, B, X_AB, dot(z, X_AB.p_AB) > 0.0 ? -z : z, best);
  } else {
    for (int f = 0; f < B.core.face_count; ++f)
      try_axis(A, B, X_AB, X_AB.R_AB * B.core.faces[f].n, best);
  }
}

// The point of a cylinder (in its frame) nearest to c, for c outside; c itself inside.
Vec3d find_nearest(const Convex& cylinder, const Vec3d& c) {
  const double across = std::sqrt(c[0] * c[0] + c[1] * c[1]);
  const double scale = across > cylinder.radius ? cylinder.radius / across : 1.0;
  return Vec3d(scale * c[0], scale * c[1],
               std::clamp(c[2], -cylinder.half_length, cylinder.half_length));
}

// Sphere and cylinder: the nearest point of the cylinder in closed form.
void find_sphere_witness(const Convex& cylinder, const RelativePose& X_AB, Witness& out) {
  // the centre of the sphere in the frame of the cylinder
  const Vec3d c = -transpose_mul(X_AB.R_AB, X_AB.p_AB);
  Vec3d q = find_nearest(cylinder, c), n = c - q;
  double separation = norm(n);
  if (separation > 0.0) {
    n = (1.0 / separation) * n;
  } else {
    // inside: the nearer of side and cap
    const double across = std::sqrt(c[0] * c[0] + c[1] * c[1]);
    const double to_side = cylinder.radius - across, to_cap = cylinder.half_length - std::abs(c[2]);
    separation = -std::min(to_side, to_cap);
    n = to_cap <= to_side ? Vec3d(0, 0, c[2] < 0.0 ? -1.0 : 1.0)
        : across > 0.0    ? Vec3d(c[0] / across, c[1] / across, 0)
                          : Vec3d(1, 0, 0);
    q = c - separation * n;
  }
  out = {X_AB.R_AB * n, separation, Vec3d(), madd(X_AB.R_AB, q, X_AB.p_AB), feature_name(0, 1, 1)};
}

// Nearest points of a segment and a cylinder, in the frame of the cylinder; false when they meet.
// The distance is convex along the segment: the root of its slope by the secant rule, kept in
// bounds and halved when slow (Illinois).
bool find_segment_points(const Convex& cylinder, const Vec3d& p0, const Vec3d& p1, Vec3d& p,
                         Vec3d& q) {
  const Vec3d d = p1 - p0;
  const auto slope = [&](double t) {
    p = madd(t, d, p0);
    q = find_nearest(cylinder, p);
    return dot(p - q, d);
  };
  double low = 0.0, high = 1.0, at_low = slope(low);
  if (at_low < 0.0) {
    double at_high = slope(high);
    if (at_high > 0.0) {
      int last = 0;
      for (int k = 0; k < 150 && high - low > 1e-16; ++k) {
        const double secant = low - at_low * (high - low) / (at_high - at_low);
        const double t = k % 3 == 2 ? 0.5 * (low + high) : secant;
        const double s = slope(t);
        if (s == 0.0) break;
        const int side = s < 0.0 ? -1 : 1;
        if (s < 0.0)
          low = t, at_low = s, at_high *= last == side ? 0.5 : 1.0;
        else
          high = t, at_high = s, at_low *= last == side ? 0.5 : 1.0;
        last = side;
      }
    }
  }
  const Vec3d r = p - q;
  return dot(r, r) > 0.0;
}

// Where one shape is a cylinder and the other touches it with a vertex or an edge, the nearest
// points are found to rounding.
void polish(const Convex& A, const Convex& B, const RelativePose& X_AB, GjkResult& nearest) {
  if (A.kind == B.kind) return;
  const bool B_is_cylinder = B.kind == ShapeKind::kCylinder;
  const Convex &cylinder = B_is_cylinder ? B : A, &other = B_is_cylinder ? A : B;
  const GjkSimplex& s = nearest.simplex;
  const int* vertex = B_is_cylinder ? s.vertex_a : s.vertex_b;
  // the two vertices that carry most; a third that carries nothing is an artefact
  int names[4] = {}, count = 0;
  double weight[4] = {};
  for (int k = 0; k < s.count; ++k) {
    int m = 0;
    while (m < count && names[m] != vertex[k]) ++m;
    if (m == count) names[count] = vertex[k], weight[count++] = 0.0;
    weight[m] += s.weight[k];
  }
  int i = 0, j = -1;
  for (int m = 1; m < count; ++m)
    if (weight[m] > weight[i]) i = m;
  for (int m = 0; m < count; ++m)
    if (m != i && (j < 0 || weight[m] > weight[j])) j = m;
  if (count > 2 && weight[i] + weight[j] < 1.0 - 1e-3) return;  // a face
  i = names[i], j = j < 0 ? i : names[j];
  const auto to_cylinder = [&](const Vec3d& v) {
    return B_is_cylinder ? transpose_mul(X_AB.R_AB, v - X_AB.p_AB) : madd(X_AB.R_AB, v, X_AB.p_AB);
  };
  Vec3d p, q;
  if (!find_segment_points(cylinder, to_cylinder(other.core.vertices[i]),
                           to_cylinder(other.core.vertices[j]), p, q))
    return;
  const double distance = norm(p - q);
  if (!(distance < nearest.distance * (1.0 + 1e-9))) return;  // not that edge
  nearest.distance = distance;
  const Vec3d n = (1.0 / distance) * (p - q);  // from the cylinder
  if (B_is_cylinder) {
    nearest.n = X_AB.R_AB * n;
    nearest.a = madd(X_AB.R_AB, p, X_AB.p_AB);
    nearest.b = madd(X_AB.R_AB, q, X_AB.p_AB);
  } else {
    nearest.n = -n;
    nearest.a = q, nearest.b = p;
  }
}

// Straight across straight: the common normal of a cylinder's or a capsule's axis and another
// cylinder's. Nearly coaxial ones have it for their best axis, among so many of nearly the same
// depth that an expanding polytope gets lost in them.
void try_common_normal(const Convex& A, const Convex& B, const RelativePose& X_AB, Witness& best) {
  const Vec3d z(0, 0, 1), axis = X_AB.R_AB.c[2], across = cross(z, axis);
  const double sine = norm(across);
  if (B.kind != ShapeKind::kCylinder || !(sine > 0.0)) return;
  const double was = best.separation;
  const Vec3d n = (1.0 / sine) * across;
  try_axis(A, B, X_AB, n, best);
  try_axis(A, B, X_AB, -n, best);
  if (!(best.separation > was)) return;
  const SegmentPoints on_axes =
      find_line_points(Vec3d(), z, A.half_length, X_AB.p_AB, axis, B.half_length);
  best.a = nmadd(A.radius, best.n, on_axes.a), best.b = madd(B.radius, best.n, on_axes.b);
}

// Nearest points by distance or depth; false beyond reach.
bool find_curved_witness(const Convex& A, const Convex& B, const RelativePose& X_AB, double reach,
                         Witness& out) {
  GjkResult nearest;
  find_distance(A, B, X_AB, reach, nearest);
  if (nearest.status == GjkStatus::kBeyond) return false;
  const std::uint32_t name = feature_name(0, 0x7000, 0x7000);
  if (nearest.status == GjkStatus::kApart &&
      nearest.distance > kTouching * std::min(A.size, B.size)) {
    polish(A, B, X_AB, nearest);
    out = {nearest.n, nearest.distance, nearest.a, nearest.b, name};
  } else {
    try_common_normal(A, B, X_AB, out);
    EpaResult deepest;
    if (!find_depth(A, B, X_AB, deepest)) return out.separation < reach;
    if (-deepest.depth > out.separation)
      out = {deepest.n, -deepest.depth, deepest.a, deepest.b, name};
  }
  return out.separation < reach;
}

}  // namespace

void find_cylinder_contacts(const Convex& A, const Convex& B, const RelativePose& X_AB,
                            double margin, Manifold& out) {
  out.count = 0;
  const double reach = margin + A.rounding + B.rounding;
  Witness witness;
  if (A.kind == ShapeKind::kSphere) {
    find_sphere_witness(B, X_AB, witness);
    return make_single_contact(A, B, witness, margin, out);
  }

  // flat on flat is proven by its own manifold
  find_flat_axis(A, B, X_AB, witness);
  if (witness.separation >= reach) return;
  if (make_manifold(A, B, X_AB, witness, margin, out) &&
      witness.separation > -kShallow * std::min(A.size, B.size))
    return;
  out.count = 0;
  if (find_curved_witness(A, B, X_AB, reach, witness))
    make_manifold(A, B, X_AB, witness, margin, out);
}

}  // namespace stance::collision
