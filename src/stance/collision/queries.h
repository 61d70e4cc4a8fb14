#pragma once

// Questions about the scene outside a step's contacts. Poses are those of the last find_contacts or
// update_poses.

#include "stance/collision/find_contacts.h"

namespace stance::collision {

struct RayHit {
  int geometry = -1;      // -1: nothing was hit
  double distance = 0.0;  // m along the ray
  Vec3d p_W;
  Vec3d n_W;  // unit, out of the geometry; against the ray where it starts inside
};

// The first geometry that the ray from `origin` along `direction` (any length but zero) meets
// within max_distance (m). A ray that starts inside a solid hits it at distance 0; meshes and
// height fields are hit from their front only.
RayHit cast_ray(const CollisionModel& model, const CollisionScratch& scratch, const Vec3d& origin,
                const Vec3d& direction, double max_distance);

struct ClosestPoints {
  double distance = 0.0;  // m; negative: depth of penetration
  Vec3d p_a_W, p_b_W;     // on the surfaces
  Vec3d n_W;              // unit, from b to a
};

// Nearest points of two geometries, or the deepest when they overlap, filters aside. False when the
// distance is at least max_distance, and for two grounds (planes, meshes, height fields). Against
// meshes and height fields it is the distance to the nearest triangle, from either side.
bool find_closest(const CollisionModel& model, const CollisionScratch& scratch, int a, int b,
                  double max_distance, ClosestPoints& out);

// The same for a sphere that is not part of the scene and a geometry of it; n_W points to the
// sphere, a is the sphere.
bool find_closest_to_sphere(const CollisionModel& model, const CollisionScratch& scratch,
                            const Vec3d& center, double radius, int geometry, double max_distance,
                            ClosestPoints& out);

}  // namespace stance::collision
