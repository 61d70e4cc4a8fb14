#pragma once

// Newton's and Euler's laws as a first course writes them: three-dimensional vectors in the
// axes of each body, relative motion with its Coriolis terms, dense everything. It shares no
// formula with src/stance/dynamics but the meaning of the coordinates (model/joint.h), so that
// agreement of the two means something.

#include <vector>

#include <Eigen/Geometry>

#include "stance/model/model.h"

namespace stance::test {

// Motion of one body frame, in that body's own axes.
struct BodyMotion {
  Eigen::Matrix3d R_WB = Eigen::Matrix3d::Identity();
  Eigen::Vector3d p_WB = Eigen::Vector3d::Zero();   // world axes
  Eigen::Vector3d w = Eigen::Vector3d::Zero();      // angular velocity
  Eigen::Vector3d v = Eigen::Vector3d::Zero();      // velocity of the origin
  Eigen::Vector3d alpha = Eigen::Vector3d::Zero();  // angular acceleration
  Eigen::Vector3d a = Eigen::Vector3d::Zero();      // acceleration of the origin
};

// All bodies, the world first.
std::vector<BodyMotion> calc_textbook_motion(const model::Model& model, const Eigen::VectorXd& q,
                                             const Eigen::VectorXd& v, const Eigen::VectorXd& vdot);

// tau = M vdot + bias (Luh, Walker, Paul 1980).
Eigen::VectorXd calc_textbook_inverse_dynamics(const model::Model& model,
                                               const Eigen::Vector3d& gravity,
                                               const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                               const Eigen::VectorXd& vdot);

}  // namespace stance::test
