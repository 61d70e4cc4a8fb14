#pragma once

// Two convex shapes, neither of them a plane: the witness and the manifold.

#include "stance/collision/manifold.h"

namespace stance::collision {

// Nearest or deepest points of two convex shapes; false when their gap is at least margin.
bool find_witness(const Convex& A, const Convex& B, const RelativePose& X_AB, double margin,
                  Witness& out);

// Contact points with gap below margin; none when out.count is 0.
void find_convex_contacts(const Convex& A, const Convex& B, const RelativePose& X_AB, double margin,
                          Manifold& out);

}  // namespace stance::collision
