#pragma once

// A state of a scene in a file (HDF5), to go on from later: bit for bit what an uninterrupted run
// would do, on machines of the same feature level.

#include <cstdint>
#include <string>

#include "stance/io/scene_run.h"

namespace stance::io {

inline constexpr int kSnapshotVersion = 3;

// A number that two scenes share only when they go on alike from the same state: bodies, joints,
// shapes, materials, contact options, constraints, gravity, drives and step. Not where they start,
// how long they run, their names, nor the number of threads.
std::uint64_t calc_scene_hash(const LoadedScene& scene);

// The file appears whole or not at all.
void write_snapshot(const LoadedScene& scene, const RunStart& from, const std::string& file);

// Throws stance::Error when the file is none, of another version or of another scene.
RunStart read_snapshot(const LoadedScene& scene, const std::string& file);

}  // namespace stance::io
