#include "stance/collision/plane_contacts.h"

#include <algorithm>
#include <span>

#include "stance/collision/cap.h"
#include "stance/collision/lean.h"
#include "stance/collision/manifold.h"

namespace stance::collision {

using kernel::dot;

namespace {

// A cylinder's cap flatter than this (rad) has no lowest point of its own: the nearest of its fixed
// points has the gap of the lowest one, which is less by up to 0.3 of tilt and radius.
constexpr double kFlatTilt = 1e-6;
// Fixed points this near to the lowest one (cosine) are left out.
constexpr double kNearLowest = 0.99;

// A vertex that nothing else holds up is let down by so much at most, m: less than the slop.
constexpr double kWorthAPoint = 5e-7;

enum CylinderName { kLowestBelow = 16, kLowestAbove = 17 };

struct Collector {
  const Plane& plane;
  double margin;
  PlanePoint* out;
  int count = 0;

  void add(const Vec3d& p_W, double gap, int name) {
    if (gap < margin) out[count++] = {p_W, gap, feature_name(kVertexOfA, name, 0)};
  }
  void add(const Vec3d& p_W, int name) { add(p_W, dot(plane.n_W, p_W) - plane.offset, name); }
};

// The four corners of the face that looks down most: of opposite faces the lower one.
void add_box(const Convex& shape, const Mat3d& R, const Vec3d& p, const Vec3d& n_G, Collector& to) {
  const double x = std::abs(n_G[0]), y = std::abs(n_G[1]), z = std::abs(n_G[2]);
  const int axis = x >= y ? (x >= z ? 0 : 2) : (y >= z ? 1 : 2);
  const int i = axis == 0 ? 1 : 0, j = axis == 2 ? 1 : 2;
  const bool up = n_G[axis] < 0.0;
  const Vec3d face = madd(up ? shape.half[axis] : -shape.half[axis], R.c[axis], p);
  const Vec3d ei = shape.half[i] * R.c[i], ej = shape.half[j] * R.c[j];
  const double h = dot(to.plane.n_W, face) - to.plane.offset;
  const double hi = n_G[i] * shape.half[i], hj = n_G[j] * shape.half[j];
  const int corner = up << axis;
  to.add(face - ei - ej, h - hi - hj, corner);
  to.add(face + ei - ej, h + hi - hj, corner | 1 << i);
  to.add(face - ei + ej, h - hi + hj, corner | 1 << j);
  to.add(face + ei + ej, h + hi + hj, corner | 1 << i | 1 << j);
}

void add_cylinder(const Convex& shape, const Mat3d& R, const Vec3d& p, const Vec3d& n_G,
                  Collector& to) {
  const double across = std::sqrt(n_G[0] * n_G[0] + n_G[1] * n_G[1]);
  const bool tilted = across > kFlatTilt;
  const double cx = tilted ? -n_G[0] / across : 0.0, cy = tilted ? -n_G[1] / across : 0.0;
  const Vec3d axis = shape.half_length * R.c[2];
  const bool up = n_G[2] < 0.0;  // the upper cap, in the cylinder's frame, is the lower one

  // lowest points of both rims
  if (tilted) {
    const Vec3d radial = (shape.radius * cx) * R.c[0] + (shape.radius * cy) * R.c[1];
    to.add(p + radial - axis, kLowestBelow);
    to.add(p + radial + axis, kLowestAbove);
  }
  // fixed points of the lower rim
  const Vec3d cap = up ? p + axis : p - axis;
  const double lowest = dot(to.plane.n_W, cap) - to.plane.offset - shape.radius * across;
  const bool along_x = std::abs(n_G[0]) >= std::abs(n_G[1]);
  const int nearest = along_x ? (n_G[0] < 0.0 ? 0 : 2) : (n_G[1] < 0.0 ? 1 : 3);
  for (int k = 0; k < 4; ++k) {
    const double x = k == 0 ? 1.0 : k == 2 ? -1.0 : 0.0, y = k == 1 ? 1.0 : k == 3 ? -1.0 : 0.0;
    if (tilted && x * cx + y * cy > kNearLowest) continue;
    const Vec3d p_W = cap + (shape.radius * x) * R.c[0] + (shape.radius * y) * R.c[1];
    const int name = 2 * k + (up ? 8 : 0);
    if (!tilted && k == nearest)
      to.add(p_W, lowest, name);
    else
      to.add(p_W, name);
  }
}

// Two unit vectors square to n, that turn with it.
void make_square_axes(const Vec3d& n, Vec3d& e, Vec3d& f) {
  e = cross(n, std::abs(n[0]) < 0.6 ? Vec3d(1, 0, 0) : Vec3d(0, 1, 0));
  e = (1.0 / norm(e)) * e;
  f = cross(n, e);
}

// The face that looks down most: its corners, or those of its cap (cap.h).
std::span<const std::int32_t> find_lowest_face(const PolyhedronView& core, const Vec3d& n_G) {
  int lowest = 0;
  double least = 1e300;
  for (int f = 0; f < core.shown_faces; ++f)
    if (const double c = dot(core.faces[f].n, n_G); c < least) least = c, lowest = f;
  const PolyhedronFace& face = core.faces[lowest];
  if (face.cap < 0) return {core.loop_vertices + face.first, std::size_t(face.count)};
  const PolyhedronCap& cap = core.caps[face.cap];
  return {core.cap_vertices + cap.first, std::size_t(cap.corners + cap.inner)};
}

// The lowest face, if it has not very many corners, and those vertices that a lean would bring down
// before the others by more than is worth a point.
void choose_lowest(const PolyhedronView& core, double height, const Vec3d& n_G, double margin,
                   ChosenPoints& chosen) {
  const auto gap = [&](int v) { return height + dot(n_G, core.vertices[v]); };
  const auto corners = find_lowest_face(core, n_G);
  const bool is_given = corners.size() <= kMaxCap;
  if (is_given)
    for (const int v : corners)
      if (gap(v) < margin) chosen.add(v);
  Vec3d e, f;
  make_square_axes(n_G, e, f);
  const auto attempt = [&](const Vec3d& d, double worth) {
    const int v = find_support(core, d).vertex;
    if (gap(v) >= margin || chosen.has(v)) return;
    const double value = dot(d, core.vertices[v]) - worth;
    for (const int other : chosen.points())
      if (dot(d, core.vertices[other]) >= value) return;
    chosen.add(v);
  };
  for (const Lean& lean : kLeans)
    attempt(lean.x * e + lean.y * f - n_G, is_given ? kWorthAPoint : 0.0);
  attempt(-n_G, kWorthAPoint);
}

// All vertices that are near, or of many those that may carry.
void add_hull(const Convex& shape, const Mat3d& R, const Vec3d& p, const Vec3d& n_G,
              Collector& to) {
  const double h = dot(to.plane.n_W, p) - to.plane.offset;
  const PolyhedronView& core = shape.core;
  int near = 0;
  for (int v = 0; v < core.vertex_count; ++v) near += h + dot(n_G, core.vertices[v]) < to.margin;
  if (near <= kFewPoints) {
    for (int v = 0; near > 0 && v < core.vertex_count; ++v) {
      const double gap = h + dot(n_G, core.vertices[v]);
      if (gap < to.margin) to.add(madd(R, core.vertices[v], p), gap, v);
    }
    return;
  }
  ChosenPoints chosen;
  choose_lowest(core, h, n_G, to.margin, chosen);
  for (const int v : chosen.sort())
    to.add(madd(R, core.vertices[v], p), h + dot(n_G, core.vertices[v]), v);
}

}  // namespace

int find_plane_points(const Convex& shape, const Mat3d& R_WG, const Vec3d& p_WG, const Plane& plane,
                      double margin, PlanePoint* out) {
  Collector to{plane, margin, out};
  if (shape.kind == ShapeKind::kSphere) {
    const double gap = dot(plane.n_W, p_WG) - plane.offset - shape.rounding;
    to.add(p_WG - shape.rounding * plane.n_W, gap, 0);
    return to.count;
  }
  if (shape.kind == ShapeKind::kCapsule) {
    const Vec3d axis = shape.half_length * R_WG.c[2];
    const double h = dot(plane.n_W, p_WG) - plane.offset - shape.rounding;
    const double rise = dot(plane.n_W, axis);
    const Vec3d low = p_WG - shape.rounding * plane.n_W;
    to.add(low - axis, h - rise, 0);
    if (shape.half_length > 0.0) to.add(low + axis, h + rise, 1);
    return to.count;
  }
  const Vec3d n_G = transpose_mul(R_WG, plane.n_W);
  if (shape.kind == ShapeKind::kBox)
    add_box(shape, R_WG, p_WG, n_G, to);
  else if (shape.kind == ShapeKind::kCylinder)
    add_cylinder(shape, R_WG, p_WG, n_G, to);
  else
    add_hull(shape, R_WG, p_WG, n_G, to);
  return to.count;
}

}  // namespace stance::collision
