#include "stance/dynamics/aba.h"

#include "stance/kernel/assert.h"
#include "stance/kernel/counted.h"
#include "stance/kernel/dual.h"
#include "stance/kernel/expression.h"

namespace stance::dynamics {

using kernel::Counted;
using kernel::Dual;
using kernel::Expression;

namespace {

// Whether adding x changes nothing, as far as that can be known: a scalar that carries more than a
// value, or none yet, has to be added.
bool is_nothing(double x) { return !(x > 0.0 || x < 0.0); }
template <class T>
bool is_nothing(const T&) {
  return false;
}

// IA of a floating base, with rotor inertia and implicit diagonal of its coordinates if any.
template <class T>
ArticulatedInertia<T> add_diagonal(const Model& model, const Kinematics<T>& kin,
                                   std::span<const T> diagonal, int body,
                                   ArticulatedInertia<T> IA) {
  for (int k = model.v_start[body], end = k + 6; k < end; ++k) {
    T extra = T(model.rotor_inertia[k]);
    if (!diagonal.empty())
      extra += diagonal[k];
    else if (is_nothing(model.rotor_inertia[k]))
      continue;
    if (!is_nothing(extra)) IA = nmadd_outer(-extra, Force<T>{kin.S[k].ang, kin.S[k].lin}, IA);
  }
  return IA;
}

}  // namespace

ArticulatedInertia<double> make_point_inertia(const Vec3d& r, const kernel::Mat3d& C,
                                              const kernel::Mat3d& T) {
  // v_P = v_O - r x w: with R = skew(r), J = (-R, 1) and J^T C J = (-R C R, R C; -C R, C)
  const kernel::Mat3d R = kernel::skew(r), RC = R * C, turn = T - RC * R;
  ArticulatedInertia<double> out;
  out.A = {turn.c[0], turn.c[1], turn.c[2]};
  out.B = RC, out.Bt = transpose(RC);
  out.C = {C.c[0], C.c[1], C.c[2]};
  return out;
}

template <class T>
void update_articulated(const Model& model, const Kinematics<T>& kin, const Inertias<T>& inertias,
                        std::span<const T> diagonal, std::span<const AddedInertia<T>> added,
                        Articulated<T>& art) {
  STANCE_ASSERT(diagonal.empty() || static_cast<int>(diagonal.size()) == model.nv);
  for (int i = 1; i < model.nbody; ++i)
    art.IA[i] = ArticulatedInertia<T>(calc_rigid_inertia(model, inertias, i));
  for (const AddedInertia<T>& more : added) art.IA[more.body] += more.inertia;

  for (int n = model.nbody - 2; n >= 0; --n) {
    const int i = model.sweep[n];
    const int first = model.v_start[i], parent = model.parent[i];
    ArticulatedInertia<T> IA = art.IA[i];
    if (is_free_root(model, i)) {
      art.root_inverse[model.tree[i]] = inverse(add_diagonal(model, kin, diagonal, i, IA));
      continue;
    }
    for (int k = first + model.joint_nv(i) - 1; k >= first; --k) {
      // U = IA S, D = S^T U, IA <- IA - U D^-1 U^T
      const Force<T> U = IA * kin.S[k];
      T D = dot(kin.S[k], U) + T(model.rotor_inertia[k]);
      if (!diagonal.empty()) D += diagonal[k];
      const T D_inverse = T(1) / D;
      art.U[k] = U;
      art.D_inverse[k] = D_inverse;
      if (parent == 0 && k == first) break;  // nothing below the root asks for the rest
      IA = nmadd_outer(D_inverse, U, IA);
    }
    if (parent != 0) art.IA[parent] += IA;
  }
}

namespace {

// Given the forces F that oppose the motion (already in work.F), solves for vdot.
template <class T>
void solve(const Model& model, const Kinematics<T>& kin, const Articulated<T>& art,
           std::span<const T> tau, ForwardDynamics<T>& work, std::span<T> vdot) {
  // tips to roots: u = tau - S^T F, F_P += F + U D^-1 u
  std::vector<Force<T>>& forces = work.newton_euler.F;
  for (int n = model.nbody - 2; n >= 0; --n) {
    const int i = model.sweep[n];
    const int first = model.v_start[i];
    Force<T> F = forces[i];
    if (is_free_root(model, i)) {
      for (int k = first; k < first + 6; ++k)
        F = nmadd(tau[k], Force<T>{kin.S[k].ang, kin.S[k].lin}, F);
      forces[i] = F;
      continue;
    }
    for (int k = first + model.joint_nv(i) - 1; k >= first; --k) {
      const T u = tau[k] - dot(kin.S[k], F);
      work.u[k] = u * art.D_inverse[k];
      F = madd(work.u[k], art.U[k], F);
    }
    forces[model.parent[i]] += F;
  }
  forces[0] = Force<T>();

  // roots to tips: vdot = D^-1 (u - U^T A), A += S vdot
  for (int i : model.sweep) {
    if (is_free_root(model, i)) {
      const Force<T>& F = forces[i];
      const Motion<T> A = art.root_inverse[model.tree[i]] * Force<T>{-F.ang, -F.lin};
      for (int k = model.v_start[i], end = k + 6; k < end; ++k)
        vdot[k] = dot(A, Force<T>{kin.S[k].ang, kin.S[k].lin});
      work.A[i] = A;
      continue;
    }
    Motion<T> A = work.A[model.parent[i]];
    for (int k = model.v_start[i], end = k + model.joint_nv(i); k < end; ++k) {
      vdot[k] = work.u[k] - art.D_inverse[k] * dot(A, art.U[k]);
      A = madd(vdot[k], kin.S[k], A);
    }
    work.A[i] = A;
  }
}

}  // namespace

template <class T>
void calc_forward_dynamics(const Model& model, const Vec3d& gravity, const Kinematics<T>& kin,
                           const Inertias<T>& inertias, const Velocities<T>& vel,
                           const Articulated<T>& art, std::span<const T> tau,
                           std::span<const Force<T>> wrenches, ForwardDynamics<T>& work,
                           std::span<T> vdot) {
  STANCE_ASSERT(static_cast<int>(tau.size()) == model.nv);
  calc_body_forces(model, gravity, kin, inertias, vel, std::span<const T>(), wrenches,
                   work.newton_euler);
  solve(model, kin, art, tau, work, vdot);
}

template <class T>
void apply_inverse_mass(const Model& model, const Kinematics<T>& kin, const Articulated<T>& art,
                        std::span<const T> tau, std::span<const Force<T>> wrenches,
                        ForwardDynamics<T>& work, std::span<T> vdot) {
  for (int i = 1; i < model.nbody; ++i)
    work.newton_euler.F[i] =
        wrenches.empty() ? Force<T>() : Force<T>{-wrenches[i].ang, -wrenches[i].lin};
  solve(model, kin, art, tau, work, vdot);
}

template void update_articulated(const Model&, const Kinematics<double>&, const Inertias<double>&,
                                 std::span<const double>, std::span<const AddedInertia<double>>,
                                 Articulated<double>&);
template void update_articulated(const Model&, const Kinematics<Dual>&, const Inertias<Dual>&,
                                 std::span<const Dual>, std::span<const AddedInertia<Dual>>,
                                 Articulated<Dual>&);
template void update_articulated(const Model&, const Kinematics<Counted>&, const Inertias<Counted>&,
                                 std::span<const Counted>, std::span<const AddedInertia<Counted>>,
                                 Articulated<Counted>&);
template void calc_forward_dynamics(const Model&, const Vec3d&, const Kinematics<double>&,
                                    const Inertias<double>&, const Velocities<double>&,
                                    const Articulated<double>&, std::span<const double>,
                                    std::span<const Force<double>>, ForwardDynamics<double>&,
                                    std::span<double>);
template void calc_forward_dynamics(const Model&, const Vec3d&, const Kinematics<Dual>&,
                                    const Inertias<Dual>&, const Velocities<Dual>&,
                                    const Articulated<Dual>&, std::span<const Dual>,
                                    std::span<const Force<Dual>>, ForwardDynamics<Dual>&,
                                    std::span<Dual>);
template void apply_inverse_mass(const Model&, const Kinematics<double>&,
                                 const Articulated<double>&, std::span<const double>,
                                 std::span<const Force<double>>, ForwardDynamics<double>&,
                                 std::span<double>);
template void update_articulated(const Model&, const Kinematics<Expression>&,
                                 const Inertias<Expression>&, std::span<const Expression>,
                                 std::span<const AddedInertia<Expression>>,
                                 Articulated<Expression>&);
template void calc_forward_dynamics(const Model&, const Vec3d&, const Kinematics<Expression>&,
                                    const Inertias<Expression>&, const Velocities<Expression>&,
                                    const Articulated<Expression>&, std::span<const Expression>,
                                    std::span<const Force<Expression>>,
                                    ForwardDynamics<Expression>&, std::span<Expression>);
template void apply_inverse_mass(const Model&, const Kinematics<Expression>&,
                                 const Articulated<Expression>&, std::span<const Expression>,
                                 std::span<const Force<Expression>>, ForwardDynamics<Expression>&,
                                 std::span<Expression>);

}  // namespace stance::dynamics
