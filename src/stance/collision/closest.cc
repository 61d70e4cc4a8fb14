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

bool find_plane_closest(const CollisionModel& model, const CollisionScratch& s, int shape,
                        int plane, double limit, ClosestPoints& out) {
  const Vec3d& n = s.R_WG[plane].c[2];
  PlanePoint points[kMaxPlanePoints];
  const int count = find_plane_points(model.convex[shape], s.R_WG[shape], s.p_WG[shape],
                                      {n, dot(n, s.p_WG[plane])}, limit, points);
  if (count == 0) return false;
  const PlanePoint* best = points;
  for (int k = 1; k < count; ++k)
    if (points[k].gap < best->gap) best = points + k;
  out = {best->gap, best->p_W, madd(-best->gap, n, best->p_W), n};
  return true;
}

bool find_convex_closest(const CollisionModel& model, const CollisionScratch& s, int a, int b,
                         double limit, ClosestPoints& out) {
  const Mat3d& R_WA = s.R_WG[a];
  const Mat3d R_AW = transpose(R_WA);
  const RelativePose X_AB{R_AW * s.R_WG[b], R_AW * (s.p_WG[b] - s.p_WG[a])};
  const Convex &A = model.convex[a], &B = model.convex[b];
  Manifold manifold;
  find_convex_contacts(A, B, X_AB, limit, manifold);
  if (manifold.count == 0) return false;
  const ManifoldPoint* best = manifold.points;
  for (int k = 1; k < manifold.count; ++k)
    if (manifold.points[k].gap < best->gap) best = manifold.points + k;
  set_points(madd(R_WA, best->p, s.p_WG[a]), R_WA * manifold.n, best->gap, out);
  return true;
}

// Boxes around the shape that grow until something is near: a search over all triangles only when
// nothing is.
template <class Surface>
bool find_surface_closest(const CollisionModel& model, const CollisionScratch& s, int shape,
                          int ground, const Surface& surface, double limit, ClosestPoints& out) {
  const Mat3d& R_WA = s.R_WG[shape];
  const Mat3d R_AW = transpose(R_WA), R_SW = transpose(s.R_WG[ground]);
  const RelativePose X_AS{R_AW * s.R_WG[ground], R_AW * (s.p_WG[ground] - s.p_WG[shape])};
  const Convex& convex = model.convex[shape];
  const Vec3d center = R_SW * (s.p_WG[shape] - s.p_WG[ground]);
  const LocalBounds& bounds = model.placements[shape].bounds;
  const double reach = norm(bounds.half) + norm(bounds.center) + bounds.rounding;
  Manifold found;
  for (double margin = std::min(limit, 0.1 * convex.size);; margin = std::min(limit, 4 * margin)) {
    const double h = reach + margin;
    bool any = false;
    surface.for_each({center - Vec3d(h, h, h), center + Vec3d(h, h, h)},
                     [&](const SurfaceTriangle& t) {
                       find_lone_triangle_contacts(convex, X_AS, t, margin, found);
                       for (int k = 0; k < found.count; ++k) {
                         const ManifoldPoint& p = found.points[k];
                         if (any && p.gap >= out.distance) continue;
                         set_points(madd(R_WA, p.p, s.p_WG[shape]), R_WA * found.n, p.gap, out);
                         any = true;
                       }
                     });
    if (any) return true;
    if (margin >= limit || margin > 1e6 * convex.size) return false;
  }
}

}  // namespace

bool find_closest(const CollisionModel& model, const CollisionScratch& s, int a, int b,
                  double max_distance, ClosestPoints& out) {
  // the lower kind first, as in find_contacts
  const ShapeKind kind_a = model.geometries[a].shape.kind, kind_b = model.geometries[b].shape.kind;
  const bool swapped = kind_b < kind_a;
  const int first = swapped ? b : a, second = swapped ? a : b;
  const ShapeKind kind = swapped ? kind_a : kind_b;
  if ((swapped ? kind_b : kind_a) >= ShapeKind::kPlane) return false;
  const int data = model.geometries[second].shape.data;
  bool found;
  if (kind == ShapeKind::kPlane)
    found = find_plane_closest(model, s, first, second, max_distance, out);
  else if (kind <= ShapeKind::kHull)
    found = find_convex_closest(model, s, first, second, max_distance, out);
  else if (kind == ShapeKind::kMesh)
    found = find_surface_closest(model, s, first, second, model.shapes->meshes[data], max_distance,
                                 out);
  else
    found = find_surface_closest(model, s, first, second, model.shapes->height_fields[data],
                                 max_distance, out);
  if (found && swapped) {
    std::swap(out.p_a_W, out.p_b_W);
    out.n_W = -out.n_W;
  }
  return found;
}

}  // namespace stance::collision
