#pragma once

// How contacts are treated; all in SI units.

namespace stance::contact {

struct ContactOptions {
  double tolerance = 1e-8;  // of the residual (solver/residual.h) in every group
  int max_sweeps = 2000;    // then the step goes on and says that it did not converge
  bool accelerate = true;   // Anderson's method on the sweeps
  double margin = 1e-3;     // m: contacts this far away are looked at, and farther at high speed
  double slop = 1e-6;       // m: penetration that is left alone
  double correction = 0.2;  // part of a deeper one that a step takes back
  double loop_correction = 0.5;  // likewise for loops and mimic joints
  int capacity = 8192;           // contact points in a step
  int threads = 1;               // groups solved side by side; the bits do not depend on it
};

}  // namespace stance::contact
