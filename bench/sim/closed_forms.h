#pragma once

// Motions whose answer is known from a formula or from a conservation law, and how far off a run of
// them is.

#include <span>

#include "stance/sim/world.h"

namespace stance::bench {

struct Steps {
  double h;  // s
  sim::Integrator integrator;
};

struct ClosedForm {
  const char* name;
  const char* quantity;
  const char* unit;
  const char* formula;
  double (*calc_error)(Steps how);
};

std::span<const ClosedForm> closed_forms();
// Smooth motions and bounces that keep energy.
std::span<const ClosedForm> smooth_forms();

}  // namespace stance::bench
