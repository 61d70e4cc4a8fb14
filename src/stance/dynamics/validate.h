#pragma once

#include "stance/model/model.h"

namespace stance::dynamics {

// The outermost body whose joint would move nothing: its articulated inertia along the joint
// vanishes in every posture tried (zero, and a few seeded ones), as under a massless tip. An
// invalid index when the model can be simulated. Allocates; for use when a model is loaded.
model::BodyIndex find_singular_body(const model::Model& model);

}  // namespace stance::dynamics
