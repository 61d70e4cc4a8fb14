#pragma once

// What moves bodies in a step besides their velocities.

#include "stance/sim/world.h"

namespace stance::sim {

// v += M^-1 (sum of J^T impulses)
void apply_impulses(const World& world, Scratch& scratch, std::span<double> v);

// The way of the step, Scratch::move, as velocities: those after the solve, a displacement against
// penetration and drift, and one that holds apart what would come through each other since it was
// no contact of the step's problem (contact/missed.h). True if there is any. What comes through
// all the same is in the report.
bool displace(const World& world, double h, StepReport& report, Scratch& scratch);

// Of a state that no step has made: bodies that would meet something on their way to the frame of
// the step go only as far as to it. Scratch::frame, q_frame and mean.
void keep_way(const World& world, double h, const State& state, Scratch& scratch);

}  // namespace stance::sim
