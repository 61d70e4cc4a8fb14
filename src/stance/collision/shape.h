#pragma once

// Shapes and where they sit on bodies. Lengths in metres.

#include <cstdint>
#include <string>

#include "stance/kernel/vec3.h"

namespace stance::collision {

using kernel::Mat3d;
using kernel::Vec3d;

// The order matters: a pair is computed with the lower kind first (see find_contacts.cc).
enum class ShapeKind : std::uint8_t {
  kSphere,       // centre at the origin
  kCapsule,      // segment along z, half_length to each side, swept by a sphere
  kCylinder,     // axis z, half_length to each side
  kBox,          // half extents along x, y, z
  kHull,         // convex polyhedron (data: index into ShapeSet::polyhedra)
  kPlane,        // solid below z = 0, normal +z
  kMesh,         // triangles, solid behind them (data: index into ShapeSet::meshes); world only
  kHeightField,  // solid below z = h(x, y) (data: index into ShapeSet::height_fields); world only
};
inline constexpr int kShapeKinds = 8;

struct Shape {
  ShapeKind kind = ShapeKind::kSphere;
  double radius = 0.0;       // sphere, capsule, cylinder
  double half_length = 0.0;  // capsule (of its segment), cylinder
  Vec3d half{};              // box
  int data = -1;             // hull, mesh, height field; set by the builder for boxes and capsules
};

inline Shape make_plane() { return {.kind = ShapeKind::kPlane}; }
inline Shape make_sphere(double radius) { return {.kind = ShapeKind::kSphere, .radius = radius}; }
inline Shape make_capsule(double radius, double half_length) {
  return {.kind = ShapeKind::kCapsule, .radius = radius, .half_length = half_length};
}
inline Shape make_cylinder(double radius, double half_length) {
  return {.kind = ShapeKind::kCylinder, .radius = radius, .half_length = half_length};
}
inline Shape make_box(const Vec3d& half) { return {.kind = ShapeKind::kBox, .half = half}; }

// A shape fixed to a body.
struct Geometry {
  Shape shape{};
  int body = 0;                      // 0 is the world
  Mat3d R_BG = Mat3d::identity();    // pose of the geometry in the body
  Vec3d p_BG{};                      //
  int material = 0;                  // passed on, not looked at
  std::uint32_t group = 1;           // two geometries meet when each one's group has a bit
  std::uint32_t mask = 0xffffffffu;  // in common with the other's mask
  std::string name{};                // for messages
};

}  // namespace stance::collision
