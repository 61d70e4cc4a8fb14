#pragma once

// A convex shape on a half-space.

#include "stance/collision/contact_point.h"
#include "stance/collision/convex.h"
#include "stance/collision/lean.h"

namespace stance::collision {

struct Plane {
  Vec3d n_W;      // out of the solid, unit
  double offset;  // n . x on the plane
};

// A point of a shape against a plane: the shape's own point and its distance. The caller turns it
// into a contact.
struct PlanePoint {
  Vec3d p_W;  // on the surface of the shape
  double gap;
  std::uint32_t name;
};
inline constexpr int kMaxPlanePoints = ChosenPoints::kMost;

// Writes the points with gap below margin; returns how many.
//   box: the corners of the face that looks down most, at most 4
//   hull: all vertices, or of more than 16 those that carry it or would, tipped a little (lean.h)
//   sphere 1, capsule up to 2 (its ends)
//   cylinder: four fixed points of the lower rim, the lowest point of each rim when tilted; so it
//   stands on 4, lies on 2, rolls on 1
int find_plane_points(const Convex& shape, const Mat3d& R_WG, const Vec3d& p_WG, const Plane& plane,
                      double margin, PlanePoint* out);

}  // namespace stance::collision
