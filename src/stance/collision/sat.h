#pragma once

// Separating axes of two polyhedra (Gottschalk, Lin, Manocha 1996; Gregorius 2013 for the Gauss
// map).
//
// Among face normals and cross products of edges that belong to a face of the Minkowski sum, the
// axis of greatest separation. Negative: the depth of penetration, exact. Positive: a lower bound
// of the distance, exact unless the nearest features are a vertex and an edge or two vertices.

#include "stance/collision/convex.h"
#include "stance/collision/manifold.h"

namespace stance::collision {

// False when some axis shows more than margin. Otherwise the axis and a pair of points on it.
// Separations are of the cores, without rounding.
bool find_box_box_axis(const Convex& A, const Convex& B, const RelativePose& X_AB, double margin,
                       Witness& out);
bool find_polyhedra_axis(const Convex& A, const Convex& B, const RelativePose& X_AB, double margin,
                         Witness& out);

}  // namespace stance::collision
