#pragma once

#include <array>
#include <string>
#include <vector>

#include <Eigen/Core>

namespace stance::io {

struct TriangleMesh {
  std::vector<Eigen::Vector3d> vertices;      // m, in the frame of the shape, scaled
  std::vector<std::array<int, 3>> triangles;  // counter-clockwise seen from outside
};

// Reads a mesh of any format that assimp knows (STL, OBJ, DAE, PLY, ...) and scales it. Points and
// lines are left out; nodes of a scene are put where they belong; the up axis of COLLADA files is
// not turned, as other readers of URDF do. Throws stance::Error when the file cannot be used.
TriangleMesh load_mesh(const std::string& path, const Eigen::Vector3d& scale);

}  // namespace stance::io
