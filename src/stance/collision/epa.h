#pragma once

// Depth of two overlapping convex cores by an expanding polytope (van den Bergen 2001).

#include "stance/collision/gjk.h"

namespace stance::collision {

struct EpaResult {
  double depth = 0.0;  // at least 0
  Vec3d n;             // unit, from B to A: the shortest way out for A
  Vec3d a, b;          // deepest points, in the frame of A
};

// The depth is how far the shapes overlap along n, to rounding; it is the least there is to within
// 1e-10 of the sizes, or as near as 128 points of the difference of the shapes come (nearly coaxial
// cylinders, one inside the other: 1e-4 of the depth). False when that difference has no volume.
// (Starting from the simplex that find_distance ends with saves little and fails where that is
// flat.)
bool find_depth(const Convex& A, const Convex& B, const RelativePose& X_AB, EpaResult& out);

}  // namespace stance::collision
