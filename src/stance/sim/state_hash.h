#pragma once

#include <cstdint>

#include "stance/sim/world.h"

namespace stance::sim {

// A number that two states share when all of their bits are the same.
std::uint64_t calc_state_hash(const State& state);

}  // namespace stance::sim
