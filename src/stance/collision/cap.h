#pragma once

// Faces of a hull that nearly lie in one plane, taken together.
//
// A sole that was scanned, rounded to single precision or laid out by hand is flat to some
// micrometres only: its hull has dozens of slightly tilted triangles where a foot has one face. A
// body that stands on one of them, and is seen by this triangle alone, tips into its neighbours. So
// what a face shows to another shape is its cap: the vertices that lie less than some micrometres
// behind it. Faces that nearly lie in the plane of a larger one share its cap, so that a body that
// rests shows the same points however it sways.

#include <cstdint>
#include <vector>

#include "stance/collision/polyhedron.h"

namespace stance::collision {

inline constexpr int kMaxCap = 32;  // vertices

// Fills caps, their vertices, and PolyhedronFace::cap where a cap holds more than the face.
void find_caps(const std::vector<Vec3d>& vertices, const std::vector<std::int32_t>& loop_vertices,
               std::vector<PolyhedronFace>& faces, std::vector<PolyhedronCap>& caps,
               std::vector<std::int32_t>& cap_vertices);

}  // namespace stance::collision
