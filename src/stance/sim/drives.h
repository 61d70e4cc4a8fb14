#pragma once

// What acts on the joints during a step: torques, implicit springs and dampers, and their limits.
//
// A drive's torque is clamp(tau + K (target - q+) - D v+, -limit, limit), with q+ and v+ of the end
// of the step. Within its limit it is on the implicit diagonal; at its limit it is a constant
// torque and leaves the diagonal. Which joints are where is found by taking the step again until
// all agree, starting from the last step's; so it costs nothing where nothing changes. The other
// way, a box row with the compliance 1 / (h D + h^2 K) per limited joint, makes one problem of
// joints and contacts in every step, changed or not.

#include "stance/sim/world.h"

namespace stance::sim {

// Forces on bodies as forces on coordinates: tau_k = S_k . sum of the wrenches behind k. Leaves the
// sums in `wrenches` (nbody), at O. Returns false, and leaves tau alone, when there are none.
bool calc_external(const model::Model& model, const dynamics::Kinematics<double>& kin,
                   std::span<const PointWrench> given, std::span<kernel::Force<double>> wrenches,
                   std::span<double> tau);

// Before the first pass: external forces, what they add to inertias, and joints at their limits as
// in the last step.
void start_drives(const World& w, const Input& in, double h, const State& x, Scratch& s);

// tau and the diagonal: (M + h D + h^2 K) vdot = tau + K (target - q - h v) - D v - bias
void calc_drives(const model::Model& model, const Input& in, double h, const State& x, Scratch& s);

// After pass number `pass`: true when a joint met or left its limit, so that another is needed.
bool revise_limits(const model::Model& model, const Input& in, double h, const State& x, int pass,
                   Scratch& s);

// The first coordinate whose drive is at its limit and need not be, where passes ended before all
// agreed; -1 where all do.
int find_broken_drive(const model::Model& model, const Input& in, double h, const State& x,
                      const Scratch& s);

// The torques that drives gave and the forces on bodies, and their work: the change of kinetic
// energy is the impulse of every force times the mean of the velocities before and after.
void book_drives(const model::Model& model, const Input& in, double h, State& x, Scratch& s);

}  // namespace stance::sim
