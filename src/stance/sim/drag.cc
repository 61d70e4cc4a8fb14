#include "stance/sim/drag.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "stance/dynamics/jacobian.h"

namespace stance::sim {
namespace {

constexpr double kStiffest = 0.01;

// kp x + kv v, by the principal axes of the inverse inertia at the point; and kp as a matrix.
Vec3d pull(const Eigen::Matrix3d& lambda, double stiffness, double h, const Vec3d& x,
           const Vec3d& v, kernel::Mat3d& spring) {
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> axes;
  axes.computeDirect(lambda);
  Eigen::Vector3d force = Eigen::Vector3d::Zero();
  Eigen::Matrix3d stiff = Eigen::Matrix3d::Zero();
  for (int k = 0; k < 3; ++k) {
    const Eigen::Vector3d axis = axes.eigenvectors().col(k);
    const double felt = axes.eigenvalues()[k];  // 1 / m; none where the point cannot move
    if (!(felt > 0.0)) continue;
    const double kp = std::min(stiffness, kStiffest / (h * h * felt));
    const double kv = std::sqrt(2.0 * kp / felt);
    force += (kp * axis.dot(x.eigen()) + kv * axis.dot(v.eigen())) * axis;
    stiff += kp * axis * axis.transpose();
  }
  spring = kernel::Mat3d(stiff);
  return Vec3d(force);
}

}  // namespace

DragForces::DragForces(const World& world)
    : kin_(world.model),
      velocities_(world.model),
      inertias_(world.model),
      articulated_(world.model),
      points_(world.model),
      lambda_(world.model) {}

void DragForces::update(const StepStart& at, std::span<Drag> drags) {
  const model::Model& model = at.world.model;
  list_.clear();
  for (const Drag& drag : drags) list_.push_back({drag.body, drag.p_B});
  update_kinematics(model, std::span<const double>(at.state.q), kin_);
  update_velocities(model, kin_, std::span<const double>(at.state.v), velocities_);
  update_inertias(model, kin_, inertias_);
  update_articulated(model, kin_, inertias_, std::span<const double>(), articulated_);
  points_.set(model, list_);
  update_points(model, kin_, points_, lambda_);
  update_lambda(dynamics::DelassusMethod::kSkeleton, model, kin_, articulated_, points_, lambda_);
  const int size = 3 * static_cast<int>(drags.size());
  const Eigen::Map<const Eigen::MatrixXd> lambda(lambda_.lambda().data(), size, size);
  for (int k = 0; k < static_cast<int>(drags.size()); ++k) {
    Drag& drag = drags[k];
    drag.position = kin_.calc_position(model, drag.body, drag.p_B);
    const Vec3d speed = calc_point_velocity(kin_, velocities_, drag.body, drag.p_B);
    drag.force = pull(lambda.block<3, 3>(3 * k, 3 * k), drag.stiffness, at.h,
                      drag.target - drag.position, drag.velocity - speed, drag.spring);
  }
}

}  // namespace stance::sim
