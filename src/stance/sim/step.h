#pragma once

// One step of the simulation.

#include "stance/sim/world.h"

namespace stance::sim {

// Moves x on by h seconds (Moreau's time-stepping, A7, A15): velocities first, with contact
// impulses over the step, then positions. Never throws, asks for no memory once warm.
[[nodiscard]] StepReport step(const World& w, const Input& in, double h, State& x, Scratch& s);

}  // namespace stance::sim
