#pragma once

// Rigid-body inertias in world axes, and what follows from them: centre of mass, momentum,
// energy.

#include <span>
#include <vector>

#include "stance/dynamics/kinematics.h"

namespace stance::dynamics {

// What follows from q and the masses.
template <class T>
struct Inertias {
  explicit Inertias(const Model& model) : p_OC(model.nbody), I_C(model.nbody) {}

  std::vector<Vec3<T>> p_OC;  // centre of mass of each body from O, world axes (nbody), m
  std::vector<Sym3<T>> I_C;   // about that centre, world axes (nbody), kg m^2
};

template <class T>
void update_inertias(const Model& model, const Kinematics<T>& kin, Inertias<T>& inertias);

// Inertia of body i about O.
template <class T>
RigidInertia<T> calc_rigid_inertia(const Model& model, const Inertias<T>& inertias, int i) {
  return kernel::make_rigid_inertia(T(model.mass[i]), inertias.p_OC[i], inertias.I_C[i]);
}

}  // namespace stance::dynamics
