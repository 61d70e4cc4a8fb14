#pragma once

// Our humanoid under joint springs, alone and with a load.

#include "contact/engine.h"

namespace stance::bench {

// Knees bent, on its two feet: 8 contacts.
BenchScene make_standing_humanoid();

// The same with a crate of bricks on its forearms: one group of 48 contacts.
BenchScene make_carrying_humanoid();

}  // namespace stance::bench
