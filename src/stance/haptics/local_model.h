#pragma once

// The held point as the device's thread knows it between two steps of the physics: a small contact
// problem that is solved again for every force of the device (README.md).

#include "stance/kernel/vec3.h"

namespace stance::haptics {

using kernel::Mat3d;
using kernel::Vec3d;

struct LocalModel {
  Vec3d position{}, velocity{};  // m, m/s, at the end of the step
  Mat3d spring{};                // N/m, of the coupling, as the object feels it
};

}  // namespace stance::haptics
