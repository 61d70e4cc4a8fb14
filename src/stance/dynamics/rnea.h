#pragma once

// Recursive Newton-Euler: the joint forces that a motion needs.
// Featherstone (2008), section 5.3, written in world axes at O.

#include <span>
#include <vector>

#include "stance/dynamics/inertia.h"
#include "stance/dynamics/kinematics.h"

namespace stance::dynamics {

template <class T>
struct NewtonEuler {
  explicit NewtonEuler(const Model& model) : A(model.nbody), F(model.nbody) {}

  std::vector<Motion<T>> A;  // spatial acceleration of each body less gravity, at O (nbody)
  std::vector<Force<T>> F;   // force that each joint transmits to its body, at O (nbody)
};

// tau = M vdot + bias, bias = C v - gravity's part; rotor inertia included, joint friction and
// damping not. An empty vdot stands for zero: tau is then the bias. `wrenches` (empty or nbody)
// are external forces on the bodies in world axes at O; they are subtracted.
template <class T>
void calc_inverse_dynamics(const Model& model, const Vec3d& gravity, const Kinematics<T>& kin,
                           const Inertias<T>& inertias, const Velocities<T>& vel,
                           std::span<const T> vdot, std::span<const Force<T>> wrenches,
                           NewtonEuler<T>& work, std::span<T> tau);

// The forward half: A and, before any summation down the tree, the force F of each body alone.
template <class T>
void calc_body_forces(const Model& model, const Vec3d& gravity, const Kinematics<T>& kin,
                      const Inertias<T>& inertias, const Velocities<T>& vel,
                      std::span<const T> vdot, std::span<const Force<T>> wrenches,
                      NewtonEuler<T>& work);

}  // namespace stance::dynamics
