#include "stance/dynamics/centroidal.h"

#include "stance/kernel/assert.h"

namespace stance::dynamics {

void update_centroidal(const Model& model, const Kinematics<double>& kin,
                       const Inertias<double>& inertias, const Velocities<double>& vel,
                       Centroidal& out) {
  // composite inertias, tips to roots
  for (int i = 1; i < model.nbody; ++i) out.Ic[i] = calc_rigid_inertia(model, inertias, i);
  for (int i = model.nbody - 1; i > 0; --i)
    if (model.parent[i] != 0) out.Ic[model.parent[i]] += out.Ic[i];

  // centre of mass of the forest
  out.mass = 0.0;
  out.com = Vec3d();
  for (int t = 0; t < model.ntree; ++t) {
    const RigidInertia<double>& whole = out.Ic[model.tree_root[t]];
    out.mass += whole.m;
    out.com += madd(whole.m, kin.p_WO[t], whole.h);
  }
  const double inverse = out.mass > 0.0 ? 1.0 / out.mass : 0.0;
  out.com = inverse * out.com;

  // column k of A_G: the momentum Ic S of what coordinate k carries, moved from O to G
  for (int i = 1; i < model.nbody; ++i) {
    const Vec3d p_OG = out.com - kin.p_WO[model.tree[i]];
    for (int k = model.v_start[i], end = k + model.joint_nv(i); k < end; ++k) {
      const Force<double> h = out.Ic[i] * kin.S[k];
      out.A_G.col(k).head<3>() = (h.ang - cross(p_OG, h.lin)).eigen();
      out.A_G.col(k).tail<3>() = h.lin.eigen();
      out.J_com.col(k) = inverse * h.lin.eigen();
    }
  }

  // momentum body by body: independent of A_G
  out.h_G = Force<double>();
  for (int i = 1; i < model.nbody; ++i) {
    const Vec3d& c = inertias.p_OC[i];
    const Vec3d p = model.mass[i] * (vel.V[i].lin + cross(vel.V[i].ang, c));
    const Vec3d arm = c + kin.p_WO[model.tree[i]] - out.com;
    out.h_G += Force<double>{inertias.I_C[i] * vel.V[i].ang + cross(arm, p), p};
  }
  out.com_velocity = inverse * out.h_G.lin;
}

Force<double> calc_momentum_bias(const Model& model, const Kinematics<double>& kin,
                                 const Inertias<double>& inertias, const Velocities<double>& vel,
                                 const std::vector<Motion<double>>& A_bias, const Vec3d& com) {
  STANCE_ASSERT(static_cast<int>(A_bias.size()) == model.nbody);
  Force<double> rate;
  for (int i = 1; i < model.nbody; ++i) {
    // d/dt of (I w + arm x p, p); the arm's own rate adds (v_C - v_G) x p, which sums to zero
    const Vec3d& c = inertias.p_OC[i];
    const Vec3d v_C = vel.V[i].lin + cross(vel.V[i].ang, c);
    const Vec3d f = model.mass[i] * (A_bias[i].lin + cross2(A_bias[i].ang, c, vel.V[i].ang, v_C));
    const Vec3d L = inertias.I_C[i] * vel.V[i].ang;
    const Vec3d arm = c + kin.p_WO[model.tree[i]] - com;
    rate += Force<double>{inertias.I_C[i] * A_bias[i].ang + cross2(vel.V[i].ang, L, arm, f), f};
  }
  return rate;
}

double calc_kinetic_energy(const Model& model, const Inertias<double>& inertias,
                           const Velocities<double>& vel, std::span<const double> v) {
  double twice = 0.0;
  for (int i = 1; i < model.nbody; ++i) {
    const Vec3d v_C = vel.V[i].lin + cross(vel.V[i].ang, inertias.p_OC[i]);
    twice += model.mass[i] * dot(v_C, v_C) + dot(vel.V[i].ang, inertias.I_C[i] * vel.V[i].ang);
  }
  for (int k = 0; k < model.nv; ++k) twice += model.rotor_inertia[k] * v[k] * v[k];
  return 0.5 * twice;
}

double calc_potential_energy(const Model& model, const Vec3d& gravity,
                             const Kinematics<double>& kin, const Inertias<double>& inertias) {
  double energy = 0.0;
  for (int i = 1; i < model.nbody; ++i)
    energy -= model.mass[i] * dot(gravity, inertias.p_OC[i] + kin.p_WO[model.tree[i]]);
  return energy;
}

}  // namespace stance::dynamics
