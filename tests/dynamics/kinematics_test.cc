// Poses and velocities of bodies against the textbook's recursion in body axes.

#include "stance/dynamics/kinematics.h"

#include <gtest/gtest.h>

#include "stance/model/builder.h"

#include "support/robots.h"
#include "support/specs.h"
#include "support/textbook.h"
#include "support/workbench.h"

namespace stance::dynamics {
namespace {

using Eigen::VectorXd;
using model::JointType;
using test::BodyMotion;
using test::Workbench;

// Positions of a few metres, velocities of a few m/s, chains of ten rotations.
constexpr double kRounding = 1e-13;

void expect_textbook_motion(const Model& model, std::uint64_t seed) {
  SCOPED_TRACE(model.name);
  const Workbench w = test::make_workbench(model, seed);
  const auto expected = test::calc_textbook_motion(model, w.q, w.v, VectorXd::Zero(model.nv));
  for (int i = 0; i < model.nbody; ++i) {
    const BodyMotion& B = expected[i];
    EXPECT_LT((w.kin.R_WB[i].eigen() - B.R_WB).norm(), kRounding);
    const Vec3d origin = w.kin.calc_position(model, BodyIndex(i), Vec3d());
    EXPECT_LT((origin.eigen() - B.p_WB).norm(), 10.0 * kRounding);
    EXPECT_LT((w.vel.V[i].ang.eigen() - B.R_WB * B.w).norm(), 100.0 * kRounding);
    const Vec3d velocity = calc_point_velocity(w.kin, w.vel, BodyIndex(i), Vec3d());
    EXPECT_LT((velocity.eigen() - B.R_WB * B.v).norm(), 100.0 * kRounding);
  }
}

TEST(Kinematics, AgreesWithTheTextbookOnRandomForests) {
  for (int seed = 0; seed < test::kNumForests; ++seed)
    expect_textbook_motion(test::make_forest(seed), seed);
}

class KinematicsOnRobot : public test::RobotTest {};
TEST_P(KinematicsOnRobot, AgreesWithTheTextbook) { expect_textbook_motion(model(), 1); }
INSTANTIATE_TEST_SUITE_P(Robots, KinematicsOnRobot, testing::ValuesIn(test::kRobotNames),
                         test::robot_name);

// Wheels turn for hours: angles beyond the fast range, alone and among small ones.
TEST(Kinematics, TakesAnglesOfAnySize) {
  model::ModelBuilder builder("wheels");
  std::string parent;
  for (int k = 0; k < 6; ++k) {
    const std::string name = "wheel" + std::to_string(k);
    builder.add_link(test::make_link(name));
    model::JointSpec joint = test::make_joint("to_" + name, JointType::kRevolute, parent, name);
    joint.axis = Eigen::Vector3d::Unit(k % 3) * (k < 3 ? 1.0 : -1.0);
    builder.add_joint(joint);
    parent = name;
  }
  const Model model = builder.build();
  for (double size : {1e3, 0.99e5, 1.01e5, 1e8, 1e15, 1e300}) {
    VectorXd q(6);
    q << 0.1, size, -0.2, -size, 0.3, 0.4;
    Workbench w(model);
    w.set(q, VectorXd::Zero(6));
    const auto expected =
        test::calc_textbook_motion(model, q, VectorXd::Zero(6), VectorXd::Zero(6));
    EXPECT_LT((w.kin.R_WB[6].eigen() - expected[6].R_WB).norm(), kRounding) << size;
  }
}

TEST(Kinematics, DoesNotMindTheLengthOfQuaternions) {
  for (int seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const Model model = test::make_forest(seed);
    Workbench w = test::make_workbench(model, seed);
    const Kinematics<double> before = w.kin;
    VectorXd q = w.q;
    for (int i = 1; i < model.nbody; ++i)
      if (model.joint_nq(i) != model.joint_nv(i)) q.segment<4>(model.q_start[i]) *= -3.0;
    w.set(q, w.v);
    for (int i = 0; i < model.nbody; ++i) {
      EXPECT_LT((w.kin.R_WB[i].eigen() - before.R_WB[i].eigen()).norm(), kRounding);
      EXPECT_LT((w.kin.p_OB[i].eigen() - before.p_OB[i].eigen()).norm(), kRounding);
    }
  }
}

// Results depend on q and v alone, to the bit: nothing is left over from an earlier call.
TEST(Kinematics, ForgetsEarlierStates) {
  for (int seed = 0; seed < 20; ++seed) {
    const Model model = test::make_forest(seed);
    const Workbench fresh = test::make_workbench(model, seed);
    Workbench used = test::make_workbench(model, seed + 1);
    used.set(fresh.q, fresh.v);
    for (int i = 0; i < model.nbody; ++i) {
      EXPECT_EQ(used.kin.R_WB[i].eigen(), fresh.kin.R_WB[i].eigen());
      EXPECT_EQ(test::to_eigen(used.vel.V[i]), test::to_eigen(fresh.vel.V[i]));
      EXPECT_EQ(test::to_eigen(used.vel.c[i]), test::to_eigen(fresh.vel.c[i]));
    }
  }
}

// The reference point of a tree is its base, wherever that is.
TEST(Kinematics, MeasuresEachTreeFromItsOwnBase) {
  for (int seed = 0; seed < test::kNumForests; ++seed) {
    const Model model = test::make_forest(seed);
    const Workbench w = test::make_workbench(model, seed);
    for (int root : model.tree_root) EXPECT_EQ(w.kin.p_OB[root].eigen().norm(), 0.0);
  }
}

}  // namespace
}  // namespace stance::dynamics
