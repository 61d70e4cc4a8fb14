#pragma once

// Convex hulls of point clouds, with coplanar triangles joined into polygons.

#include <span>
#include <string>

#include "stance/collision/polyhedron.h"

namespace stance::collision {

inline constexpr int kMaxHullVertices = 32767;  // feature names have 15 bits

// Throws stance::Error, naming `who`, on clouds without volume and on numbers that are not finite.
// Faces whose planes differ by less than 1e-6 of the size (single-precision meshes) are joined.
Polyhedron make_hull_polyhedron(std::span<const Vec3d> points, const std::string& who);

}  // namespace stance::collision
