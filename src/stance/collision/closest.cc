#include <algorithm>
#include <cmath>

#include "stance/collision/convex_pair.h"
#include "stance/collision/plane_contacts.h"
#include "stance/collision/queries.h"

namespace stance::collision {

using kernel::dot;

namespace {

// From the point midway and the gap to the two surfaces.
void set_points(const Vec3d& p_W, const Vec3d& n_W, double gap, ClosestPoints& out) {
  out = {gap, madd(0.5 * gap, n_W, p_W), madd(-0.5 * gap, n_W, p_W), n_W};
}

// A convex shape and where it is.
struct Placed {
  const Convex& convex;
  const Mat3d& R_WG;
  const Vec3d& p_WG;
  double reach;  // m, from its origin to its farthest point
};

bool find_plane_closest(const CollisionScratch& s, const Placed& shape, int plane, double limit,
                        ClosestPoints& out) {
  const Vec3d& n = s.R_WG[plane].c[2];
  PlanePoint points[kMaxPlanePoints];
  const int count = find_plane_points(shape.convex, shape.R_WG, shape.p_WG,
                                      {n, dot(n, s.p_WG[plane])}, limit, points);
  if (count == 0) return false;
  const PlanePoint* best = points;
  for (int k = 1; k < count; ++k)
    if (points[k].gap < best->gap) best = points + k;
  out = {best->gap, best->p_W, madd(-best->gap, n, best->p_W), n};
  return true;
}

bool find_convex_closest(const CollisionModel& model, const CollisionScratch& s,
                         const Placed& shape, int b, double limit, ClosestPoints& out) {
  const Mat3d& R_WA = shape.R_WG;
  const Mat3d R_AW = transpose(R_WA);
  const RelativePose X_AB{R_AW * s.R_WG[b], R_AW * (s.p_WG[b] - shape.p_WG)};
  Manifold manifold;
  find_convex_contacts(shape.convex, model.convex[b], X_AB, limit, manifold);
  if (manifold.count == 0) return false;
  const ManifoldPoint* best = manifold.points;
  for (int k = 1; k < manifold.count; ++k)
    if (manifold.points[k].gap < best->gap) best = manifold.points + k;
  set_points(madd(R_WA, best->p, shape.p_WG), R_WA * manifold.n, best->gap, out);
  return true;
}

// Boxes around the shape that grow until something is near: a search over all triangles only when
// nothing is.
template <class Surface>
bool find_surface_closest(const CollisionScratch& s, const Placed& shape, int ground,
                          const Surface& surface, double limit, ClosestPoints& out) {
  const Mat3d& R_WA = shape.R_WG;
  const Mat3d R_AW = transpose(R_WA), R_SW = transpose(s.R_WG[ground]);
  const RelativePose X_AS{R_AW * s.R_WG[ground], R_AW * (s.p_WG[ground] - shape.p_WG)};
  const Convex& convex = shape.convex;
  const Vec3d center = R_SW * (shape.p_WG - s.p_WG[ground]);
  Manifold found;
  for (double margin = std::min(limit, 0.1 * convex.size);; margin = std::min(limit, 4 * margin)) {
    const double h = shape.reach + margin;
    bool any = false;
    surface.for_each({center - Vec3d(h, h, h), center + Vec3d(h, h, h)},
                     [&](const SurfaceTriangle& t) {
                       find_lone_triangle_contacts(convex, X_AS, t, margin, found);
                       for (int k = 0; k < found.count; ++k) {
                         const ManifoldPoint& p = found.points[k];
                         if (any && p.gap >= out.distance) continue;
                         set_points(madd(R_WA, p.p, shape.p_WG), R_WA * found.n, p.gap, out);
                         any = true;
                       }
                     });
    if (any) return true;
    if (margin >= limit || margin > 1e6 * convex.size) return false;
  }
}

// The geometry is of the same kind as the shape or a later one.
bool find_any_closest(const CollisionModel& model, const CollisionScratch& s, const Placed& shape,
                      int geometry, double limit, ClosestPoints& out) {
  const Shape& other = model.geometries[geometry].shape;
  if (other.kind == ShapeKind::kPlane) return find_plane_closest(s, shape, geometry, limit, out);
  if (other.kind <= ShapeKind::kHull)
    return find_convex_closest(model, s, shape, geometry, limit, out);
  if (other.kind == ShapeKind::kMesh)
    return find_surface_closest(s, shape, geometry, model.shapes->meshes[other.data], limit, out);
  return find_surface_closest(s, shape, geometry, model.shapes->height_fields[other.data], limit,
                              out);
}

}  // namespace

bool find_closest(const CollisionModel& model, const CollisionScratch& s, int a, int b,
                  double max_distance, ClosestPoints& out) {
  // the lower kind first, as in find_contacts
  const ShapeKind kind_a = model.geometries[a].shape.kind, kind_b = model.geometries[b].shape.kind;
  const bool swapped = kind_b < kind_a;
  const int first = swapped ? b : a, second = swapped ? a : b;
  if ((swapped ? kind_b : kind_a) >= ShapeKind::kPlane) return false;
  const LocalBounds& bounds = model.placements[first].bounds;
  const Placed shape{model.convex[first], s.R_WG[first], s.p_WG[first],
                     norm(bounds.half) + norm(bounds.center) + bounds.rounding};
  const bool found = find_any_closest(model, s, shape, second, max_distance, out);
  if (found && swapped) {
    std::swap(out.p_a_W, out.p_b_W);
    out.n_W = -out.n_W;
  }
  return found;
}

bool find_closest_to_sphere(const CollisionModel& model, const CollisionScratch& s,
                            const Vec3d& center, double radius, int geometry, double max_distance,
                            ClosestPoints& out) {
  const Convex sphere{.kind = ShapeKind::kSphere, .rounding = radius, .size = radius};
  const Mat3d R_WG = Mat3d::identity();
  return find_any_closest(model, s, {sphere, R_WG, center, radius}, geometry, max_distance, out);
}

}  // namespace stance::collision
