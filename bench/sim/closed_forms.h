#pragma once

// Motions whose answer is known from a formula or from a conservation law, and how far off a run of
// them is.

#include <span>

namespace stance::bench {

struct ClosedForm {
  const char* name;
  const char* quantity;
  const char* unit;
  const char* formula;
  double (*calc_error)(double h);  // of a run with steps of h seconds
};

std::span<const ClosedForm> closed_forms();
// Smooth motions and bounces that keep energy.
std::span<const ClosedForm> smooth_forms();

}  // namespace stance::bench
