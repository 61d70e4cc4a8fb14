#pragma once

#include "stance/scene/compile.h"

namespace stance::scene {

// Throws stance::Error when things overlap at the start, or a constraint is off, by more than a
// millimetre (or a milliradian).
void check_start(const sim::Scene& scene, const Sources& sources);

// The same for what has just come into a world.
void check_arrivals(const Part& part, const sim::State& state);

}  // namespace stance::scene
