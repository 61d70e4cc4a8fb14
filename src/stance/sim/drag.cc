#include "stance/sim/drag.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "stance/dynamics/jacobian.h"
#include "stance/kernel/rotation.h"

namespace stance::sim {
namespace {

using kernel::Mat3d;

// sqrt(2 m k) along every principal axis of an inverse inertia.
Mat3d find_damper(const Eigen::Matrix3d& inverse_inertia, double stiffness) {
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> axes;
  axes.compute(inverse_inertia);  // the closed form, computeDirect, is wrong for rank one
  Eigen::Matrix3d out = Eigen::Matrix3d::Zero();
  for (int k = 0; k < 3; ++k) {
    // 1 / m, ascending; none, but for rounding, where the point cannot move
    const double felt = axes.eigenvalues()[k];
    if (!(felt > 1e-9 * axes.eigenvalues()[2])) continue;
    const Eigen::Vector3d axis = axes.eigenvectors().col(k);
    out += std::sqrt(2.0 * stiffness / felt) * axis * axis.transpose();
  }
  return Mat3d(out);
}

Vec3d find_turn(const Mat3d& R) {
  const Eigen::AngleAxisd turn(R.eigen());
  return Vec3d(Eigen::Vector3d(turn.angle() * turn.axis()));
}

}  // namespace

DragForces::DragForces(const World& world) : points_(world.model), lambda_(world.model) {}

void DragForces::update(const StepStart& at, std::span<Drag> drags) {
  const model::Model& model = at.world.model;
  const double h = at.h;
  list_.clear();
  for (const Drag& drag : drags) list_.push_back({drag.body, drag.p_B});
  const dynamics::Kinematics<double>& kin = at.bodies.kin();
  points_.set(model, list_);
  update_points(model, kin, points_, lambda_);
  update_lambda(dynamics::DelassusMethod::kSkeleton, model, kin, at.bodies.find_articulated(model),
                points_, lambda_);
  const int size = 3 * static_cast<int>(drags.size());
  const Eigen::Map<const Eigen::MatrixXd> lambda(lambda_.lambda().data(), size, size);
  for (int k = 0; k < static_cast<int>(drags.size()); ++k) {
    Drag& drag = drags[k];
    drag.position = kin.calc_position(model, drag.body, drag.p_B);
    drag.damper = find_damper(lambda.block<3, 3>(3 * k, 3 * k), drag.stiffness);
    // K (target + h velocity - x - h v) + D (velocity - v), and what it loses as v changes
    const Mat3d resistance = drag.damper + (h * drag.stiffness) * Mat3d::identity();
    const Vec3d speed = calc_point_velocity(kin, at.bodies.vel(), drag.body, drag.p_B);
    drag.wrench = {.body = drag.body, .p_BP = drag.p_B, .force = {}, .torque = {}};
    drag.wrench.force =
        drag.stiffness * (drag.target - drag.position) + resistance * (drag.velocity - speed);
    drag.wrench.damping = resistance;
    if (drag.turning > 0.0) turn(at, k, drag);
  }
}

// K angle - (h K + D) w: the angle is that of the shortest turn to where it is wanted.
void DragForces::turn(const StepStart& at, int k, Drag& drag) {
  const int body = points_.body_of()[k];
  const dynamics::Mat6<double>& omega = *lambda_.omega(points_, body, body);
  Eigen::Matrix3d turned;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) turned(i, j) = omega(i, j);
  const Mat3d resistance =
      find_damper(turned, drag.turning) + (at.h * drag.turning) * Mat3d::identity();
  drag.wrench.torque =
      drag.turning * find_turn(drag.R_target * transpose(at.bodies.kin().R_WB[drag.body])) -
      resistance * at.bodies.vel().V[drag.body].ang;
  drag.wrench.turn_damping = resistance;
}

}  // namespace stance::sim
