#pragma once

// Where the forces of a step act, and what they would do without contact (docs/adr/0016).
//
// A step takes place in a frame half-way: the coordinates that bodies have after half a step with
// the velocities of its start. All forces act there at once, and bodies go on for the other half
// with what comes out of it:
//
//   q' = q (+) h/2 v,   v+ = v + h M(q')^-1 (tau - c(q', (v + v+) / 2)) + M(q')^-1 J(q')^T p,
//   q+ = q' (+) h/2 v+
//
// From one frame to the next bodies move by h v+, as in the scheme of first order; so contacts that
// are kept apart there are kept apart for good.

#include "stance/sim/world.h"

namespace stance::sim {

// How far the frame is ahead of the start, s.
inline double calc_lead(const World& w, double h) {
  return w.integrator == Integrator::kMidpoint ? 0.5 * h : 0.0;
}

// Bodies without a joint to any other body but the world.
std::vector<int> find_loose(const model::Model& model);

// Scratch::frame, and Scratch::mean as it is expected to be.
void update_frame(const World& w, double h, const State& x, Scratch& s);

// v* = v + h (M + diagonal)^-1 (tau - c), and the bodies' velocities with it; Scratch::mean where
// bodies turn fast. `is_mean_known`: mean is what it is.
void calc_free_velocity(const World& w, double h, const State& x, bool is_mean_known, Scratch& s);

// After a bounce: the mean of the velocities before and after is another one than was expected.
// True when it is worth another pass.
bool revise_mean(const World& w, const State& x, const StepReport& report, Scratch& s);

// What the next step may expect: nothing, where there was an impact.
void expect_gain(const World& w, double h, State& x, Scratch& s);

}  // namespace stance::sim
