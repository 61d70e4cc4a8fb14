#pragma once

#include <string>

#include <Eigen/Core>

#include "stance/scene/robot.h"

namespace stance::io {

// Reads a mesh of any format that assimp knows (STL, OBJ, DAE, PLY, ...) and scales it. Points and
// lines are left out; nodes of a scene are put where they belong; the up axis of COLLADA files is
// not turned, as other readers of URDF do. Throws stance::Error when the file cannot be used.
scene::Mesh load_mesh(const std::string& path, const Eigen::Vector3d& scale);

}  // namespace stance::io
