#pragma once

// Static triangle meshes.

#include <array>

namespace stance::collision {

using Triangle = std::array<int, 3>;
struct TriangleMesh {};

}  // namespace stance::collision
