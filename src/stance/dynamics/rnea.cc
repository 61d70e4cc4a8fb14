#include "stance/dynamics/rnea.h"

#include "stance/kernel/assert.h"
#include "stance/kernel/counted.h"
#include "stance/kernel/dual.h"
#include "stance/kernel/expression.h"

namespace stance::dynamics {

using kernel::Counted;
using kernel::Dual;
using kernel::Expression;
using kernel::madd;

template <class T>
void calc_body_forces(const Model& model, const Vec3d& gravity, const Kinematics<T>& kin,
                      const Inertias<T>& inertias, const Velocities<T>& vel,
                      std::span<const T> vdot, std::span<const Force<T>> wrenches,
                      NewtonEuler<T>& work) {
  STANCE_ASSERT(vdot.empty() || static_cast<int>(vdot.size()) == model.nv);
  work.A[0].lin = -Vec3<T>(gravity);  // gravity as an upward acceleration of the world
  for (int i = 1; i < model.nbody; ++i) {
    // A = A_P + dS/dt v + S vdot
    Motion<T> A = work.A[model.parent[i]] + vel.c[i];
    if (!vdot.empty())
      for (int k = model.v_start[i], end = k + model.joint_nv(i); k < end; ++k)
        A = madd(vdot[k], kin.S[k], A);
    work.A[i] = A;

    // Newton and Euler about the centre of mass C: a_C = a + alpha x c + w x (v + w x c)
    const Motion<T>& V = vel.V[i];
    const Vec3<T>& c = inertias.p_OC[i];
    const Vec3<T> v_C = V.lin + cross(V.ang, c);
    const Vec3<T> f = T(model.mass[i]) * (A.lin + cross2(A.ang, c, V.ang, v_C));
    const Vec3<T> L = inertias.I_C[i] * V.ang;
    work.F[i] = {madd(inertias.I_C[i], A.ang, cross2(V.ang, L, c, f)), f};
    if (!wrenches.empty()) work.F[i] = work.F[i] - wrenches[i];
  }
}

template <class T>
void calc_inverse_dynamics(const Model& model, const Vec3d& gravity, const Kinematics<T>& kin,
                           const Inertias<T>& inertias, const Velocities<T>& vel,
                           std::span<const T> vdot, std::span<const Force<T>> wrenches,
                           NewtonEuler<T>& work, std::span<T> tau) {
  STANCE_ASSERT(static_cast<int>(tau.size()) == model.nv);
  calc_body_forces(model, gravity, kin, inertias, vel, vdot, wrenches, work);
  for (int i = model.nbody - 1; i > 0; --i) {
    // tau = S^T F (+ rotor), F_P += F
    const Force<T>& F = work.F[i];
    for (int k = model.v_start[i], end = k + model.joint_nv(i); k < end; ++k) {
      tau[k] = dot(kin.S[k], F);
      if (!vdot.empty()) tau[k] = madd(T(model.rotor_inertia[k]), vdot[k], tau[k]);
    }
    work.F[model.parent[i]] += F;
  }
  work.F[0] = Force<T>();
}

template void calc_body_forces(const Model&, const Vec3d&, const Kinematics<double>&,
                               const Inertias<double>&, const Velocities<double>&,
                               std::span<const double>, std::span<const Force<double>>,
                               NewtonEuler<double>&);
template void calc_body_forces(const Model&, const Vec3d&, const Kinematics<Dual>&,
                               const Inertias<Dual>&, const Velocities<Dual>&,
                               std::span<const Dual>, std::span<const Force<Dual>>,
                               NewtonEuler<Dual>&);
template void calc_inverse_dynamics(const Model&, const Vec3d&, const Kinematics<double>&,
                                    const Inertias<double>&, const Velocities<double>&,
                                    std::span<const double>, std::span<const Force<double>>,
                                    NewtonEuler<double>&, std::span<double>);
template void calc_inverse_dynamics(const Model&, const Vec3d&, const Kinematics<Dual>&,
                                    const Inertias<Dual>&, const Velocities<Dual>&,
                                    std::span<const Dual>, std::span<const Force<Dual>>,
                                    NewtonEuler<Dual>&, std::span<Dual>);
template void calc_body_forces(const Model&, const Vec3d&, const Kinematics<Expression>&,
                               const Inertias<Expression>&, const Velocities<Expression>&,
                               std::span<const Expression>, std::span<const Force<Expression>>,
                               NewtonEuler<Expression>&);
template void calc_inverse_dynamics(const Model&, const Vec3d&, const Kinematics<Expression>&,
                                    const Inertias<Expression>&, const Velocities<Expression>&,
                                    std::span<const Expression>, std::span<const Force<Expression>>,
                                    NewtonEuler<Expression>&, std::span<Expression>);

}  // namespace stance::dynamics
