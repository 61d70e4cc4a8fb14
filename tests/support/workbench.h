#pragma once

// One model at one state, with every algorithm behind a plain call on Eigen vectors. Tests read
// better with it; it allocates freely.

#include <span>
#include <vector>

#include <Eigen/Core>

#include "stance/dynamics/aba.h"
#include "stance/dynamics/crba.h"
#include "stance/dynamics/jacobian.h"
#include "stance/dynamics/kinematics.h"
#include "stance/dynamics/rnea.h"

#include "support/random_forest.h"

namespace stance::test {

// Tilted, so that no axis of a model is special.
inline const kernel::Vec3d kTiltedGravity(0.7, -1.1, -9.6);  // m/s^2
inline const kernel::Vec3d kGravity(0.0, 0.0, -9.81);        // m/s^2
inline const kernel::Vec3d kWeightless;

// Largest difference over the largest entry of what is expected.
double relative_error(const Eigen::MatrixXd& got, const Eigen::MatrixXd& expected);

// M^-1 B by a dense Cholesky factor; NaN where M is not positive definite.
Eigen::MatrixXd solve_dense(const Eigen::MatrixXd& M, const Eigen::MatrixXd& B);

// Vectors as arguments of the library, to be read and to be written.
inline std::span<const double> in(const Eigen::VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}
inline std::span<double> out(Eigen::VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

template <class Spatial>
Eigen::Matrix<double, 6, 1> to_eigen(const Spatial& a) {
  Eigen::Matrix<double, 6, 1> x;
  x.head<3>() = a.ang.eigen();
  x.tail<3>() = a.lin.eigen();
  return x;
}

using Wrenches = std::vector<kernel::Force<double>>;

struct Workbench {
  explicit Workbench(const model::Model& model_);

  // Moves to the state (q, v) and refreshes everything that follows from it.
  void set(const Eigen::VectorXd& q_new, const Eigen::VectorXd& v_new);

  Eigen::MatrixXd calc_mass_matrix();
  Eigen::VectorXd calc_bias() { return calc_inverse(Eigen::VectorXd()); }
  Eigen::VectorXd calc_inverse(const Eigen::VectorXd& vdot, const Wrenches& wrenches = {});
  Eigen::VectorXd calc_forward(const Eigen::VectorXd& tau, const Wrenches& wrenches = {},
                               const Eigen::VectorXd& diagonal = {});
  Eigen::MatrixXd calc_point_jacobian(int body, const kernel::Vec3d& p_BP);
  Eigen::MatrixXd calc_frame_jacobian(int body, const kernel::Vec3d& p_BP);

  const model::Model& model;
  kernel::Vec3d gravity = kTiltedGravity;
  Eigen::VectorXd q, v;
  dynamics::Kinematics<double> kin;
  dynamics::Velocities<double> vel;
  dynamics::Inertias<double> inertias;
  dynamics::NewtonEuler<double> newton_euler;
  dynamics::Articulated<double> art;
  dynamics::ForwardDynamics<double> forward;
  dynamics::MassMatrix<double> mass;
};

// A workbench at a random state of the model.
Workbench make_workbench(const model::Model& model, std::uint64_t seed);

}  // namespace stance::test
