#pragma once

// A convex shape on a surface of triangles.
//
// Each triangle near the shape gives a manifold; its normal must be one that the surface has there:
// the triangle's own, or between those of two triangles over an edge that juts out. Over flat and
// hollow edges the triangle's own normal is taken, so that a shape sliding across them feels
// nothing. Points of triangles in one plane are then reduced to the corners of their hull.
//
// What is behind a sheet (mesh.h), but for a little that juts out to the front, touches its back.
// Round the border of a sheet normals go all the way from the front to the back. A
// shape that lies deep in a surface whose triangles are small finds no way out there that the
// surface has; then it is that along the normal of the triangle in which it lies least deep.

#include "stance/collision/manifold.h"
#include "stance/collision/mesh.h"

namespace stance::collision {

inline constexpr int kMaxSurfacePoints = 256;  // at a time

struct SurfacePoint {
  Vec3d p;  // midway, in the frame of the convex shape
  Vec3d n;  // from the surface to the shape
  double gap;
  std::uint32_t name;
};

struct SurfaceContacts {
  int count = 0;
  int dropped = 0;       // points that there was no place for
  bool is_deep = false;  // the following is there
  double deep = 0.0;     // m, the gap along the normal of `deepest`, the largest of such
  Manifold deepest;      // on a triangle that has no other way out
  std::uint32_t deepest_names[kMaxManifold];
  SurfacePoint points[kMaxSurfacePoints];
};

// Adds the contacts of one triangle, its corners given in the frame of the surface.
void add_triangle_contacts(const Convex& shape, const RelativePose& X_AS,
                           const SurfaceTriangle& triangle, double margin, SurfaceContacts& out);

// Contacts with the triangle alone, from either side, as if nothing were around it.
void find_lone_triangle_contacts(const Convex& shape, const RelativePose& X_AS,
                                 const SurfaceTriangle& triangle, double margin, Manifold& out);

// After all triangles: takes what lies deep where nothing else was found.
void add_deep_contacts(SurfaceContacts& contacts);

// Joins what belongs together: call it after all triangles, and in between to make room.
void reduce_surface_contacts(double size, SurfaceContacts& contacts);

}  // namespace stance::collision
