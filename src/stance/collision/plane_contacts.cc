#include "stance/collision/plane_contacts.h"

#include <algorithm>

#include "stance/collision/manifold.h"

namespace stance::collision {

using kernel::dot;

namespace {

// A cylinder's cap flatter than this (rad) has no lowest point of its own: the nearest of its fixed
// points has the gap of the lowest one, which is less by up to 0.3 of tilt and radius.
constexpr double kFlatTilt = 1e-6;
// Fixed points this near to the lowest one (cosine) are left out.
constexpr double kNearLowest = 0.99;

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

// The deepest vertex, and the farthest ones in seven directions of the plane among the others.
void add_hull(const Convex& shape, const Mat3d& R, const Vec3d& p, const Vec3d& n_G,
              Collector& to) {
  const double h = dot(to.plane.n_W, p) - to.plane.offset;
  const PolyhedronView& core = shape.core;
  int near = 0;
  for (int v = 0; v < core.vertex_count; ++v) near += h + dot(n_G, core.vertices[v]) < to.margin;
  if (near <= kMaxPlanePoints) {
    for (int v = 0; near > 0 && v < core.vertex_count; ++v) {
      const double gap = h + dot(n_G, core.vertices[v]);
      if (gap < to.margin) to.add(madd(R, core.vertices[v], p), gap, v);
    }
    return;
  }

  // directions that turn with the hull, square to the plane's normal
  int chosen[kMaxPlanePoints], n = 1;
  chosen[0] = find_support(core, -n_G).vertex;
  const Vec3d seed = std::abs(n_G[0]) < 0.6 ? Vec3d(1, 0, 0) : Vec3d(0, 1, 0);
  Vec3d e = cross(n_G, seed);
  e = (1.0 / norm(e)) * e;
  const Vec3d f = cross(n_G, e);
  constexpr double kX[7] = {1.0, 0.62, -0.22, -0.90, -0.90, -0.22, 0.62};
  constexpr double kY[7] = {0.0, 0.78, 0.97, 0.43, -0.43, -0.97, -0.78};
  for (int direction = 0; direction < 7; ++direction) {
    const Vec3d d = kX[direction] * e + kY[direction] * f;
    int best = -1;
    double far = 0.0;
    for (int v = 0; v < core.vertex_count; ++v) {
      if (h + dot(n_G, core.vertices[v]) >= to.margin) continue;
      if (std::find(chosen, chosen + n, v) != chosen + n) continue;
      const double reach = dot(d, core.vertices[v]);
      if (best < 0 || reach > far) best = v, far = reach;
    }
    chosen[n++] = best;
  }
  std::sort(chosen, chosen + n);
  for (int k = 0; k < n; ++k)
    to.add(madd(R, core.vertices[chosen[k]], p), h + dot(n_G, core.vertices[chosen[k]]), chosen[k]);
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
