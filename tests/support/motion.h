#pragma once

// Rates of change along a motion, by central differences in time.

#include "support/workbench.h"

namespace stance::test {

// The state at time t of the motion that passes `now` with the acceleration vdot. Second order:
// u = t v + t^2 vdot / 2 leaves out only terms of t^3, also where joints turn.
inline Workbench move_on(const Workbench& now, const Eigen::VectorXd& vdot, double t) {
  Workbench then(now.model);
  then.gravity = now.gravity;
  then.set(displace(now.model, now.q, t * now.v + 0.5 * t * t * vdot), now.v + t * vdot);
  return then;
}

// d/dt of a vector-valued function of the state.
template <class Function>
Eigen::VectorXd differentiate(const Workbench& now, const Eigen::VectorXd& vdot, double step,
                              Function function) {
  Workbench ahead = move_on(now, vdot, step), behind = move_on(now, vdot, -step);
  return (function(ahead) - function(behind)) / (2.0 * step);
}

}  // namespace stance::test
