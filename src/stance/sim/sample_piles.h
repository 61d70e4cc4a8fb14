#pragma once

// Scenes of cubes and bricks, for tests and benchmarks alike: the same call gives the same scene.

#include <cstdint>

#include "stance/sim/scene_builder.h"

namespace stance::sim {

inline constexpr double kCubeHalf = 0.05;  // m, half an edge of the cubes in these scenes

// Cubes of 1 kg standing apart on a floor: 4 contacts and a group each.
Scene make_resting_cubes(int count);

// Cubes of 1 kg on top of each other, the lowest on a floor.
Scene make_stack(int count);

// Cubes of 1 kg in layers above a floor, places and turns random: they fall into a heap.
Scene make_dropped_cubes(int count, std::uint64_t seed = 1);

// Cubes of 1 kg side by side on one slab that lies on a floor and can move: 4 contacts each, one
// group with the 4 of the slab.
Scene make_cubes_on_slab(int count);

}  // namespace stance::sim
