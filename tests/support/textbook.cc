#include "support/textbook.h"

namespace stance::test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;
using model::JointType;

// The body frame B seen from the joint frame J, in the axes of J.
struct JointState {
  Matrix3d R_JB = Matrix3d::Identity();
  Vector3d p_JB = Vector3d::Zero();
  Vector3d w = Vector3d::Zero(), v = Vector3d::Zero();
  Vector3d alpha = Vector3d::Zero(), a = Vector3d::Zero();
};

Matrix3d rotation_of(const double* q) {
  return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
}

JointState calc_joint(const model::Model& m, int i, const double* q, const double* v,
                      const double* vdot) {
  JointState j;
  const Vector3d axis = m.axis[i].eigen();
  const auto triple = [](const double* x) { return Vector3d(x[0], x[1], x[2]); };
  switch (m.joint_type[i]) {
    case JointType::kFixed: break;
    case JointType::kRevolute:
      j.R_JB = Eigen::AngleAxisd(q[0], axis).toRotationMatrix();
      j.w = v[0] * axis, j.alpha = vdot[0] * axis;
      break;
    case JointType::kPrismatic:
      j.p_JB = q[0] * axis, j.v = v[0] * axis, j.a = vdot[0] * axis;
      break;
    case JointType::kSpherical:
      j.R_JB = rotation_of(q);
      j.w = triple(v), j.alpha = triple(vdot);
      break;
    case JointType::kPlanar: {
      const Matrix3d plane = m.plane[i].eigen();
      const auto in_plane = [&](const double* x) -> Vector3d {
        return x[0] * plane.col(0) + x[1] * plane.col(1);
      };
      j.R_JB = Eigen::AngleAxisd(q[2], axis).toRotationMatrix();
      j.p_JB = in_plane(q), j.v = in_plane(v), j.a = in_plane(vdot);
      j.w = v[2] * axis, j.alpha = vdot[2] * axis;
      break;
    }
    case JointType::kFree:
      j.R_JB = rotation_of(q);
      j.p_JB = triple(q + 4), j.v = triple(v + 3), j.a = triple(vdot + 3);
      j.w = triple(v), j.alpha = triple(vdot);
      break;
  }
  return j;
}

// The force f and the moment n about the body origin, both in the axes of J, on the coordinates.
void project(const model::Model& m, int i, const Vector3d& f, const Vector3d& n, double* tau) {
  const Vector3d axis = m.axis[i].eigen();
  switch (m.joint_type[i]) {
    case JointType::kFixed: return;
    case JointType::kRevolute: tau[0] = n.dot(axis); return;
    case JointType::kPrismatic: tau[0] = f.dot(axis); return;
    case JointType::kSpherical:
      for (int k = 0; k < 3; ++k) tau[k] = n[k];
      return;
    case JointType::kPlanar:
      tau[0] = f.dot(m.plane[i].eigen().col(0));
      tau[1] = f.dot(m.plane[i].eigen().col(1));
      tau[2] = n.dot(axis);
      return;
    case JointType::kFree:
      for (int k = 0; k < 3; ++k) tau[k] = n[k], tau[3 + k] = f[k];
      return;
  }
}

}  // namespace

std::vector<BodyMotion> calc_textbook_motion(const model::Model& m, const VectorXd& q,
                                             const VectorXd& v, const VectorXd& vdot) {
  std::vector<BodyMotion> bodies(m.nbody);
  for (int i = 1; i < m.nbody; ++i) {
    const BodyMotion& P = bodies[m.parent[i]];
    const JointState j = calc_joint(m, i, q.data() + m.q_start[i], v.data() + m.v_start[i],
                                    vdot.data() + m.v_start[i]);
    // relative motion in the axes of the parent
    const Matrix3d R_PJ = m.R_PJ[i].eigen();
    const Vector3d r = m.p_PJ[i].eigen() + R_PJ * j.p_JB;
    const Vector3d w_rel = R_PJ * j.w, v_rel = R_PJ * j.v;
    const Vector3d w = P.w + w_rel;
    const Vector3d alpha = P.alpha + R_PJ * j.alpha + P.w.cross(w_rel);
    const Vector3d velocity = P.v + P.w.cross(r) + v_rel;
    const Vector3d a =
        P.a + P.alpha.cross(r) + P.w.cross(P.w.cross(r)) + 2.0 * P.w.cross(v_rel) + R_PJ * j.a;
    // in the body's own axes
    const Matrix3d R_PB = R_PJ * j.R_JB, R_BP = R_PB.transpose();
    bodies[i] = {P.R_WB * R_PB,   P.p_WB + P.R_WB * r, R_BP * w,
                 R_BP * velocity, R_BP * alpha,        R_BP * a};
  }
  return bodies;
}

VectorXd calc_textbook_inverse_dynamics(const model::Model& m, const Vector3d& gravity,
                                        const VectorXd& q, const VectorXd& v,
                                        const VectorXd& vdot) {
  const std::vector<BodyMotion> bodies = calc_textbook_motion(m, q, v, vdot);
  VectorXd tau(m.nv);
  std::vector<Vector3d> force(m.nbody, Vector3d::Zero()), moment = force;  // at the origin of B
  for (int i = m.nbody - 1; i > 0; --i) {
    // Newton for the centre of mass, Euler about it, both moved to the origin
    const BodyMotion& B = bodies[i];
    const Vector3d c = m.com[i].eigen();
    const Matrix3d I = m.inertia[i].full().eigen();
    const Vector3d a_c = B.a + B.alpha.cross(c) + B.w.cross(B.w.cross(c));
    const Vector3d f = m.mass[i] * (a_c - B.R_WB.transpose() * gravity);
    force[i] += f;
    moment[i] += I * B.alpha + B.w.cross(I * B.w) + c.cross(f);

    // across the joint to the parent
    const BodyMotion& P = bodies[m.parent[i]];
    const Matrix3d R_PB = P.R_WB.transpose() * B.R_WB, R_PJ = m.R_PJ[i].eigen();
    const Vector3d f_P = R_PB * force[i], n_P = R_PB * moment[i];
    project(m, i, R_PJ.transpose() * f_P, R_PJ.transpose() * n_P, tau.data() + m.v_start[i]);
    const Vector3d r = P.R_WB.transpose() * (B.p_WB - P.p_WB);
    force[m.parent[i]] += f_P;
    moment[m.parent[i]] += n_P + r.cross(f_P);
  }
  for (int k = 0; k < m.nv; ++k) tau[k] += m.rotor_inertia[k] * vdot[k];
  return tau;
}

}  // namespace stance::test
