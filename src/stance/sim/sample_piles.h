#pragma once

// Scenes of cubes and bricks, for tests and benchmarks alike: the same call gives the same scene.

#include <cstdint>

#include "stance/sim/scene_builder.h"

namespace stance::sim {

inline constexpr double kCubeHalf = 0.05;  // m, half an edge of the cubes in these scenes

// Cubes of 1 kg standing apart on a floor: 4 contacts and a group each.
Scene make_resting_cubes(int count);

// Cubes of 1 kg on top of each other, the lowest on a floor.
Scene make_cube_stack(int count);

// Cubes of 1 kg in layers above a floor, places and turns random: they fall into a heap.
Scene make_dropped_cubes(int count, std::uint64_t seed = 1);

// Cubes of 1 kg side by side on one slab that lies on a floor and can move: 4 contacts each, one
// group with the 4 of the slab.
Scene make_cubes_on_slab(int count);

// An open crate of 2 kg with eight bricks of 0.5 kg side by side in it, the middle of its bottom at
// p: a body of five boxes, and 4 contacts for every brick. The crate is 0.16 m by 0.60 m.
void add_crate_with_bricks(const Vec3d& p, SceneBuilder& builder);
inline constexpr int kBricks = 8;

// The same on a floor.
Scene make_crate_with_bricks();

}  // namespace stance::sim
