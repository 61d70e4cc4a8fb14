#pragma once

// Errors of the library: what went wrong, where in the user's file, and what to try. Everything
// that reads files or checks specs throws stance::Error; a step never does.

#include "stance/kernel/error.h"  // Error, Place, Warning
