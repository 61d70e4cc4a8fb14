#pragma once

// A state of a scene in a file (HDF5), to go on from later: bit for bit what an uninterrupted run
// would do, on machines of the same feature level.

#include <string>

#include "stance/run/simulation.h"

namespace stance::io {

inline constexpr int kSnapshotVersion = 3;

// The file appears whole or not at all.
void write_snapshot(const scene::Scene& scene, const run::Moment& from, const std::string& file);

// Throws stance::Error when the file is none, of another version or of another scene.
run::Moment read_snapshot(const scene::Scene& scene, const std::string& file);

// The bytes of such a file, and back; `file` stands in messages.
std::string pack_snapshot(const scene::Scene& scene, const run::Moment& from);
run::Moment parse_snapshot(const scene::Scene& scene, const std::string& bytes,
                           const std::string& file);

}  // namespace stance::io
