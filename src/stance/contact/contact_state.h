#pragma once

// What contacts remember from one step to the next.

#include <cstdint>
#include <span>
#include <vector>

#include "stance/collision/contact_point.h"
#include "stance/kernel/vec3.h"

namespace stance::contact {

// Impulses of the last step by the ids of their contacts; part of the State, since the answer of an
// interrupted or redundant problem depends on where it starts. The anchors of the classical penalty
// laws' friction too.
struct WarmStart {
  std::vector<std::uint64_t> id;       // in the order of the contacts
  std::vector<kernel::Vec3d> p;        // (N, T1, T2), N s
  std::vector<kernel::Vec3d> spin;     // torsion and rolling, N m s; zero where there is none
  std::vector<kernel::Vec3d> stretch;  // from the friction's anchor to the point, world axes, m
};

}  // namespace stance::contact
