#pragma once

// Vectors, matrices and rotations of the library's own, and Eigen's where a model has them.

#include "stance/kernel/rotation.h"
#include "stance/kernel/vec3.h"

namespace stance {

using kernel::Mat3d;
using kernel::Vec3d;
// A quaternion, w x y z.
using Quatd = kernel::Quat<double>;

}  // namespace stance
