#include "stance/contact/material.h"

#include <algorithm>
#include <cmath>

namespace stance::contact {

Material combine(const Material& a, const Material& b) {
  return {std::sqrt(a.friction * b.friction), std::max(a.restitution, b.restitution),
          std::max(a.torsion_friction, b.torsion_friction),
          std::max(a.rolling_friction, b.rolling_friction)};
}

}  // namespace stance::contact
