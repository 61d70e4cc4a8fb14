// Rows R17 to R19: the biped's base velocity in body axes, and the accelerations of its eight
// contact vertices.

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "stance/dynamics/jacobian.h"

#include "support/motion.h"
#include "support/robots.h"
#include "support/workbench.h"

namespace stance::dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::in;
using test::Workbench;

constexpr double kRounding = 1e-12;

// Central differences in time: step^2 times third derivatives of order 1e4.
constexpr double kStep = 1e-5;
constexpr double kDifference = 1e-6;

class Biped : public testing::Test {
 protected:
  void SetUp() override {
    model_ = test::find_robot("biped");
    if (!model_) GTEST_SKIP() << "built without the URDF reader";
  }

  // Vertex k = 1..8 as a point of its foot.
  std::pair<BodyIndex, Vec3d> vertex(int k) const {
    const model::FrameIndex frame = model_->find_frame("v" + std::to_string(k));
    EXPECT_TRUE(frame.valid());
    return {model_->frames[frame].body, model_->frames[frame].p_BF};
  }

  std::optional<Model> model_;
};

TEST_F(Biped, HasTwentyVelocitiesAndEightVertices) {
  EXPECT_EQ(model_->nv, 20);
  // v1 to v4 right, v5 to v8 left: front right, front left, back left, back right
  for (int k = 1; k <= 8; ++k) {
    const auto [body, p] = vertex(k);
    EXPECT_EQ(model_->body_name[body], k <= 4 ? "right_foot" : "left_foot");
    const int corner = (k - 1) % 4;
    EXPECT_EQ(p.x() > 0.0, corner < 2) << "v" << k;
    EXPECT_EQ(p.y() > 0.0, corner == 1 || corner == 2) << "v" << k;
  }
}

// dV0/dt = V0dot - w x V0 (eq. 11): the base's velocity in its own axes.
TEST_F(Biped, BaseVelocityInBodyAxesHasTheRateOfEquation11) {
  for (int seed = 0; seed < 5; ++seed) {
    const Workbench w = test::make_workbench(*model_, seed);
    kernel::Random random(1900 + seed);
    const VectorXd vdot = test::make_vector(random, model_->nv, 10.0);
    const int base = model_->tree_root[0];
    const auto in_body_axes = [&](const Workbench& at, const VectorXd& a) {
      return to_body_axes(at.kin.R_WB[base], Vec3d(Vector3d(at.v.head<3>())),
                          Vec3d(Vector3d(at.v.segment<3>(3))), Vec3d(Vector3d(a.head<3>())),
                          Vec3d(Vector3d(a.segment<3>(3))));
    };
    const BodyAxesMotion now = in_body_axes(w, vdot);
    const VectorXd rate = test::differentiate(w, vdot, kStep, [&](const Workbench& at) {
      const BodyAxesMotion then = in_body_axes(at, vdot);
      VectorXd x(6);
      x.head<3>() = then.w.eigen();
      x.tail<3>() = then.v.eigen();
      return x;
    });
    EXPECT_LT((rate.head<3>() - now.wdot.eigen()).norm(), kDifference);
    EXPECT_LT((rate.tail<3>() - now.vdot.eigen()).norm(), kDifference);
    // and the components themselves are those of R^T
    const Eigen::Matrix3d R = w.kin.R_WB[base].eigen();
    EXPECT_LT((now.v.eigen() - R.transpose() * w.v.segment<3>(3)).norm(), kRounding);
    EXPECT_LT((now.w.eigen() - R.transpose() * w.v.head<3>()).norm(), kRounding);
  }
}

// Accelerations (15)-(16) of the vertices agree with finite differences of their velocities.
TEST_F(Biped, VertexAccelerationsAgreeWithFiniteDifferences) {
  for (int seed = 0; seed < 5; ++seed) {
    const Workbench w = test::make_workbench(*model_, seed);
    kernel::Random random(2000 + seed);
    const VectorXd vdot = test::make_vector(random, model_->nv, 10.0);
    std::vector<Motion<double>> A(model_->nbody);
    calc_accelerations(*model_, w.kin, w.vel, in(vdot), A);
    const auto velocities = [&](const Workbench& at) {
      VectorXd all(24);
      for (int k = 0; k < 8; ++k) {
        const auto [body, p] = vertex(k + 1);
        all.segment<3>(3 * k) = calc_point_velocity(at.kin, at.vel, body, p).eigen();
      }
      return all;
    };
    const VectorXd rate = test::differentiate(w, vdot, kStep, velocities);
    for (int k = 0; k < 8; ++k) {
      const auto [body, p] = vertex(k + 1);
      const Vector3d a = calc_point_acceleration(w.kin, w.vel, A, body, p).eigen();
      EXPECT_LT((a - rate.segment<3>(3 * k)).norm(), kDifference * (1.0 + a.norm()))
          << "v" << k + 1;
    }
  }
}

// a = D^T vdot + (dD^T/dt) v with the 20 x 24 matrix D of the paper.
TEST_F(Biped, VertexAccelerationsAreLinearInTheGeneralisedOnes) {
  Workbench w = test::make_workbench(*model_, 7);
  kernel::Random random(7);
  const VectorXd vdot = test::make_vector(random, model_->nv, 10.0);
  MatrixXd D(20, 24);
  for (int k = 0; k < 8; ++k) {
    const auto [body, p] = vertex(k + 1);
    D.middleCols<3>(3 * k) = w.calc_point_jacobian(body, p).transpose();
  }
  std::vector<Motion<double>> A(model_->nbody), A_bias(model_->nbody);
  calc_accelerations(*model_, w.kin, w.vel, in(vdot), A);
  calc_accelerations(*model_, w.kin, w.vel, {}, A_bias);
  for (int k = 0; k < 8; ++k) {
    const auto [body, p] = vertex(k + 1);
    const Vector3d a = calc_point_acceleration(w.kin, w.vel, A, body, p).eigen();
    const Vector3d bias = calc_point_acceleration(w.kin, w.vel, A_bias, body, p).eigen();
    EXPECT_LT((a - bias - D.middleCols<3>(3 * k).transpose() * vdot).norm(),
              kRounding * (1.0 + a.norm()));
  }
  // a flat foot is rank deficient: 6 of 12 (R20)
  Eigen::FullPivLU<MatrixXd> foot(D.leftCols(12));
  foot.setThreshold(1e-10);
  EXPECT_EQ(foot.rank(), 6);
}

}  // namespace
}  // namespace stance::dynamics
