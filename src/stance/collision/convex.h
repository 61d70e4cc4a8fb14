#pragma once

// A convex shape as the pair algorithms see it: a core and a radius of rounding.
//
//   sphere   point            radius
//   capsule  segment on z     radius
//   cylinder itself           0
//   box      itself           0
//   hull     itself           0
//
// Distances are taken between cores, radii subtracted at the end: so spheres and capsules are
// exact however deep they are, as long as the cores stay apart.

#include <cmath>

#include "stance/collision/polyhedron.h"
#include "stance/collision/shape.h"

namespace stance::collision {

struct Convex {
  ShapeKind kind = ShapeKind::kSphere;
  double rounding = 0.0;     // added around the core
  double radius = 0.0;       // of a cylinder
  double half_length = 0.0;  // of a cylinder or a capsule's segment
  Vec3d half{};              // of a box
  Vec3d p_GC{};              // a point inside the core
  PolyhedronView core{};     // of all but the cylinder
  double size = 0.0;         // scale of tolerances, m
};

// Pose of the second convex shape of a pair in the frame of the first.
struct RelativePose {
  Mat3d R_AB;
  Vec3d p_AB;
};

struct Support {
  Vec3d p;
  int vertex;  // -1 on a cylinder
};

// The point of the core farthest in direction d, in the shape's own axes.
inline Support find_core_support(const Convex& shape, const Vec3d& d) {
  switch (shape.kind) {
    case ShapeKind::kSphere: return {Vec3d(), 0};
    case ShapeKind::kCapsule: {
      const bool up = d[2] > 0.0 && shape.half_length > 0.0;  // without length: one vertex
      return {Vec3d(0, 0, up ? shape.half_length : -shape.half_length), up};
    }
    case ShapeKind::kCylinder: {
      const double across = std::sqrt(d[0] * d[0] + d[1] * d[1]);
      const double scale = across > 0.0 ? shape.radius / across : 0.0;
      return {
          Vec3d(scale * d[0], scale * d[1], d[2] > 0.0 ? shape.half_length : -shape.half_length),
          -1};
    }
    case ShapeKind::kBox: {
      const int vertex = (d[0] > 0.0) | (d[1] > 0.0) << 1 | (d[2] > 0.0) << 2;
      return {shape.core.vertices[vertex], vertex};
    }
    default: {
      const int vertex = find_support(shape.core, d).vertex;
      return {shape.core.vertices[vertex], vertex};
    }
  }
}

}  // namespace stance::collision
