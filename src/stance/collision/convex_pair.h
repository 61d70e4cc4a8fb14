#pragma once

// Two convex shapes, neither of them a plane.

#include "stance/collision/manifold.h"

namespace stance::collision {

// Contact points with gap below margin; none when out.count is 0.
void find_convex_contacts(const Convex& A, const Convex& B, const RelativePose& X_AB, double margin,
                          Manifold& out);

}  // namespace stance::collision
