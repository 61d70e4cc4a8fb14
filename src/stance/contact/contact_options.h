#pragma once

// How contacts are treated; all in SI units.

#include "stance/contact/law.h"

namespace stance::contact {

// What penalty_fbl does with forces that contact cannot give.
enum class Saturation : std::uint8_t {
  kConsistent,  // cuts them, and lets the others make up for it: a sliding brick stays on its floor
  kOnce,        // cuts them and no more, as paper R does (19, 20): right for single points only
};

// Parameters of the penalty laws, of every contact point (docs/contact_laws.md). Those of the
// classical laws are for bodies of about a kilogram and steps of 1 ms; others need others.
struct PenaltyOptions {
  // penalty_fbl: desired acceleration -kp (gap + wanted_penetration) - kv min(0, gap rate) along
  // the normal, -kv u_T across it; they know nothing of masses.
  double kp = 500.0;                // 1/s^2
  double kv = 250.0;                // 1/s
  double wanted_penetration = 0.0;  // m, where a contact comes to rest
  Saturation saturation = Saturation::kConsistent;

  // penalty_linear and penalty_clipped: -stiffness gap - damping gap rate
  double stiffness = 5e4;  // N/m
  double damping = 100.0;  // N s/m

  // penalty_hunt_crossley: hunt_stiffness depth^exponent (1 + hunt_damping depth rate)
  double hunt_stiffness = 1e6;  // N/m^exponent
  double hunt_exponent = 1.5;
  double hunt_damping = 5.0;  // s/m

  // friction of these three: a spring and a damper to an anchor, within Coulomb's disc
  double tangential_stiffness = 5e4;  // N/m
  double tangential_damping = 100.0;  // N s/m
};

struct ContactOptions {
  ContactLaw law = ContactLaw::kExact;
  PenaltyOptions penalty;   // of the penalty laws
  int facets = 8;           // of every pyramid of the law lcp
  double tolerance = 1e-8;  // of the residual (solver/residual.h) in every group
  int max_sweeps = 2000;    // then the step goes on and says that it did not converge
  bool accelerate = true;   // Anderson's method on the sweeps
  double margin = 1e-3;     // m: contacts this far away are looked at, and farther at high speed
  double slop = 1e-6;       // m: gaps so small count as closed, penetration is left alone
  double correction = 0.2;  // part of a deeper one that a step takes back
  double loop_correction = 0.5;  // likewise for loops and mimic joints
  int capacity = 8192;           // contact points that there is room for at first
  int most_points = 1'000'000;   // what room is made for; more are left out, and the step says so
  int threads = 1;               // groups solved side by side; the bits do not depend on it
};

}  // namespace stance::contact
