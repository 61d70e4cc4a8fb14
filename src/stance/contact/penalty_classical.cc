#include "stance/contact/penalty_classical.h"

#include <algorithm>
#include <cmath>

namespace stance::contact {

using kernel::Vec3d;

double calc_normal_force(ContactLaw law, const PenaltyOptions& options, double gap, double rate) {
  if (gap > 0.0) return 0.0;
  if (law == ContactLaw::kPenaltyHuntCrossley)
    return options.hunt_stiffness * std::pow(-gap, options.hunt_exponent) *
           (1.0 - options.hunt_damping * rate);
  const double force = -options.stiffness * gap - options.damping * rate;
  return law == ContactLaw::kPenaltyClipped ? std::max(force, 0.0) : force;
}

Vec3d calc_friction(const PenaltyOptions& options, double limit, const Vec3d& u, Vec3d& stretch) {
  const Vec3d slide(0.0, u[1], u[2]);
  const Vec3d damper = (-options.tangential_damping) * slide;
  Vec3d force = nmadd(options.tangential_stiffness, stretch, damper);
  const double size = norm(force);
  if (size <= limit) return force;
  force = (limit / size) * force;
  if (options.tangential_stiffness > 0.0)
    stretch = (1.0 / options.tangential_stiffness) * (damper - force);
  return force;
}

}  // namespace stance::contact
