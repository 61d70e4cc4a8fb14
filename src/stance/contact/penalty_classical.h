#pragma once

// The classical penalty laws of one point (R3, R4).

#include "stance/contact/contact_options.h"
#include "stance/kernel/vec3.h"

namespace stance::contact {

// Normal force (N) of penalty_linear, penalty_clipped or penalty_hunt_crossley at a gap (m) and its
// rate (m/s); zero where the gap is open.
double calc_normal_force(ContactLaw law, const PenaltyOptions& options, double gap, double rate);

// Friction (0, T1, T2) of a point that lies `stretch` (m) away from its anchor and moves with u:
// spring and damper, scaled back onto the disc |f_T| <= limit. There the anchor slides along:
// `stretch` becomes what the spring can hold.
kernel::Vec3d calc_friction(const PenaltyOptions& options, double limit, const kernel::Vec3d& u,
                            kernel::Vec3d& stretch);

}  // namespace stance::contact
