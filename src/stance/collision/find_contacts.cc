#include "stance/collision/find_contacts.h"

#include <algorithm>

#include "stance/collision/convex_pair.h"
#include "stance/collision/plane_contacts.h"
#include "stance/kernel/assert.h"

namespace stance::collision {

using kernel::dot;
using kernel::fma4;
using kernel::norm;

namespace {

// |R| half + rounding: the box around a rotated box.
Vec3d calc_box(const Mat3d& R, const LocalBounds& b) {
  const auto absolute = [](kernel::Double4 a) { return a < 0.0 ? -a : a; };
  const kernel::Double4 h = b.half.e;
  return Vec3d(fma4(kernel::splat(h[0]), absolute(R.c[0].e),
                    fma4(kernel::splat(h[1]), absolute(R.c[1].e),
                         fma4(kernel::splat(h[2]), absolute(R.c[2].e),
                              kernel::Double4{b.rounding, b.rounding, b.rounding, 0.0}))));
}

void set_pose(const CollisionModel& model, int k, const Mat3d& R_WB, const Vec3d& p_WB,
              const Reach& reach, CollisionScratch& s) {
  const Placement& place = model.placements[k];
  Mat3d& R_WG = s.R_WG[k];
  if (place.turned)
    R_WG = R_WB * place.R_BG;
  else
    R_WG = R_WB;
  s.p_WG[k] = madd(R_WB, place.p_BG, p_WB);
  const double r = s.reach[k] = reach.shift + reach.turn * place.extent;
  if (model.kind[k] == ShapeKind::kPlane) return;
  s.broad.set_box(k, madd(R_WG, place.bounds.center, s.p_WG[k]),
                  calc_box(R_WG, place.bounds) + Vec3d(r, r, r));
}

// Where contacts of one pair go. swapped: the shapes were taken in the other order.
struct Sink {
  const CollisionModel& model;
  GeometryPair pair;
  bool swapped;
  ContactBuffer& out;

  void add(const Vec3d& p_W, const Vec3d& n_W, double gap, std::uint32_t name) {
    ContactPoint* c = out.append();
    if (c == nullptr) return;
    *c = {p_W,
          swapped ? -n_W : n_W,
          gap,
          ContactName{pair.a, pair.b, name}.pack(),
          pair.a,
          pair.b,
          model.placements[pair.a].body,
          model.placements[pair.b].body};
  }
};

void find_plane_contacts(const CollisionModel& model, const CollisionScratch& s, int shape,
                         int plane, double margin, Sink& sink) {
  const Vec3d& n_W = s.R_WG[plane].c[2];
  PlanePoint points[kMaxPlanePoints];
  const int count = find_plane_points(model.convex[shape], s.R_WG[shape], s.p_WG[shape],
                                      {n_W, dot(n_W, s.p_WG[plane])}, margin, points);
  for (int k = 0; k < count; ++k)
    sink.add(madd(-0.5 * points[k].gap, n_W, points[k].p_W), n_W, points[k].gap, points[k].name);
}

void find_convex_pair_contacts(const CollisionModel& model, const CollisionScratch& s, int a, int b,
                               double margin, Sink& sink) {
  const Mat3d& R_WA = s.R_WG[a];
  const Vec3d& p_WA = s.p_WG[a];
  const Mat3d R_AW = transpose(R_WA);
  const RelativePose X_AB{R_AW * s.R_WG[b], R_AW * (s.p_WG[b] - p_WA)};
  Manifold manifold;
  find_convex_contacts(model.convex[a], model.convex[b], X_AB, margin, manifold);
  if (manifold.count == 0) return;
  const Vec3d n_W = R_WA * manifold.n;
  for (int k = 0; k < manifold.count; ++k)
    sink.add(madd(R_WA, manifold.points[k].p, p_WA), n_W, manifold.points[k].gap,
             manifold.points[k].name);
}

// A shape on a mesh or a height field.
template <class Surface>
void find_surface_contacts(const CollisionModel& model, CollisionScratch& s, int shape, int ground,
                           const Surface& surface, double margin, Sink& sink) {
  const Mat3d& R_WA = s.R_WG[shape];
  const Vec3d& p_WA = s.p_WG[shape];
  const Mat3d R_AW = transpose(R_WA), R_SW = transpose(s.R_WG[ground]);
  const RelativePose X_AS{R_AW * s.R_WG[ground], R_AW * (s.p_WG[ground] - p_WA)};

  // the shape's box in the frame of the surface
  const LocalBounds& bounds = model.placements[shape].bounds;
  const Mat3d R_SA = R_SW * R_WA;
  const Vec3d center = R_SW * (madd(R_WA, bounds.center, p_WA) - s.p_WG[ground]);
  const Vec3d half = calc_box(R_SA, bounds) + Vec3d(margin, margin, margin);
  SurfaceContacts& found = *s.surface;
  found.count = 0, found.dropped = 0, found.is_deep = false;
  surface.for_each({center - half, center + half}, [&](const SurfaceTriangle& triangle) {
    // room is made in time: the hull of hulls is the hull
    if (found.count > kMaxSurfacePoints / 4)
      reduce_surface_contacts(model.convex[shape].size, found);
    add_triangle_contacts(model.convex[shape], X_AS, triangle, margin, found);
  });
  add_deep_contacts(found);
  reduce_surface_contacts(model.convex[shape].size, found);
  sink.out.lose(found.dropped);

  // names made of a mesh's numbers may coincide: the later one moves on
  for (int k = 0; k < found.count; ++k) {
    SurfacePoint& p = found.points[k];
    for (int j = 0; j < k; ++j)
      if (found.points[j].name == p.name) ++p.name, j = -1;
    sink.add(madd(R_WA, p.p, p_WA), R_WA * p.n, p.gap, p.name);
  }
}

}  // namespace

CollisionScratch::CollisionScratch(const CollisionModel& model)
    : R_WG(model.size()),
      p_WG(model.size()),
      reach(model.size()),
      broad(model.size()),
      surface(std::make_unique<SurfaceContacts>()) {
  planes.reserve(model.planes.size());
  for (int k = 0; k < model.size(); ++k)
    if (model.geometries[k].body == 0) set_pose(model, k, Mat3d::identity(), Vec3d(), {}, *this);
}

namespace {

void update_poses(const CollisionModel& model, std::span<const Mat3d> R_WB,
                  std::span<const Vec3d> p_WB, std::span<const Reach> reach, CollisionScratch& s) {
  STANCE_DEMAND(static_cast<int>(R_WB.size()) >= model.nbody && R_WB.size() == p_WB.size());
  for (int k : model.moving) {
    const int body = model.placements[k].body;
    set_pose(model, k, R_WB[body], p_WB[body], reach.empty() ? Reach{} : reach[body], s);
  }
}

// A plane that turns with its body reaches as far as the farthest geometry asks.
double calc_plane_reach(const CollisionModel& model, const Vec3d& p_WB, const Reach& reach,
                        const CollisionScratch& s) {
  double farthest = 0.0;
  for (int k : model.boxed) {
    const LocalBounds& bounds = model.placements[k].bounds;
    const Vec3d center = madd(s.R_WG[k], bounds.center, s.p_WG[k]);
    farthest =
        std::max(farthest, norm(center - p_WB) + norm(bounds.half) + bounds.rounding + s.reach[k]);
  }
  return reach.shift + reach.turn * farthest;
}

}  // namespace

void update_poses(const CollisionModel& model, std::span<const Mat3d> R_WB,
                  std::span<const Vec3d> p_WB, CollisionScratch& s) {
  update_poses(model, R_WB, p_WB, {}, s);
}

void set_pose(const CollisionModel& model, int geometry, const Mat3d& R_WB, const Vec3d& p_WB,
              CollisionScratch& s) {
  if (model.placements[geometry].body != 0) set_pose(model, geometry, R_WB, p_WB, {}, s);
}

const std::vector<GeometryPair>& find_pairs(const CollisionModel& model,
                                            std::span<const Mat3d> R_WB,
                                            std::span<const Vec3d> p_WB,
                                            std::span<const Reach> reach, double margin,
                                            CollisionScratch& s) {
  // where the geometries are
  update_poses(model, R_WB, p_WB, reach, s);
  s.planes.clear();
  for (int k : model.planes) {
    const Vec3d& n = s.R_WG[k].c[2];
    if (const int body = model.placements[k].body; body != 0 && !reach.empty())
      s.reach[k] = calc_plane_reach(model, p_WB[body], reach[body], s);
    s.planes.push_back({k, n, dot(n, s.p_WG[k]) + s.reach[k]});
  }
  // whose boxes overlap
  return s.broad.find_pairs(model.filter, s.planes, model.boxed, margin);
}

void find_pair_contacts(const CollisionModel& model, GeometryPair pair, double near,
                        CollisionScratch& s, ContactBuffer& out) {
  // by its kinds, the lower kind first
  const ShapeKind kind_a = model.kind[pair.a];
  const ShapeKind kind_b = model.kind[pair.b];
  const bool swapped = kind_b < kind_a;
  const int first = swapped ? pair.b : pair.a, second = swapped ? pair.a : pair.b;
  Sink sink{model, pair, swapped, out};
  const ShapeKind kind = swapped ? kind_a : kind_b;
  if (kind == ShapeKind::kPlane)
    find_plane_contacts(model, s, first, second, near, sink);
  else if (kind <= ShapeKind::kHull)
    find_convex_pair_contacts(model, s, first, second, near, sink);
  else if (const int data = model.geometries[second].shape.data; kind == ShapeKind::kMesh)
    find_surface_contacts(model, s, first, second, model.shapes->meshes[data], near, sink);
  else
    find_surface_contacts(model, s, first, second, model.shapes->height_fields[data], near, sink);
}

void find_contacts(const CollisionModel& model, std::span<const Mat3d> R_WB,
                   std::span<const Vec3d> p_WB, std::span<const Reach> reach, double margin,
                   CollisionScratch& s, ContactBuffer& out) {
  out.clear();
  for (const GeometryPair pair : find_pairs(model, R_WB, p_WB, reach, margin, s))
    find_pair_contacts(model, pair, margin + s.reach[pair.a] + s.reach[pair.b], s, out);
}

}  // namespace stance::collision
