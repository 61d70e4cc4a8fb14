#pragma once

// Volume, centre and moments of solids of even density.

#include <Eigen/Core>

#include "stance/collision/polyhedron.h"
#include "stance/collision/shape.h"

namespace stance::sim {

struct SolidInertia {
  double volume = 0.0;                                // m^3
  Eigen::Vector3d com = Eigen::Vector3d::Zero();      // in the frame of the shape, m
  Eigen::Matrix3d moments = Eigen::Matrix3d::Zero();  // about the com per kilogram, m^2
};

// Of a sphere, capsule, cylinder or box; others throw stance::Error.
SolidInertia calc_solid_inertia(const collision::Shape& shape);

// Of a convex polyhedron, by integrals over the tetrahedra between its triangles and a point
// inside: exact up to rounding.
SolidInertia calc_solid_inertia(const collision::Polyhedron& solid);

}  // namespace stance::sim
