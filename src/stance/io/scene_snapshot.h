#pragma once

// Snapshots (run/snapshot.h) in files.

#include <string>

#include "stance/run/snapshot.h"

namespace stance::io {

// Writes a snapshot. The file appears whole or not at all. Throws stance::Error.
void save_snapshot(const scene::Scene& scene, const run::Moment& from, const std::string& file);

// Reads a snapshot. Throws stance::Error when the file is none, of another version or of another
// scene.
run::Moment load_snapshot(const scene::Scene& scene, const std::string& file);

}  // namespace stance::io
