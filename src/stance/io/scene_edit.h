#pragma once

// How people changed a scene while it ran, as JSON, one line each, and back. Throws stance::Error.

#include <string>
#include <string_view>
#include <vector>

#include "stance/run/simulation.h"

namespace stance::io {

std::string write_edits(const std::vector<run::SceneEdit>& edits);
std::vector<run::SceneEdit> parse_edits(std::string_view text);

}  // namespace stance::io
