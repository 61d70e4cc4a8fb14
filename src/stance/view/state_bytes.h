#pragma once

// A sim::State as bytes and back, bit for bit; for the timeline, which keeps thousands of them.

#include <span>

#include "stance/sim/world.h"
#include "stance/view/bytes.h"

namespace stance::view {

// Appends.
void write_state(const sim::State& state, Bytes& out);

// Into a state of the same world: its vectors keep their room.
void read_state(std::span<const std::byte> bytes, sim::State& state);

}  // namespace stance::view
