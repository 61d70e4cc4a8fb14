#include "stance/collision/convex_pair.h"

#include <algorithm>

#include "stance/collision/cylinder_pair.h"
#include "stance/collision/gjk.h"
#include "stance/collision/sat.h"
#include "stance/collision/segments.h"

namespace stance::collision {

using kernel::dot;
using kernel::norm;

namespace {

// Distances below this (times the size) are taken from the separating axis: the difference of two
// nearest points has no direction left there.
constexpr double kTouching = 1e-9;
// The axis is exact when the features overlap that far along it.
constexpr double kCertified = 1e-12;

// Where no direction exists (concentric spheres) the normal is the z axis of A.
Vec3d direction_or_z(const Vec3d& v, double length) {
  return length > 0.0 ? (1.0 / length) * v : Vec3d(0, 0, 1);
}

void set_rounded(const Vec3d& a, const Vec3d& b, std::uint32_t name, Witness& out) {
  const Vec3d d = a - b;
  const double distance = norm(d);
  out = {direction_or_z(d, distance), distance, a, b, name};
}

// Sphere or capsule against sphere or capsule: points and segments.
void find_rounded_witness(const Convex& A, const Convex& B, const RelativePose& X_AB,
                          Witness& out) {
  const Vec3d z(0, 0, 1);
  const SegmentPoints points =
      find_line_points(Vec3d(), z, A.half_length, X_AB.p_AB, X_AB.R_AB.c[2], B.half_length);
  set_rounded(points.a, points.b, feature_name(0, 0, 0), out);
  // the axes meet: any direction square to both, or to the only or common one, is a normal
  if (out.separation <= kTouching * std::max(A.size, B.size) &&
      (A.half_length > 0.0 || B.half_length > 0.0)) {
    const Vec3d axis = B.half_length > 0.0 ? X_AB.R_AB.c[2] : z;
    Vec3d n = A.half_length > 0.0 ? cross(z, axis) : Vec3d();
    // the product is square to both to the last bit however small it is
    if (!(norm(n) > 1e-14))
      n = cross(std::abs(axis[0]) < 0.6 ? Vec3d(1, 0, 0) : Vec3d(0, 1, 0), axis);
    out.n = (1.0 / norm(n)) * n;
  }
}

// Sphere and box: the nearest point of the box, or its nearest face when the centre is inside.
void find_sphere_box_witness(const Convex& box, const RelativePose& X_AB, Witness& out) {
  const Vec3d c = -transpose_mul(X_AB.R_AB, X_AB.p_AB);
  const kernel::Double4 h = box.half.e;
  const kernel::Double4 below = c.e < -h ? -h : c.e;
  const Vec3d q(below > h ? h : below);
  const Vec3d r = c - q;
  const double distance = norm(r);
  if (distance > 0.0) {
    out = {X_AB.R_AB * ((1.0 / distance) * r), distance, Vec3d(), madd(X_AB.R_AB, q, X_AB.p_AB),
           feature_name(kVertexOfA, 0, 0)};
    return;
  }
  int axis = 0;
  for (int k = 1; k < 3; ++k)
    if (h[k] - std::abs(c[k]) < h[axis] - std::abs(c[axis])) axis = k;
  const Vec3d n = (c[axis] < 0.0 ? -1.0 : 1.0) * X_AB.R_AB.c[axis];
  const double depth = h[axis] - std::abs(c[axis]);
  out = {n, -depth, Vec3d(), depth * n, feature_name(kVertexOfA, 0, 0)};
}

bool has_cylinder(const Convex& A, const Convex& B) {
  return A.kind == ShapeKind::kCylinder || B.kind == ShapeKind::kCylinder;
}
bool is_rounded(const Convex& shape) { return shape.kind <= ShapeKind::kCapsule; }

std::uint32_t simplex_name(const GjkSimplex& s) {
  int a = 0, b = 0;
  for (int k = 0; k < s.count; ++k) a += 37 * s.vertex_a[k] + 1, b += 37 * s.vertex_b[k] + 1;
  return feature_name(0, a, b);
}

// The separating axis of two polyhedra; exact points unless the shapes are apart.
bool find_axis(const Convex& A, const Convex& B, const RelativePose& X_AB, double reach,
               Witness& out) {
  const bool boxes = A.kind == ShapeKind::kBox && B.kind == ShapeKind::kBox;
  const bool near = boxes ? find_box_box_axis(A, B, X_AB, reach, out)
                          : find_polyhedra_axis(A, B, X_AB, reach, out);
  return near && out.separation < reach;
}

// Replaces an axis between separated shapes by the nearest points; false when these are too far.
bool refine_by_distance(const Convex& A, const Convex& B, const RelativePose& X_AB, double reach,
                        Witness& out) {
  GjkResult nearest;
  find_distance(A, B, X_AB, reach, nearest);
  if (nearest.status == GjkStatus::kBeyond) return false;
  // overlap, or nearly so: the axis stays
  if (nearest.status == GjkStatus::kOverlap ||
      nearest.distance < kTouching * std::min(A.size, B.size))
    return true;
  out = {nearest.n, nearest.distance, nearest.a, nearest.b, simplex_name(nearest.simplex)};
  return out.separation < reach;
}

bool is_certified(const Witness& w, double slack) {
  const Vec3d d = w.a - w.b;
  return w.name >= kEdges && dot(d, d) <= (w.separation + slack) * (w.separation + slack);
}

}  // namespace

void find_convex_contacts(const Convex& A, const Convex& B, const RelativePose& X_AB, double margin,
                          Manifold& out) {
  if (has_cylinder(A, B)) return find_cylinder_contacts(A, B, X_AB, margin, out);
  out.count = 0;
  const double reach = margin + A.rounding + B.rounding, size = std::min(A.size, B.size);
  Witness witness;
  if (is_rounded(A) && is_rounded(B)) {
    find_rounded_witness(A, B, X_AB, witness);
    if (witness.separation >= reach) return;
    if (A.kind == ShapeKind::kSphere) return make_single_contact(A, B, witness, margin, out);
    make_manifold(A, B, X_AB, witness, margin, out);
    return;
  }
  if (A.kind == ShapeKind::kSphere && B.kind == ShapeKind::kBox) {
    find_sphere_box_witness(B, X_AB, witness);
    return make_single_contact(A, B, witness, margin, out);
  }
  if (!find_axis(A, B, X_AB, reach, witness)) return;

  // The features overlap along the axis: it is exact. Otherwise the nearest features are a vertex
  // and an edge or two vertices; or the shapes are beyond reach, which an axis that shows an
  // overlap does not rule out, since edges out of reach were not tried.
  if (make_manifold(A, B, X_AB, witness, margin, out)) return;
  if (is_certified(witness, kCertified * size)) return;
  out.count = 0;
  if (refine_by_distance(A, B, X_AB, reach, witness))
    make_manifold(A, B, X_AB, witness, margin, out);
}

}  // namespace stance::collision
