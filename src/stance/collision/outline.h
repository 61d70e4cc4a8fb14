#pragma once

// What a convex shape shows in a direction, projected on a plane: polygon, segment or point.

#include <cstdint>

#include "stance/collision/convex.h"
#include "stance/kernel/simd.h"

namespace stance::collision {

inline constexpr int kMaxOutline = 64;  // corners of a face that are shown
inline constexpr int kRim = 8;          // fixed points on the rim of a cylinder

// Frame of the projection: x and y in the plane, z along the normal, as columns in the axes of the
// shape, and the coordinates of the shape's origin in it.
struct Projection {
  Mat3d axes;
  Vec3d origin;

  kernel::Double4 operator()(const Vec3d& p) const { return (origin + transpose_mul(axes, p)).e; }
};

struct Outline {
  int count = 0;
  int inner = 0;  // points behind the corners, inside of the polygon and perhaps in front of it
  double alignment = 0.0;             // |cosine| between the polygon's normal and z; 0: no polygon
  double slope_x = 0.0, slope_y = 0;  // the polygon's plane: z = z0 + slope_x x + slope_y y
  kernel::Double4 p[kMaxOutline];     // x, y, z
  std::int16_t vertex[kMaxOutline];   // names
  std::int16_t edge[kMaxOutline];     // of the side from this corner to the next

  Outline() {}  // the arrays are left as they are: filled by find_outline
};

// The outline towards direction d (unit, in the axes of the shape): the face whose normal is
// nearest to d, or its cap (cap.h), the whole segment of a capsule, the cap or the side line of a
// cylinder.
void find_outline(const Convex& shape, const Vec3d& d, const Projection& project, Outline& out);

// The edge or side line nearest to being square to d among those at the farthest point in direction
// d; false when none is square to d within a few degrees.
bool find_edge(const Convex& shape, const Vec3d& d, Vec3d ends[2], int names[2]);

}  // namespace stance::collision
