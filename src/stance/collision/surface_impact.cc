#include "stance/collision/surface_impact.h"

#include <algorithm>
#include <cmath>

#include "stance/collision/advance.h"
#include "stance/collision/surface_pair.h"

namespace stance::collision {

using kernel::cross;
using kernel::dot;
using kernel::norm;

namespace {

// A shape that turns by less (rad) and starts behind a triangle of something solid does not come
// round to its front in the step.
constexpr double kFarTurn = 0.3;

constexpr double kLeastSlack = 5e-6;  // m, of shapes without thickness

// The radius of a ball around the middle that the shape surely holds: what is deeper than that may
// be on the other side already.
double calc_inner_radius(const Convex& shape) {
  switch (shape.kind) {
    case ShapeKind::kSphere:
    case ShapeKind::kCapsule: return shape.rounding;
    case ShapeKind::kCylinder: return std::min(shape.radius, shape.half_length);
    case ShapeKind::kBox: return std::min({shape.half[0], shape.half[1], shape.half[2]});
    default: break;
  }
  double least = std::numeric_limits<double>::infinity();
  for (int f = 0; f < shape.core.face_count; ++f) {
    const PolyhedronFace& face = shape.core.faces[f];
    least = std::min(least, face.offset - dot(face.n, shape.p_GC));
  }
  return std::max(least, 0.0);
}

// A shape on its flight past the triangles of a surface.
struct Sweep {
  Sweep(const CollisionModel& m, GeometryPair ends, const Flight& a, const Flight& b, double limit,
        CollisionScratch& scratch)
      : model(m),
        pair(ends),
        is_swapped(is_surface(m.kind[ends.a])),
        shape(is_swapped ? ends.b : ends.a),
        ground(is_swapped ? ends.a : ends.b),
        flight(is_swapped ? b : a),
        convex(m.convex[shape]),
        s(scratch),
        advance{m, ends, a, b, scratch},
        slack(std::min(limit, std::max(0.5 * calc_inner_radius(convex), kLeastSlack))) {}

  const CollisionModel& model;
  GeometryPair pair;
  bool is_swapped;  // the surface is pair.a
  int shape, ground;
  const Flight& flight;
  const Convex& convex;
  CollisionScratch& s;
  Advance advance;
  double slack;          // m
  double deepest = 0.0;  // m, gap of any triangle at the start, at most 0
  Manifold manifold;     // of the triangle at hand

  RelativePose calc_pose() const {
    const Mat3d R_AW = transpose(s.R_WG[shape]);
    return {R_AW * s.R_WG[ground], R_AW * (s.p_WG[ground] - s.p_WG[shape])};
  }

  // The box of the shape where it is, in the frame of the surface.
  Box calc_box(double margin) const {
    const Mat3d R_SA = transpose(s.R_WG[ground]) * s.R_WG[shape];
    const LocalBounds& bounds = model.placements[shape].bounds;
    const Vec3d center = transpose(s.R_WG[ground]) *
                         (madd(s.R_WG[shape], bounds.center, s.p_WG[shape]) - s.p_WG[ground]);
    Vec3d half;
    for (int k = 0; k < 3; ++k)
      half.set(k, std::abs(R_SA.c[0][k]) * bounds.half[0] +
                      std::abs(R_SA.c[1][k]) * bounds.half[1] +
                      std::abs(R_SA.c[2][k]) * bounds.half[2] + bounds.rounding + margin);
    return {center - half, center + half};
  }

  // Of all places on the way: those at the ends, and by how much arcs leave the chords.
  Box calc_swept_box() const {
    const double turn = norm(flight.turn);
    const double bulge = std::min(0.125 * turn * turn, 2.0) * model.placements[shape].extent +
                         0.25 * norm(flight.bend) + slack;
    advance.place(1.0);
    const Box end = calc_box(bulge);
    advance.place(0.0);
    Box box = calc_box(bulge);
    box.low.e = end.low.e < box.low.e ? end.low.e : box.low.e;
    box.high.e = end.high.e > box.high.e ? end.high.e : box.high.e;
    return box;
  }

  template <class Visit>
  void for_each(const Box& box, Visit&& visit) const {
    const int data = model.geometries[ground].shape.data;
    if (model.kind[ground] == ShapeKind::kMesh)
      model.shapes->meshes[data].for_each(box, visit);
    else
      model.shapes->height_fields[data].for_each(box, visit);
  }

  // The gap to a triangle where the shape is, infinite beyond `near`; fills the manifold.
  double find_gap(const SurfaceTriangle& triangle, double near) {
    find_lone_triangle_contacts(convex, calc_pose(), triangle, near, manifold);
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < manifold.count; ++k) least = std::min(least, manifold.points[k].gap);
    return least;
  }

  ContactPoint make_point(const ManifoldPoint& point) const {
    const Vec3d n_W = s.R_WG[shape] * manifold.n;
    return {madd(s.R_WG[shape], point.p, s.p_WG[shape]),
            is_swapped ? -n_W : n_W,
            point.gap,
            ContactName{pair.a, pair.b, point.name}.pack(),
            pair.a,
            pair.b,
            model.placements[pair.a].body,
            model.placements[pair.b].body};
  }

  // How deep the shape may come into a triangle in which it lies so deep at the start: by the
  // slack, or a little deeper than it lies there. What slides over an inner edge may be as deep in
  // the next triangle as it was in the last, but not where something lies at the bottom of a pile.
  double calc_allowed(double start) const {
    const double deep = std::max(-start, std::min(-deepest, 2.0 * slack));
    return -std::max(slack, deep + kDeeper * slack);
  }
  double calc_hit(double allowed) const { return allowed + 0.5 * kDeeper * slack; }

  // A triangle of something solid has no back.
  bool is_inside(const SurfaceTriangle& t) const {
    if (t.is_sheet || norm(flight.turn) > kFarTurn) return false;
    const RelativePose X = calc_pose();
    const Vec3d n = X.R_AB * t.n;
    const double high = dot(n, find_core_support(convex, n).p) + convex.rounding;
    return high <= dot(n, madd(X.R_AB, t.v[0], X.p_AB));
  }

  // The first time before `end` at which the triangle is met, else `end`.
  double find_time(const SurfaceTriangle& triangle, double end) {
    advance.place(0.0);
    if (is_inside(triangle)) return end;
    const double most = advance.calc_most();
    double t = 0.0, allowed = 0.0;
    for (int step = 0; step < kMostAdvances; ++step) {
      if (step > 0) advance.place(t);
      const double gap = find_gap(triangle, (1.0 - t) * most + slack);
      if (manifold.count == 0) return end;
      if (step == 0) allowed = calc_allowed(gap);
      if (gap < calc_hit(allowed)) return t;
      const ManifoldPoint* nearest =
          std::min_element(manifold.points, manifold.points + manifold.count,
                           [](const auto& p, const auto& q) { return p.gap < q.gap; });
      t += advance.calc_leap(make_point(*nearest), allowed, t);
      if (t >= end) return end;
    }
    // touching all the time: harmless if it ends no deeper, on the same side
    advance.place(1.0);
    const double gap = find_gap(triangle, slack);
    return gap >= allowed && !crosses(triangle) ? end : t;
  }

  // Points of the triangles that lie up to `more` above what they may at that time.
  void add_points(const Box& box, double time, double more, ContactBuffer& points) {
    for_each(box, [&](const SurfaceTriangle& triangle) {
      advance.place(0.0);
      if (is_inside(triangle)) return;
      const double limit = calc_hit(calc_allowed(find_gap(triangle, slack))) + more;
      advance.place(time);
      if (find_gap(triangle, std::max(limit, 0.0) + slack) > limit) return;
      for (int k = 0; k < manifold.count; ++k)
        if (ContactPoint* point = points.append()) *point = make_point(manifold.points[k]);
    });
  }

  // Where the middle is, in the frame of the surface.
  Vec3d find_middle() const {
    return transpose(s.R_WG[ground]) *
           (madd(s.R_WG[shape], convex.p_GC, s.p_WG[shape]) - s.p_WG[ground]);
  }

  // Whether the middle's straight way goes through a triangle.
  bool crosses(const SurfaceTriangle& t) const {
    advance.place(0.0);
    const Vec3d from = find_middle();
    advance.place(1.0);
    const Vec3d to = find_middle();
    const double high = dot(t.n, from - t.v[0]), low = dot(t.n, to - t.v[0]);
    if (high * low >= 0.0) return false;
    const Vec3d p = from + (high / (high - low)) * (to - from);
    for (int k = 0; k < 3; ++k) {
      const Vec3d e = t.v[k == 2 ? 0 : k + 1] - t.v[k];
      if (dot(cross(t.n, e), p - t.v[k]) < 0.0) return false;
    }
    return true;
  }
};

}  // namespace

bool find_surface_impact(const CollisionModel& model, GeometryPair pair, const Flight& a,
                         const Flight& b, double slack, CollisionScratch& s, ContactBuffer& points,
                         double& time) {
  Sweep sweep(model, pair, a, b, slack, s);
  points.clear();
  const Box box = sweep.calc_swept_box();  // leaves the shape at the start
  sweep.for_each(sweep.calc_box(0.0), [&](const SurfaceTriangle& triangle) {
    if (sweep.is_inside(triangle)) return;
    sweep.deepest = std::min(sweep.deepest, sweep.find_gap(triangle, 0.0));
  });

  // when, over all triangles
  double first = 1.0;
  bool is_met = false;
  sweep.for_each(box, [&](const SurfaceTriangle& triangle) {
    const double t = sweep.find_time(triangle, first);
    is_met = is_met || t < first;
    first = std::min(first, t);
  });
  if (!is_met) return false;

  // where
  time = first;
  sweep.add_points(box, time, kDeeper * sweep.slack, points);
  // after too many steps of advancement: what is nearest by then
  const double far = sweep.advance.calc_most() + sweep.slack;
  for (double more = sweep.slack; points.size() == 0 && more < 4.0 * far; more *= 4.0)
    sweep.add_points(box, time, more, points);
  return points.size() > 0;
}

bool crosses_surface(const CollisionModel& model, GeometryPair pair, const Flight& a,
                     const Flight& b, CollisionScratch& s) {
  const Sweep sweep(model, pair, a, b, 0.0, s);
  bool is_crossed = false;
  sweep.for_each(sweep.calc_swept_box(), [&](const SurfaceTriangle& triangle) {
    is_crossed = is_crossed || sweep.crosses(triangle);
  });
  return is_crossed;
}

}  // namespace stance::collision
