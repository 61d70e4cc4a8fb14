#pragma once

// Our humanoid under joint springs, alone and with a load.

#include "contact/engine.h"

namespace stance::bench {

// The dry friction of its 30 joints, as the file has it, is one row more for each.
enum class JointFriction { kNone, kDry };

// Knees bent, on its two feet: 8 contacts.
BenchScene make_standing_humanoid(JointFriction friction);

// The same with a crate of bricks on its forearms: one group of 48 contacts.
BenchScene make_carrying_humanoid(JointFriction friction);

}  // namespace stance::bench
