#pragma once

// What surfaces are made of.

namespace stance::contact {

struct Material {
  double friction = 0.5;          // Coulomb's coefficient
  double restitution = 0.0;       // Newton's, 0 plastic to 1 elastic
  double torsion_friction = 0.0;  // m: torque about the normal over the normal force
  double rolling_friction = 0.0;  // m: torque across the normal over the normal force

  bool has_spin() const { return torsion_friction > 0.0 || rolling_friction > 0.0; }
};

// Of two surfaces that meet: friction is the geometric mean (ice on anything is ice), the others
// the larger of the two (a rubber ball bounces off any floor, and rolls as badly).
Material combine(const Material& a, const Material& b);

}  // namespace stance::contact
