#pragma once

// How deep things lie in each other.

#include "stance/sim/world.h"

namespace stance::sim {

// The deepest penetration of any pair in this state, m. A step reports that of its start, so this
// is what the last one came to. Asks for memory.
double calc_penetration(const World& world, const State& state);

}  // namespace stance::sim
