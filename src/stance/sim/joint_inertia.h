#pragma once

// What a joint has to move.

#include <vector>

#include "stance/sim/world.h"

namespace stance::sim {

// Per velocity coordinate (nv): the inertia (kg m^2, or kg for a slide) that a joint of one
// coordinate moves by itself in this state, rotor included; zero for other joints. That is what
// hangs on it, or, where a part of that stands on the world, the rest of its tree: the ankle of a
// standing robot moves the robot, not the foot. Where both stand it is the larger of the two,
// whichever side the base is on. Gains that are multiples of it give every joint the same
// frequency.
std::vector<double> calc_carried_inertias(const World& world, const State& state);

}  // namespace stance::sim
