#pragma once

// Mimic joints as hard linear constraints: q_follower = ratio q_leader + offset.
//
// G v = 0 with one row per mimic; the constraint forces G^T lambda do no work:
//   (G M^-1 G^T) lambda = target - G vdot_free,  vdot = vdot_free + M^-1 G^T lambda.

#include <span>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "stance/dynamics/aba.h"

namespace stance::dynamics {

struct MimicWork {
  explicit MimicWork(const Model& model);

  std::vector<double> unit;  // a row of G (nv)
  Eigen::MatrixXd Y;         // M^-1 G^T (nv x mimics)
  Eigen::MatrixXd A;         // G M^-1 G^T (mimics x mimics)
  Eigen::VectorXd lambda;    // constraint forces (mimics), N m or N
  Eigen::LDLT<Eigen::MatrixXd> factor;
};

// Corrects vdot in place so that every mimic holds. With h > 0 the velocities after a step
// v + h vdot satisfy the constraints, which also removes any violation v brings along; with
// h = 0 the accelerations do. Nothing happens for a model without mimics.
void apply_mimics(const Model& model, const Kinematics<double>& kin, const Articulated<double>& art,
                  std::span<const double> v, double h, ForwardDynamics<double>& forward,
                  MimicWork& work, std::span<double> vdot);

// Sets the followers' coordinates (q) or velocities (v) to what their leaders say.
void set_mimic_positions(const Model& model, std::span<double> q);
void set_mimic_velocities(const Model& model, std::span<double> v);

}  // namespace stance::dynamics
