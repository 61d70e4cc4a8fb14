#pragma once

// Runs a recording's inputs again and compares every number.

#include <memory>
#include <string>
#include <vector>

#include "stance/io/recording.h"
#include "stance/run/verifier.h"

namespace stance::io {

// The first difference, if there is one, and how much was compared.
struct ReplayResult {
  std::optional<run::Difference> difference;
  std::size_t rows = 0, columns = 0;  // that were compared
  sim::RunSummary summary{};          // of the run again
};

// The scene comes out of the recording; robots, meshes and other files must be where they were,
// unchanged. `warnings` get what may make a difference: another program, another processor. Other
// observers look on. Throws stance::Error when it cannot be run again.
ReplayResult replay(const Recording& recording, std::vector<std::string>& warnings,
                    const std::vector<run::Observer*>& others = {});

}  // namespace stance::io
