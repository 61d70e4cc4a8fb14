#pragma once

// Velocities, accelerations and Jacobians of points and frames fixed to bodies. All results are
// in world axes; accelerations are those of the point itself (what an accelerometer's case feels
// less gravity), not spatial ones.

#include <vector>

#include <Eigen/Core>

#include "stance/dynamics/kinematics.h"

namespace stance::dynamics {

// Spatial accelerations of the bodies at O (nbody): A = A_P + dS/dt v + S vdot. An empty vdot
// stands for zero and leaves the bias alone. Gravity plays no part.
void calc_accelerations(const Model& model, const Kinematics<double>& kin,
                        const Velocities<double>& vel, std::span<const double> vdot,
                        std::vector<Motion<double>>& A);

// Velocity and acceleration of the point p_BP of a body; A from calc_accelerations.
Vec3d calc_point_velocity(const Kinematics<double>& kin, const Velocities<double>& vel,
                          BodyIndex body, const Vec3d& p_BP);
Vec3d calc_point_acceleration(const Kinematics<double>& kin, const Velocities<double>& vel,
                              const std::vector<Motion<double>>& A, BodyIndex body,
                              const Vec3d& p_BP);

// J (3 x nv): velocity of the point = J v.
void calc_point_jacobian(const Model& model, const Kinematics<double>& kin, BodyIndex body,
                         const Vec3d& p_BP, Eigen::Ref<Eigen::Matrix3Xd> J);

// J (6 x nv): angular velocity of the body, then velocity of the point p_BP.
void calc_frame_jacobian(const Model& model, const Kinematics<double>& kin, BodyIndex body,
                         const Vec3d& p_BP, Eigen::Ref<Eigen::Matrix<double, 6, Eigen::Dynamic>> J);

// A free body's velocity in its own axes and the rate of change of these components, from the
// world-axes quantities that Stance uses: V0 = R^T V and dV0/dt = R^T (a - w x v) for the linear
// part (Rengifo et al. 2009, equation 11); the angular parts only turn.
struct BodyAxesMotion {
  Vec3d w, v;        // components in body axes
  Vec3d wdot, vdot;  // their time derivatives
};
BodyAxesMotion to_body_axes(const kernel::Mat3d& R_WB, const Vec3d& w_W, const Vec3d& v_W,
                            const Vec3d& wdot_W, const Vec3d& vdot_W);

}  // namespace stance::dynamics
