#pragma once

// Whether the bodies move as the solver says: the last link between a problem that was solved and
// the velocities that the step goes on with.

#include "stance/contact/contact_system.h"

namespace stance::contact {

struct VelocityError {
  double worst = 0.0;    // m/s or rad/s
  double fastest = 0.0;  // velocity of any row, m/s or rad/s

  // Rounding explains 1e-15 of the velocities in the scenes that come with the program.
  bool is_rounding() const { return worst <= 1e-9 * (1.0 + fastest); }
};

// The largest difference between the velocity that the solve gave a row (points, spins, joint rows,
// loops) and what the bodies' velocities V and the coordinates' v after the impulses make of it.
VelocityError calc_velocity_error(const model::Model& model,
                                  const dynamics::Kinematics<double>& kin,
                                  std::span<const Motion<double>> V, std::span<const double> v,
                                  const ContactScratch& scratch);

}  // namespace stance::contact
