#pragma once

// States as bytes and back, bit for bit, and the comparison of two; all by the one list of members
// (state_members.h).

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "stance/sim/world.h"

namespace stance::sim {

inline constexpr std::uint32_t kStateVersion = 3;

// A string of bytes that describes itself, for files and other programs; little-endian:
//   "STNCSTAT", u32 version, u32 number of entries,
//   per entry u32 length of its name, the name, u64 number of words, the words (8 bytes each),
//   u64 checksum (FNV-1a) of all that stands before.
// Entries are the members by their names, and memory/NAME for every controller.
std::vector<std::byte> write_state(const State& state);

// A state of `world` from such bytes; `like` is one, as a scene starts, with the memory that its
// controllers want. Throws stance::Error when a byte is damaged or missing, when the bytes are of
// another version or of another world, or when a number is none.
State read_state(std::span<const std::byte> bytes, const World& world, const State& like);

// Without names of members, sizes to compare with and checksum: for states that a program keeps by
// the thousand for itself. Appends; reads into a state of any world, whose vectors keep their room.
void append_bare(const State& state, std::vector<std::byte>& out);
void read_bare(std::span<const std::byte> bytes, State& state);

// Why a state cannot go on in `world`, in words; empty where it can. `like` is one of the world, as
// a scene starts, with the memory that its controllers want.
std::string find_misfit(const State& state, const World& world, const State& like);

// Where two states differ first, bit by bit: "warm/p[3]: 0.5 and 0.25", "memory of robot/arm[0]:
// ..."; empty where they are the same.
std::string find_difference(const State& a, const State& b);

}  // namespace stance::sim
