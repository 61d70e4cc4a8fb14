#include "stance/dynamics/derivatives.h"

#include "stance/dynamics/joint_motion.h"
#include "stance/kernel/assert.h"

namespace stance::dynamics {

DerivativesWork::DerivativesWork(const Model& model)
    : kin(model),
      inertias(model),
      vel(model),
      newton_euler(model),
      tau(model.nv),
      Ic(model.nbody),
      Bc(model.nbody),
      influence(model.nv) {}

namespace {

Motion<double> make_unit(int k) {
  Motion<double> unit;
  (k < 3 ? unit.ang : unit.lin).set(k % 3, 1.0);
  return unit;
}

// The matrix B P = I (P x V) + P x* (I V) + V x* (I P) of a body: what a velocity P, common to
// all bodies that move along, adds to its force. Column k is kept in a Motion's two parts.
Mat6<double> calc_velocity_products(const RigidInertia<double>& I, const Motion<double>& V) {
  const Force<double> h = I * V;
  Mat6<double> B;
  for (int k = 0; k < 6; ++k) {
    const Motion<double> P = make_unit(k);
    const Force<double> f = I * cross(P, V) + cross(P, h) + cross(V, I * P);
    B.c[k] = {f.ang, f.lin};
  }
  return B;
}

Force<double> times(const Mat6<double>& B, const Motion<double>& m) {
  const Motion<double> f = B * Force<double>{m.ang, m.lin};
  return {f.ang, f.lin};
}

Force<double> transpose_times(const Mat6<double>& B, const Motion<double>& m) {
  Force<double> f;
  for (int k = 0; k < 3; ++k) {
    f.ang.set(k, dot(m, Force<double>{B.c[k].ang, B.c[k].lin}));
    f.lin.set(k, dot(m, Force<double>{B.c[3 + k].ang, B.c[3 + k].lin}));
  }
  return f;
}

DerivativesWork::Influence calc_influence(const Model& model, const DerivativesWork& work,
                                          std::span<const double> v, std::span<const double> vdot,
                                          int i, int k) {
  const Motion<double>& S = work.kin.S[k];
  const Motion<double>& V = work.vel.V[i];
  const Motion<double>& V_P = work.vel.V[model.parent[i]];
  Motion<double> e, a;  // change of the joint's own S v and S vdot
  Motion<double> d;     // change with v_k of the part (0, v_J x w_J) of dS/dt v
  if (has_moving_axes(model.joint_kernel[i])) {
    // the turning axes travel with the body origin: dS_l/dq_k = (0, s_k x w_l)
    const Vec3d shift = S.lin + cross(S.ang, work.kin.p_OB[i]);  // of the body origin
    Motion<double> V_J, A_J;
    for (int l = model.v_start[i], end = l + model.joint_nv(i); l < end; ++l) {
      V_J = madd(v[l], work.kin.S[l], V_J);
      A_J = madd(vdot[l], work.kin.S[l], A_J);
    }
    const Vec3d v_Bo = V_J.lin + cross(V_J.ang, work.kin.p_OB[i]);
    e.lin = cross(shift, V_J.ang);
    a.lin = cross(shift, A_J.ang);
    d.lin = cross2(shift, V_J.ang, v_Bo, S.ang);
  }
  DerivativesWork::Influence out;
  out.P = e + cross(V, S);
  out.Q = a + cross(V_P, e) - cross(S, work.newton_euler.A[i]) - cross(out.P, V);
  out.G = cross(V_P, S) + d + cross(V, S);
  return out;
}

}  // namespace

void calc_inverse_dynamics_derivatives(const Model& model, const Vec3d& gravity,
                                       std::span<const double> q, std::span<const double> v,
                                       std::span<const double> vdot, DerivativesWork& work,
                                       Eigen::Ref<Eigen::MatrixXd> dtau_dq,
                                       Eigen::Ref<Eigen::MatrixXd> dtau_dv) {
  STANCE_ASSERT(static_cast<int>(q.size()) == model.nq && static_cast<int>(v.size()) == model.nv);
  update_kinematics(model, q, work.kin);
  update_inertias(model, work.kin, work.inertias);
  update_velocities(model, work.kin, v, work.vel);
  calc_inverse_dynamics(model, gravity, work.kin, work.inertias, work.vel, vdot,
                        std::span<const Force<double>>(), work.newton_euler,
                        std::span<double>(work.tau));

  dtau_dq.setZero();
  dtau_dv.setZero();
  for (int i = 1; i < model.nbody; ++i) {
    work.Ic[i] = calc_rigid_inertia(model, work.inertias, i);
    work.Bc[i] = calc_velocity_products(work.Ic[i], work.vel.V[i]);
    for (int k = model.v_start[i], end = k + model.joint_nv(i); k < end; ++k)
      work.influence[k] = calc_influence(model, work, v, vdot, i, k);
  }
  for (int i = model.nbody - 1; i > 0; --i) {
    const RigidInertia<double>& Ic = work.Ic[i];
    const Mat6<double>& Bc = work.Bc[i];
    const Force<double>& Fc = work.newton_euler.F[i];
    for (int k = model.v_start[i], end = k + model.joint_nv(i); k < end; ++k) {
      const Motion<double>& S = work.kin.S[k];
      const DerivativesWork::Influence& on = work.influence[k];
      // column k, rows l that support it or belong to the same joint
      const Force<double> by_q = cross(S, Fc) + Ic * on.Q + times(Bc, on.P);
      const Force<double> by_v = Ic * on.G + times(Bc, S);
      for (int l = end - 1; l >= 0; l = model.dof_parent[l]) {
        dtau_dq(l, k) = dot(work.kin.S[l], by_q);
        dtau_dv(l, k) = dot(work.kin.S[l], by_v);
      }
      if (has_moving_axes(model.joint_kernel[i])) {
        // the joint's own axes travel: dS_l/dq_k . F
        const Vec3d shift = S.lin + cross(S.ang, work.kin.p_OB[i]);
        for (int l = model.v_start[i]; l < end; ++l)
          dtau_dq(l, k) += dot(cross(shift, work.kin.S[l].ang), Fc.lin);
      }
    }
    // row l, columns k of the joints below it on the way to the root
    for (int l = model.v_start[i], end = l + model.joint_nv(i); l < end; ++l) {
      const Force<double> X = Ic * work.kin.S[l];
      const Force<double> Y = transpose_times(Bc, work.kin.S[l]);
      for (int j = model.parent[i]; j != 0; j = model.parent[j]) {
        for (int k = model.v_start[j], last = k + model.joint_nv(j); k < last; ++k) {
          const DerivativesWork::Influence& on = work.influence[k];
          dtau_dq(l, k) = dot(on.Q, X) + dot(on.P, Y);
          dtau_dv(l, k) = dot(on.G, X) + dot(work.kin.S[k], Y);
        }
      }
    }
    if (model.parent[i] != 0) {
      work.Ic[model.parent[i]] += Ic;
      for (int c = 0; c < 6; ++c) work.Bc[model.parent[i]].c[c] += Bc.c[c];
    }
  }
}

void calc_forward_dynamics_derivatives(const Model& model, const Vec3d& gravity,
                                       std::span<const double> q, std::span<const double> v,
                                       std::span<const double> vdot, const MassFactor& factor,
                                       DerivativesWork& work, Eigen::Ref<Eigen::MatrixXd> dvdot_dq,
                                       Eigen::Ref<Eigen::MatrixXd> dvdot_dv,
                                       Eigen::Ref<Eigen::MatrixXd> dvdot_dtau) {
  // M dvdot = -(dtau/dq dq + dtau/dv dv) at constant tau
  calc_inverse_dynamics_derivatives(model, gravity, q, v, vdot, work, dvdot_dq, dvdot_dv);
  dvdot_dtau.setIdentity();
  for (int k = 0; k < model.nv; ++k) {
    dvdot_dq.col(k) = -dvdot_dq.col(k);
    dvdot_dv.col(k) = -dvdot_dv.col(k);
    const auto column = [&](Eigen::Ref<Eigen::MatrixXd>& m) {
      return std::span<double>(m.col(k).data(), model.nv);
    };
    solve_mass(model, factor, column(dvdot_dq));
    solve_mass(model, factor, column(dvdot_dv));
    solve_mass(model, factor, column(dvdot_dtau));
  }
}

}  // namespace stance::dynamics
