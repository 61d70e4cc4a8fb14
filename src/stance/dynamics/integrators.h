#pragma once

// Time integrators for free motion. They take the accelerations as a function, so that forces
// of any kind can be tried; the simulation's own step is sim/step.cc.

#include <span>
#include <vector>

#include "stance/kernel/vec3.h"
#include "stance/model/model.h"

namespace stance::dynamics {

struct IntegratorWork {
  explicit IntegratorWork(const model::Model& model)
      : q(model.nq), v(model.nv), move(model.nv), qdot(4 * model.nv), vdot(4 * model.nv) {}

  std::vector<double> q, v;        // a stage's state
  std::vector<double> move;        // a stage's q relative to the start (nv)
  std::vector<double> qdot, vdot;  // the four slopes (4 nv)
};

// First order: v <- v + h vdot(q, v), then q <- q (+) h v. Symplectic where the mass matrix does
// not depend on q.
// accelerate(q, v, vdot) fills vdot (nv).
template <class Accelerate>
void step_semi_implicit(const model::Model& model, double h, Accelerate&& accelerate,
                        std::span<double> q, std::span<double> v, IntegratorWork& work) {
  const std::span<double> vdot(work.vdot.data(), model.nv);
  accelerate(std::span<const double>(q), std::span<const double>(v), vdot);
  for (int k = 0; k < model.nv; ++k) {
    v[k] += h * vdot[k];
    work.move[k] = h * v[k];
  }
  model::integrate(model, q.data(), work.move.data(), q.data());
}

// Rate of the rotation vector u of a joint that has turned by exp(u) and spins with w (Munthe-
// Kaas 1998): u' = w - u x w / 2 + u x (u x w) / 12, exact to the order RK4 needs.
inline kernel::Vec3d calc_rotation_rate(const kernel::Vec3d& u, const kernel::Vec3d& w) {
  const kernel::Vec3d uw = cross(u, w);
  return madd(1.0 / 12.0, cross(u, uw), nmadd(0.5, uw, w));
}

// Fourth order (Runge-Kutta), on the manifold: quaternions stay unit without projection.
template <class Accelerate>
void step_rk4(const model::Model& model, double h, Accelerate&& accelerate, std::span<double> q,
              std::span<double> v, IntegratorWork& work) {
  const int nv = model.nv;
  constexpr double kNode[4] = {0.0, 0.5, 0.5, 1.0};
  for (int stage = 0; stage < 4; ++stage) {
    double* qdot = work.qdot.data() + stage * nv;
    double* vdot = work.vdot.data() + stage * nv;
    const bool start = stage == 0;
    const double* qdot_before = start ? nullptr : qdot - nv;
    const double* vdot_before = start ? nullptr : vdot - nv;
    for (int k = 0; k < nv; ++k) {
      work.move[k] = start ? 0.0 : kNode[stage] * h * qdot_before[k];
      work.v[k] = start ? v[k] : v[k] + kNode[stage] * h * vdot_before[k];
    }
    model::integrate(model, q.data(), work.move.data(), work.q.data());
    accelerate(std::span<const double>(work.q), std::span<const double>(work.v),
               std::span<double>(vdot, nv));
    // velocity of the coordinates that move from the start: v itself, but for turning joints
    for (int k = 0; k < nv; ++k) qdot[k] = work.v[k];
    for (int i = 1; i < model.nbody; ++i) {
      if (model.joint_type[i] != model::JointType::kSpherical &&
          model.joint_type[i] != model::JointType::kFree)
        continue;
      const int s = model.v_start[i];
      const kernel::Vec3d rate =
          calc_rotation_rate({work.move[s], work.move[s + 1], work.move[s + 2]},
                             {work.v[s], work.v[s + 1], work.v[s + 2]});
      for (int k = 0; k < 3; ++k) qdot[s + k] = rate[k];
    }
  }
  const auto mean = [&](const std::vector<double>& slope, int k) {
    return (slope[k] + 2.0 * (slope[nv + k] + slope[2 * nv + k]) + slope[3 * nv + k]) / 6.0;
  };
  for (int k = 0; k < nv; ++k) {
    work.move[k] = h * mean(work.qdot, k);
    v[k] += h * mean(work.vdot, k);
  }
  model::integrate(model, q.data(), work.move.data(), q.data());
}

}  // namespace stance::dynamics
