#pragma once

// Pairs with a cylinder in them.

#include "stance/collision/manifold.h"

namespace stance::collision {

// As find_convex_contacts, where A or B is a cylinder. Exact against spheres, and wherever a cap, a
// side line or a rim meets a face; rims against edges, rims and curved sides go by distance and
// depth iterations, good to 1e-9 of the sizes.
void find_cylinder_contacts(const Convex& A, const Convex& B, const RelativePose& X_AB,
                            double margin, Manifold& out);

}  // namespace stance::collision
