#pragma once

// Small scenes for the tests of this layer: two geometries on two bodies, random poses, and a slow
// search for the separation that shares nothing with the library.

#include <algorithm>
#include <cmath>
#include <vector>

#include "stance/collision/find_contacts.h"
#include "stance/collision/hull.h"
#include "stance/kernel/random.h"
#include "stance/kernel/rotation.h"

namespace stance::collision::test {

using kernel::cross;
using kernel::dot;
using kernel::norm;
using kernel::Random;

inline Vec3d random_vector(Random& random, double bound) {
  // one after the other: compilers differ in the order of a call's arguments
  const double z = random.uniform(-bound, bound), y = random.uniform(-bound, bound);
  return Vec3d(random.uniform(-bound, bound), y, z);
}

inline Vec3d random_direction(Random& random) {
  for (;;) {
    const Vec3d v = random_vector(random, 1.0);
    const double n = norm(v);
    if (n > 0.1 && n < 1.0) return (1.0 / n) * v;
  }
}

inline Mat3d random_rotation(Random& random) {
  const kernel::Quat<double> q{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1),
                               random.uniform(0.1, 1)};
  return kernel::make_rotation(q);
}

inline Mat3d rotation(const Vec3d& axis, double angle) {
  return kernel::rotation_about((1.0 / norm(axis)) * axis, std::cos(angle), std::sin(angle));
}

// A convex shape whose lengths `draw` gives, one by one; a hull lies within `size`.
template <class Draw>
Shape make_convex(ShapeKind kind, double size, Draw&& draw, Random& random,
                  CollisionBuilder& builder) {
  switch (kind) {
    case ShapeKind::kSphere: return make_sphere(draw());
    case ShapeKind::kCapsule: return make_capsule(draw(), draw());
    case ShapeKind::kCylinder: return make_cylinder(draw(), draw());
    case ShapeKind::kBox: return make_box(Vec3d(draw(), draw(), draw()));
    default: {
      std::vector<Vec3d> points;
      for (int k = 5 + random.integer(12); k > 0; --k)
        points.push_back(size * random_direction(random));
      return builder.make_hull(points, "hull");
    }
  }
}

// Bodies 1 and 2 with one geometry each, index 0 and 1; or body 1 on a geometry of the world.
struct PairScene {
  PairScene(const Shape& a, const Shape& b, CollisionBuilder builder = {}, int body_b = 2)
      : model(make(a, b, builder, body_b)), scratch(model), contacts(4096) {
    R.assign(3, Mat3d::identity());
    p.assign(3, Vec3d());
  }

  static CollisionModel make(const Shape& a, const Shape& b, CollisionBuilder& builder,
                             int body_b) {
    builder.add({.shape = a, .body = 1, .name = "a"});
    builder.add({.shape = b, .body = body_b, .name = "b"});
    return builder.build();
  }

  const ContactBuffer& find(double margin) {
    find_contacts(model, R, p, margin, scratch, contacts);
    return contacts;
  }
  // The smallest gap and the normal there; gap 1e300 without contacts.
  ContactPoint deepest(double margin) {
    find(margin);
    ContactPoint best{};
    best.gap = 1e300;
    for (const ContactPoint& c : contacts.points())
      if (c.gap < best.gap) best = c;
    return best;
  }
  // Moves both bodies as one.
  void move_together(const Mat3d& rotation, const Vec3d& shift) {
    for (int k = 1; k < 3; ++k) {
      R[k] = rotation * R[k];
      p[k] = rotation * p[k] + shift;
    }
  }

  CollisionModel model;
  CollisionScratch scratch;
  ContactBuffer contacts;
  std::vector<Mat3d> R;
  std::vector<Vec3d> p;
};

// ---- the oracle ---------------------------------------------------------------------------------

// A convex body as points and a radius around them, or a cylinder, in the world.
struct Body {
  std::vector<Vec3d> points;
  std::vector<std::pair<int, int>> edges;
  std::vector<Vec3d> normals;
  double rounding = 0.0;
  bool cylinder = false;
  Vec3d center, axis;
  double radius = 0.0, half_length = 0.0;

  double reach(const Vec3d& d) const {
    if (cylinder) {
      const double along = dot(axis, d);
      return dot(center, d) + half_length * std::abs(along) + radius * norm(d - along * axis);
    }
    double best = -1e300;
    for (const Vec3d& p : points) best = std::max(best, dot(p, d));
    return best + rounding * norm(d);
  }
};

inline Body make_body(const CollisionModel& model, const CollisionScratch& s, int k) {
  const Shape& shape = model.geometries[k].shape;
  const Mat3d& R = s.R_WG[k];
  const Vec3d& p = s.p_WG[k];
  Body out;
  if (shape.kind == ShapeKind::kCylinder) {
    out.cylinder = true;
    out.center = p, out.axis = R.c[2];
    out.radius = shape.radius, out.half_length = shape.half_length;
    return out;
  }
  const Polyhedron& core = model.shapes->polyhedra[shape.data];
  for (const Vec3d& v : core.vertices()) out.points.push_back(R * v + p);
  for (const PolyhedronEdge& e : core.edges()) out.edges.emplace_back(e.v0, e.v1);
  for (const PolyhedronFace& f : core.faces()) out.normals.push_back(R * f.n);
  if (shape.kind <= ShapeKind::kCapsule) out.rounding = shape.radius;
  return out;
}

// Separation along a direction from b to a (any length).
inline double separation(const Body& a, const Body& b, const Vec3d& d) {
  const double n = norm(d);
  return n > 1e-9 ? -(a.reach((-1.0 / n) * d) + b.reach((1.0 / n) * d)) : -1e300;
}

// The greatest separation over every direction that can be the best one for points and segments:
// normals, products of edges, differences of vertices, vertices off edges. Exact.
inline double brute_force_separation(const Body& a, const Body& b) {
  double best = -1e300;
  const auto attempt = [&](const Vec3d& d) {
    best = std::max({best, separation(a, b, d), separation(a, b, -d)});
  };
  for (const Vec3d& n : a.normals) attempt(n);
  for (const Vec3d& n : b.normals) attempt(n);
  for (const auto& [i, j] : a.edges)
    for (const auto& [k, l] : b.edges)
      attempt(cross(a.points[j] - a.points[i], b.points[l] - b.points[k]));
  for (const Vec3d& p : a.points)
    for (const Vec3d& q : b.points) attempt(p - q);
  const auto off_edges = [&](const Body& body, const Body& other) {
    for (const auto& [i, j] : body.edges) {
      const Vec3d e = body.points[j] - body.points[i];
      for (const Vec3d& q : other.points) {
        const Vec3d r = q - body.points[i];
        attempt(r - (dot(r, e) / dot(e, e)) * e);
      }
    }
  };
  off_edges(a, b);
  off_edges(b, a);
  // a segment through a point or through another segment: square to it
  for (const Body* body : {&a, &b})
    if (body->normals.empty())
      for (const auto& [i, j] : body->edges)
        for (const Vec3d& axis : {Vec3d(1, 0, 0), Vec3d(0, 1, 0), Vec3d(0, 0, 1)})
          attempt(cross(body->points[j] - body->points[i], axis));
  return best;
}

// The same for anything convex, by directions all around and a shrinking search about the best:
// a lower bound that comes to within about 1e-9 of the truth.
inline double search_separation(const Body& a, const Body& b, Random& random) {
  struct Try {
    double s;
    Vec3d d;
  };
  std::vector<Try> tries;
  for (int k = 0; k < 2000; ++k) {
    const Vec3d d = random_direction(random);
    tries.push_back({separation(a, b, d), d});
  }
  for (const Vec3d& n : a.normals) tries.push_back({separation(a, b, -n), -n});
  for (const Vec3d& n : b.normals) tries.push_back({separation(a, b, n), n});
  std::sort(tries.begin(), tries.end(), [](const Try& x, const Try& y) { return x.s > y.s; });
  double best = -1e300;
  for (int start = 0; start < 6; ++start) {
    Try now = tries[start * 3];
    for (double step = 0.1; step > 1e-10; step *= 0.8)
      for (int k = 0; k < 40; ++k) {
        const Vec3d d = now.d + step * random_direction(random);
        const Vec3d unit = (1.0 / norm(d)) * d;
        if (const double s = separation(a, b, unit); s > now.s) now = {s, unit};
      }
    best = std::max(best, now.s);
  }
  return best;
}

}  // namespace stance::collision::test
