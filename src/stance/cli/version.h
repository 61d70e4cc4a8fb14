#pragma once

namespace stance::cli {

// "0.1.0 (1f23b3d4a5b6)": the version and the commit that this was built from, "unknown" outside
// git.
const char* version_text();

}  // namespace stance::cli
