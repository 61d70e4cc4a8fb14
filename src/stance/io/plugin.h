#pragma once

// Loads shared libraries with modules of users (sim/plugin.h).

#include <string>

#include "stance/kernel/error.h"
#include "stance/sim/plugin.h"

namespace stance::io {

// Throws stance::Error at `place` when the file is no such library or of another version. The
// library stays loaded for the rest of the program: what it made may live as long.
sim::PluginMaker load_plugin(const std::string& file, const Place& place);

}  // namespace stance::io
