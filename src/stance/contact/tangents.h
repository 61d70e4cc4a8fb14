#pragma once

#include <cmath>

#include "stance/kernel/vec3.h"

namespace stance::contact {

// Two unit vectors across the unit vector n; n, t1, t2 are right-handed. They change as little as n
// does, except where it passes a diagonal.
inline void calc_tangents(const kernel::Vec3d& n, kernel::Vec3d& t1, kernel::Vec3d& t2) {
  const kernel::Vec3d axis =
      std::abs(n[0]) < 0.6 ? kernel::Vec3d(1.0, 0.0, 0.0) : kernel::Vec3d(0.0, 1.0, 0.0);
  const kernel::Vec3d across = cross(n, axis);
  t2 = (1.0 / norm(across)) * across;
  t1 = cross(t2, n);
}

}  // namespace stance::contact
