#pragma once

#include <string>

namespace stance::cli {

// `stance info` of a recording: prints what it holds. Returns the exit code.
int show_recording(const std::string& file, bool json);

}  // namespace stance::cli
