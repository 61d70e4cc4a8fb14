// models/humanoid.urdf is its own mirror image: what the left side does for a motion, the right
// side does for the mirrored one.

#include <gtest/gtest.h>

#include "support/robots.h"
#include "support/workbench.h"

namespace stance::dynamics {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;
using test::Workbench;

constexpr double kRounding = 1e-12;

std::string swap_sides(std::string name) {
  const std::string left = "left", right = "right";
  if (const auto at = name.find(left); at != std::string::npos)
    return name.replace(at, left.size(), right);
  if (const auto at = name.find(right); at != std::string::npos)
    return name.replace(at, right.size(), left);
  return name;
}

// Mirror at the plane y = 0: lengths change sign in y, turns in x and z.
Vector3d mirror_length(const Vector3d& a) { return {a.x(), -a.y(), a.z()}; }
Vector3d mirror_turn(const Vector3d& a) { return {-a.x(), a.y(), -a.z()}; }

class HumanoidMirror : public testing::Test {
 protected:
  void SetUp() override {
    model_ = test::find_robot("humanoid");
    if (!model_) GTEST_SKIP() << "built without the URDF reader";
    for (int i = 1; i < model_->nbody; ++i) {
      const BodyIndex j = model_->find_body(swap_sides(model_->body_name[i]));
      ASSERT_TRUE(j.valid()) << model_->body_name[i] << " has no counterpart";
      partner_.push_back(j);
    }
  }
  int partner(int body) const { return partner_[body - 1]; }

  // Coordinate of a joint that turns about the mirrored axis: the same or the opposite.
  double sign(int body) const {
    const Vector3d mirrored = mirror_turn(model_->axis[body].eigen());
    return mirrored.dot(model_->axis[partner(body)].eigen());
  }

  VectorXd mirror_coordinates(const VectorXd& q) const {
    VectorXd out(model_->nq);
    out.head<7>() << q[0], -q[1], q[2], -q[3], q[4], -q[5], q[6];
    for (int i = 2; i < model_->nbody; ++i)
      out[model_->q_start[partner(i)]] = sign(i) * q[model_->q_start[i]];
    return out;
  }

  // Velocities, accelerations and joint forces alike.
  VectorXd mirror_speeds(const VectorXd& v) const {
    VectorXd out(model_->nv);
    out.head<3>() = mirror_turn(v.head<3>());
    out.segment<3>(3) = mirror_length(v.segment<3>(3));
    for (int i = 2; i < model_->nbody; ++i)
      out[model_->v_start[partner(i)]] = sign(i) * v[model_->v_start[i]];
    return out;
  }

  std::optional<Model> model_;
  std::vector<BodyIndex> partner_;
};

TEST_F(HumanoidMirror, HoldsForMassesAndPlaces) {
  for (int i = 1; i < model_->nbody; ++i) {
    SCOPED_TRACE(model_->body_name[i]);
    const int j = partner(i);
    EXPECT_EQ(model_->mass[i], model_->mass[j]);
    EXPECT_LT((mirror_length(model_->com[i].eigen()) - model_->com[j].eigen()).norm(), kRounding);
    EXPECT_LT((mirror_length(model_->p_PJ[i].eigen()) - model_->p_PJ[j].eigen()).norm(), kRounding);
    Eigen::Matrix3d expected = model_->inertia[i].full().eigen();
    for (int k : {0, 2}) expected(1, k) = -expected(1, k), expected(k, 1) = -expected(k, 1);
    EXPECT_LT((model_->inertia[j].full().eigen() - expected).norm(), kRounding);
  }
  for (int i = 2; i < model_->nbody; ++i) EXPECT_NEAR(std::abs(sign(i)), 1.0, kRounding);
}

TEST_F(HumanoidMirror, HoldsForJointForces) {
  for (int seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    Workbench w = test::make_workbench(*model_, seed), mirrored(*model_);
    w.gravity = mirrored.gravity = test::kGravity;
    kernel::Random random(2900 + seed);
    const VectorXd vdot = test::make_vector(random, model_->nv, 10.0);
    mirrored.set(mirror_coordinates(w.q), mirror_speeds(w.v));
    const VectorXd tau = w.calc_inverse(vdot);
    const VectorXd tau_mirrored = mirrored.calc_inverse(mirror_speeds(vdot));
    EXPECT_LT(test::relative_error(tau_mirrored, mirror_speeds(tau)), kRounding);
    // a motion is not its own mirror image: the check can fail
    EXPECT_GT(test::relative_error(tau_mirrored, tau), 0.01);
  }
}

}  // namespace
}  // namespace stance::dynamics
