#pragma once

// The nearest point outside some half-spaces: where the god-object goes.

#include <span>

#include "stance/kernel/vec3.h"

namespace stance::haptics {

using kernel::Vec3d;

inline constexpr int kMostPlanes = 8;

// n . x >= offset is allowed.
struct Plane {
  Vec3d n{};            // unit
  double offset = 0.0;  // m
};

struct Nearest {
  Vec3d x{};
  double pull[kMostPlanes] = {};  // m: x - goal = sum of pull n, none negative
};

// The point nearest to `goal` that all planes (at most kMostPlanes) allow, found by trying all sets
// of up to three that it may lie on; exact. Where they leave no room: the point that is least
// wrong of those.
Nearest find_nearest(std::span<const Plane> planes, const Vec3d& goal);

}  // namespace stance::haptics
