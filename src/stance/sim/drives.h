#pragma once

// What acts on the joints during a step: torques, implicit springs and dampers, and their limits.
//
// A drive's torque is clamp(tau + K (target - q_s) - D v_s, -limit, limit), q_s and v_s taken
// within the step, which makes it implicit. With q' the coordinate in the step's frame and w = lag:
//
//   q_s = q' + h ((1/4 + 3/4 w) v+ - (1 - w)/4 v),   v_s = (1 + w)/2 v+ + (1 - w)/2 v
//
// w = 0 is the mean over the step, of second order and without damping of its own; a drive that is
// stiff against the inertia at its joint would ring by it. w = 1 is what the frame after this one
// will see: of first order, and dead after a step. In between w grows with h sqrt(K / m) from 0.3
// and with h D / m from 1 on, m the inertia that the drive meets while all other joints are free
// (calc_lightest): held ones and contacts only add to it.
//
// Within its limit a drive is on the implicit diagonal; at its limit it is a constant torque and
// leaves the diagonal. Which joints are where is found by taking the step again until all agree,
// starting from the last step's; so it costs nothing where nothing changes. The other way, a box
// row with the compliance of the diagonal per limited joint, makes one problem of joints and
// contacts in every step, changed or not.

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

// The inertia that each coordinate meets where nothing else holds its links (nv), kg m^2 or kg: one
// over the diagonal of M^-1, with all joints at zero; of loose bodies their own.
std::vector<double> calc_lightest(const model::Model& model);

// tau, and the diagonal of (M + diagonal) vdot = tau - bias
void calc_drives(const World& w, const Input& in, double h, const State& x, Scratch& s);

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
