#include "support/workbench.h"

#include <limits>

#include <Eigen/Cholesky>

namespace stance::test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

double relative_error(const MatrixXd& got, const MatrixXd& expected) {
  if (expected.size() == 0) return 0.0;
  const double scale = expected.cwiseAbs().maxCoeff();
  return (got - expected).cwiseAbs().maxCoeff() / (scale > 0.0 ? scale : 1.0);
}

MatrixXd solve_dense(const MatrixXd& M, const MatrixXd& B) {
  const Eigen::LLT<MatrixXd> factor(M);
  if (factor.info() != Eigen::Success)
    return MatrixXd::Constant(B.rows(), B.cols(), std::numeric_limits<double>::quiet_NaN());
  return factor.solve(B);
}

Workbench::Workbench(const model::Model& model_)
    : model(model_),
      q(model_.nq),
      v(model_.nv),
      kin(model_),
      vel(model_),
      inertias(model_),
      newton_euler(model_),
      art(model_),
      forward(model_),
      mass(model_) {}

void Workbench::set(const VectorXd& q_new, const VectorXd& v_new) {
  q = q_new;
  v = v_new;
  dynamics::update_kinematics(model, in(q), kin);
  dynamics::update_velocities(model, kin, in(v), vel);
  dynamics::update_inertias(model, kin, inertias);
}

MatrixXd Workbench::calc_mass_matrix() {
  dynamics::update_mass_matrix(model, kin, inertias, mass);
  return mass.M;
}

VectorXd Workbench::calc_inverse(const VectorXd& vdot, const Wrenches& wrenches) {
  VectorXd tau(model.nv);
  dynamics::calc_inverse_dynamics(model, gravity, kin, inertias, vel, in(vdot),
                                  std::span<const kernel::Force<double>>(wrenches), newton_euler,
                                  out(tau));
  return tau;
}

VectorXd Workbench::calc_forward(const VectorXd& tau, const Wrenches& wrenches,
                                 const VectorXd& diagonal) {
  VectorXd vdot(model.nv);
  dynamics::update_articulated(model, kin, inertias, in(diagonal), art);
  dynamics::calc_forward_dynamics(model, gravity, kin, inertias, vel, art, in(tau),
                                  std::span<const kernel::Force<double>>(wrenches), forward,
                                  out(vdot));
  return vdot;
}

MatrixXd Workbench::calc_point_jacobian(int body, const kernel::Vec3d& p_BP) {
  Eigen::Matrix3Xd J(3, model.nv);
  dynamics::calc_point_jacobian(model, kin, model::BodyIndex(body), p_BP, J);
  return J;
}

MatrixXd Workbench::calc_frame_jacobian(int body, const kernel::Vec3d& p_BP) {
  Eigen::Matrix<double, 6, Eigen::Dynamic> J(6, model.nv);
  dynamics::calc_frame_jacobian(model, kin, model::BodyIndex(body), p_BP, J);
  return J;
}

Workbench make_workbench(const model::Model& model, std::uint64_t seed) {
  kernel::Random random(0x57a7e000 + seed);
  Workbench bench(model);
  const VectorXd q = make_coordinates(random, model);
  bench.set(q, make_vector(random, model.nv, 2.0));
  return bench;
}

}  // namespace stance::test
