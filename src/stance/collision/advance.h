#pragma once

// Conservative advancement of two geometries: where they are on their flights, and for how long
// they cannot come nearer than so and so along a normal.

#include <algorithm>
#include <limits>

#include "stance/collision/impact.h"

namespace stance::collision {

// What lies deep at the start may come deeper by this part of the slack: it is pushed out by as
// much in a step.
inline constexpr double kDeeper = 0.2;
inline constexpr int kMostAdvances = 96;  // then the end of the step decides

struct Advance {
  const CollisionModel& model;
  GeometryPair pair;
  const Flight &a, &b;
  CollisionScratch& s;

  void place(double t) const {
    set_pose(model, pair.a, a.orientation(t), a.position(t), s);
    set_pose(model, pair.b, b.orientation(t), b.position(t), s);
  }

  // Farthest point of a geometry from its body's origin; of a plane that turns, of those that the
  // other one can meet.
  double find_extent(int k, int other) const {
    if (model.kind[k] != ShapeKind::kPlane) return model.placements[k].extent;
    return norm(s.p_WG[k] - s.p_WG[other]) + model.placements[other].extent +
           norm(b.shift - a.shift);
  }

  // What the two may come nearer to each other along n, from b to a, per unit of t from t on: both
  // ends of the rate of the origins, which is linear in t, and all that turning can do.
  double calc_rate(const Vec3d& n, double t) const {
    const double shift = dot(n, b.shift - a.shift), bend = 2.0 * dot(n, b.bend - a.bend);
    double rate = std::max(shift + t * bend, shift + bend);
    if (model.placements[pair.a].body != 0)
      rate += norm(cross(a.turn, n)) * find_extent(pair.a, pair.b);
    if (model.placements[pair.b].body != 0)
      rate += norm(cross(b.turn, n)) * find_extent(pair.b, pair.a);
    return rate;
  }

  // How far a convex shape reaches along d at t + dt at most, to first order vertex by vertex; what
  // is left to second order is in calc_curvature.
  double calc_reach(const Flight& flight, int k, const Vec3d& d, double t, double dt) const {
    const Convex& shape = model.convex[k];
    const Placement& place = model.placements[k];
    const Vec3d origin = flight.position(t), turn = cross(d, flight.turn);
    double most = -std::numeric_limits<double>::infinity();
    for (int v = 0; v < shape.core.vertex_count; ++v) {
      const Vec3d r = madd(s.R_WG[k], shape.core.vertices[v], s.p_WG[k]) - origin;
      most = std::max(most, dot(d, r) + dt * dot(turn, r));
    }
    const bool moves = place.body != 0;
    return (moves ? most + dot(d, origin + dt * (flight.shift + (2.0 * t) * flight.bend))
                  : most + dot(d, origin)) +
           shape.rounding;
  }
  double calc_curvature(const Flight& flight, int k) const {
    return dot(flight.turn, flight.turn) * model.placements[k].extent + 2.0 * norm(flight.bend);
  }
  static bool has_vertices(ShapeKind kind) {
    return kind <= ShapeKind::kHull && kind != ShapeKind::kCylinder;
  }

  // Time in which the two do not come nearer than `least` along the normal of a point. By vertices
  // where there are some: the bound is concave, so its root is found by halving.
  double calc_leap(const ContactPoint& point, double least, double t) const {
    const double rate = calc_rate(point.n_W, t), whole = 1.0 - t;
    const double plain = rate * whole <= point.gap - least ? whole : (point.gap - least) / rate;
    if (plain >= whole) return whole;
    const bool a_has = has_vertices(model.kind[pair.a]), b_has = has_vertices(model.kind[pair.b]);
    const bool a_rests = model.placements[pair.a].body == 0;
    const bool b_rests = model.placements[pair.b].body == 0;
    if (!(a_has || a_rests) || !(b_has || b_rests)) return plain;
    const Vec3d& n = point.n_W;
    const double half = 0.5 * point.gap;
    const double wall_a = -(dot(n, point.p_W) + half), wall_b = dot(n, point.p_W) - half;
    const double curvature = 0.5 * (calc_curvature(a, pair.a) + calc_curvature(b, pair.b));
    const auto bound = [&](double dt) {
      const double to_a = a_has ? calc_reach(a, pair.a, -n, t, dt) : wall_a;
      const double to_b = b_has ? calc_reach(b, pair.b, n, t, dt) : wall_b;
      return -to_a - to_b - curvature * dt * dt - least;
    };
    if (bound(whole) >= 0.0) return whole;
    double low = plain, high = whole;
    if (bound(low) < 0.0) return plain;
    for (int k = 0; k < 12; ++k) {
      const double middle = 0.5 * (low + high);
      (bound(middle) >= 0.0 ? low : high) = middle;
    }
    return low;
  }

  // The most in any direction.
  double calc_most() const {
    return norm(b.shift - a.shift) + 2.0 * norm(b.bend - a.bend) +
           norm(a.turn) * find_extent(pair.a, pair.b) + norm(b.turn) * find_extent(pair.b, pair.a);
  }
};

}  // namespace stance::collision
