#include "stance/dynamics/jacobian.h"

namespace stance::dynamics {
namespace {

// From O to the point, world axes.
Vec3d calc_arm(const Kinematics<double>& kin, BodyIndex body, const Vec3d& p_BP) {
  return madd(kin.R_WB[body], p_BP, kin.p_OB[body]);
}

int calc_tip(const Model& model, int body) {
  return body == 0 ? -1 : model.v_start[body] + model.joint_nv(body) - 1;
}

}  // namespace

void calc_accelerations(const Model& model, const Kinematics<double>& kin,
                        const Velocities<double>& vel, std::span<const double> vdot,
                        std::vector<Motion<double>>& A) {
  A[0] = Motion<double>();
  for (int i = 1; i < model.nbody; ++i) {
    A[i] = A[model.parent[i]] + vel.c[i];
    if (vdot.empty()) continue;
    for (int k = model.v_start[i], end = k + model.joint_nv(i); k < end; ++k)
      A[i] = madd(vdot[k], kin.S[k], A[i]);
  }
}

Vec3d calc_point_velocity(const Kinematics<double>& kin, const Velocities<double>& vel,
                          BodyIndex body, const Vec3d& p_BP) {
  return vel.V[body].lin + cross(vel.V[body].ang, calc_arm(kin, body, p_BP));
}

Vec3d calc_point_acceleration(const Kinematics<double>& kin, const Velocities<double>& vel,
                              const std::vector<Motion<double>>& A, BodyIndex body,
                              const Vec3d& p_BP) {
  // a_P = a + alpha x r + w x v_P, with a the spatial acceleration's linear part
  const Vec3d r = calc_arm(kin, body, p_BP);
  const Vec3d v_P = vel.V[body].lin + cross(vel.V[body].ang, r);
  return A[body].lin + cross2(A[body].ang, r, vel.V[body].ang, v_P);
}

void calc_point_jacobian(const Model& model, const Kinematics<double>& kin, BodyIndex body,
                         const Vec3d& p_BP, Eigen::Ref<Eigen::Matrix3Xd> J) {
  J.setZero();
  const Vec3d r = calc_arm(kin, body, p_BP);
  for (int k = calc_tip(model, body); k >= 0; k = model.dof_parent[k])
    J.col(k) = (kin.S[k].lin + cross(kin.S[k].ang, r)).eigen();
}

void calc_frame_jacobian(const Model& model, const Kinematics<double>& kin, BodyIndex body,
                         const Vec3d& p_BP,
                         Eigen::Ref<Eigen::Matrix<double, 6, Eigen::Dynamic>> J) {
  J.setZero();
  const Vec3d r = calc_arm(kin, body, p_BP);
  for (int k = calc_tip(model, body); k >= 0; k = model.dof_parent[k]) {
    J.col(k).head<3>() = kin.S[k].ang.eigen();
    J.col(k).tail<3>() = (kin.S[k].lin + cross(kin.S[k].ang, r)).eigen();
  }
}

BodyAxesMotion to_body_axes(const kernel::Mat3d& R_WB, const Vec3d& w_W, const Vec3d& v_W,
                            const Vec3d& wdot_W, const Vec3d& vdot_W) {
  return {transpose_mul(R_WB, w_W), transpose_mul(R_WB, v_W), transpose_mul(R_WB, wdot_W),
          transpose_mul(R_WB, vdot_W - cross(w_W, v_W))};
}

}  // namespace stance::dynamics
