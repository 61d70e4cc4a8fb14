#pragma once

// The version of these headers, and that of the library that a program is linked with.

#include "stance/kernel/library_check.h"

namespace stance {

using kernel::BuildInfo;
using kernel::find_library_build;

// Of the headers that this was compiled with: STANCE_VERSION_MAJOR, _MINOR and _PATCH, and the
// instruction set. Programs need not compare it with find_library_build(): scene.h, simulation.h,
// dynamics.h and contact.h do so before main, and end a program whose headers and library do not
// belong together, or whose processor lacks what the library was built for, with a sentence and
// exit code 3. Plugins are refused when they are loaded.
inline constexpr BuildInfo kHeaders = kernel::make_build_info();

}  // namespace stance
