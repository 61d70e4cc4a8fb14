#pragma once

// Articulated bodies: forward dynamics in O(n).
// Featherstone (2008), section 7.3, in world axes at O, split in two: what depends on q alone
// (Articulated, shared with the inverse inertia at the contacts) and the right-hand side.
//
// A joint of several degrees of freedom is eliminated one coordinate at a time, as if massless
// bodies lay between; that is block elimination by L D L^T, so every loop below runs over
// single coordinates whatever the joint. The free joint of a floating base alone is inverted
// as a block: its six coordinates span all motions, so U and D of these are not used.

#include <span>
#include <vector>

#include "stance/dynamics/inertia.h"
#include "stance/dynamics/kinematics.h"
#include "stance/dynamics/rnea.h"

namespace stance::dynamics {

template <class T>
struct Articulated {
  explicit Articulated(const Model& model)
      : IA(model.nbody), U(model.nv), D_inverse(model.nv), root_inverse(model.ntree) {}

  std::vector<ArticulatedInertia<T>> IA;  // of each body before its own joint acts (nbody)
  std::vector<Force<T>> U;                // IA S, coordinate by coordinate (nv)
  std::vector<T> D_inverse;               // 1 / (S^T U + rotor + diagonal) (nv)
  std::vector<Mat6<T>> root_inverse;      // IA^-1 of floating bases (ntree)
};

// True for the base body of a floating tree.
inline bool is_free_root(const Model& model, int body) {
  return model.parent[body] == 0 && model.joint_kernel[body] == model::JointKernel::kFree;
}

// Symmetric inertia that a body has beside its own, world axes at O: dt d + dt^2 k of implicit
// springs and dampers between the body and the world.
template <class T>
struct AddedInertia {
  int body = 0;
  ArticulatedInertia<T> inertia;
};

// Resistance to motions of one point of a body, r from O, and to turning, both symmetric:
// J^T C J + diag(T, 0), J the point's velocity by the body's motion at O.
ArticulatedInertia<double> make_point_inertia(const Vec3d& r, const kernel::Mat3d& C,
                                              const kernel::Mat3d& T);

// Refreshes the articulated inertias from the tips to the roots. `diagonal` (empty or nv) is
// added to the mass matrix's diagonal: dt d + dt^2 k of joints with implicit damping and
// stiffness; `added` to the bodies' inertias. Rotor inertia is always included.
template <class T>
void update_articulated(const Model& model, const Kinematics<T>& kin, const Inertias<T>& inertias,
                        std::span<const T> diagonal, std::span<const AddedInertia<T>> added,
                        Articulated<T>& art);
template <class T>
void update_articulated(const Model& model, const Kinematics<T>& kin, const Inertias<T>& inertias,
                        std::span<const T> diagonal, Articulated<T>& art) {
  update_articulated(model, kin, inertias, diagonal, std::span<const AddedInertia<T>>(), art);
}

template <class T>
struct ForwardDynamics {
  explicit ForwardDynamics(const Model& model) : newton_euler(model), u(model.nv), A(model.nbody) {}

  NewtonEuler<T> newton_euler;
  std::vector<T> u;          // force left at each coordinate after the ones outside it (nv)
  std::vector<Motion<T>> A;  // acceleration of each body due to u (nbody)
};

// vdot = (M + diagonal)^-1 (tau - bias): forward dynamics. `wrenches` as in rnea.h.
template <class T>
void calc_forward_dynamics(const Model& model, const Vec3d& gravity, const Kinematics<T>& kin,
                           const Inertias<T>& inertias, const Velocities<T>& vel,
                           const Articulated<T>& art, std::span<const T> tau,
                           std::span<const Force<T>> wrenches, ForwardDynamics<T>& work,
                           std::span<T> vdot);

// vdot = (M + diagonal)^-1 (tau + sum of J^T wrench): no bias, no gravity.
template <class T>
void apply_inverse_mass(const Model& model, const Kinematics<T>& kin, const Articulated<T>& art,
                        std::span<const T> tau, std::span<const Force<T>> wrenches,
                        ForwardDynamics<T>& work, std::span<T> vdot);

}  // namespace stance::dynamics
