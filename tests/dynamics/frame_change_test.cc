// Physics does not depend on where the world's origin is and which way its axes point.

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "stance/dynamics/centroidal.h"
#include "stance/dynamics/delassus.h"
#include "stance/kernel/rotation.h"

#include "support/robots.h"
#include "support/workbench.h"

namespace stance::dynamics {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using kernel::Mat3d;
using test::relative_error;
using test::Workbench;

constexpr double kRounding = 1e-12;
constexpr double kSolve = 1e-10;

// The same forest on ground that was moved and turned: every root's joint frame goes along, so
// every coordinate, force and matrix stays what it was.
Model move_ground(Model model, const Matrix3d& R, const Vector3d& p) {
  for (int root : model.tree_root) {
    model.R_PJ[root] = Mat3d(R) * model.R_PJ[root];
    model.p_PJ[root] = Vec3d(p) + Mat3d(R) * model.p_PJ[root];
    model.R_PJ_is_identity[root] = 0;
  }
  return model;
}

TEST(FrameChange, TurningTheGroundChangesNoJointForce) {
  for (int seed = 0; seed < test::kNumForests; ++seed) {
    SCOPED_TRACE(seed);
    kernel::Random random(2600 + seed);
    const Matrix3d R = test::make_rotation(random);
    const Model model = test::make_forest(seed);
    const Model moved = move_ground(model, R, test::make_vector(random, 3, 10.0));
    Workbench a = test::make_workbench(model, seed), b = test::make_workbench(moved, seed);
    ASSERT_EQ(a.q, b.q);
    b.gravity = Vec3d(Vector3d(R * a.gravity.eigen()));
    const VectorXd vdot = test::make_vector(random, model.nv, 10.0);
    const VectorXd tau = a.calc_inverse(vdot);
    EXPECT_LT(relative_error(b.calc_inverse(vdot), tau), kRounding);
    EXPECT_LT(relative_error(b.calc_forward(tau), a.calc_forward(tau)), kSolve);
    EXPECT_LT(relative_error(b.calc_mass_matrix(), a.calc_mass_matrix()), kRounding);
  }
}

// A robot on a free base, carried and turned by its coordinates: joint forces stay, the base's
// turn along (its coordinates are in world axes).
class FrameChangeOnRobot : public test::RobotTest {};
TEST_P(FrameChangeOnRobot, CarryingTheRobotTurnsTheBaseWrenchOnly) {
  Workbench a = test::make_workbench(model(), 1), b = a;
  kernel::Random random(2700);
  const Eigen::Quaterniond turn(test::make_rotation(random));
  const Matrix3d R = turn.toRotationMatrix();
  VectorXd q = a.q, v = a.v, vdot = test::make_vector(random, model().nv, 10.0), vdot_b = vdot;
  const Eigen::Quaterniond base = turn * Eigen::Quaterniond(q[0], q[1], q[2], q[3]);
  q.head<4>() << base.w(), base.x(), base.y(), base.z();
  q.segment<3>(4) = R * q.segment<3>(4) + Vector3d(1.0, 2.0, 3.0);
  for (VectorXd* x : {&v, &vdot_b}) {
    x->head<3>() = (R * x->head<3>()).eval();
    x->segment<3>(3) = (R * x->segment<3>(3)).eval();
  }
  b.set(q, v);
  b.gravity = Vec3d(Vector3d(R * a.gravity.eigen()));
  const VectorXd tau = a.calc_inverse(vdot);
  VectorXd expected = tau;
  expected.head<3>() = R * tau.head<3>();
  expected.segment<3>(3) = R * tau.segment<3>(3);
  EXPECT_LT(relative_error(b.calc_inverse(vdot_b), expected), kRounding);
}

// A thousand kilometres away a metre has lost ten digits; joint forces have not, because each
// tree is computed from its own base. 1e-9 is the promise, the same bits are the truth.
TEST_P(FrameChangeOnRobot, WorksAThousandKilometresAway) {
  constexpr double kFarAway = 1e6;  // m
  Workbench near = test::make_workbench(model(), 2), far = near;
  VectorXd q = near.q;
  q.segment<3>(4) += Vector3d(kFarAway, -kFarAway, kFarAway);
  far.set(q, near.v);
  kernel::Random random(2800);
  const VectorXd vdot = test::make_vector(random, model().nv, 10.0);
  const VectorXd tau = near.calc_inverse(vdot);
  EXPECT_LT(relative_error(far.calc_inverse(vdot), tau), 1e-9);
  EXPECT_EQ(far.calc_inverse(vdot), tau);
  EXPECT_EQ(far.calc_forward(tau), near.calc_forward(tau));
  EXPECT_EQ(far.calc_mass_matrix(), near.calc_mass_matrix());
  EXPECT_EQ(far.calc_frame_jacobian(model().nbody - 1, Vec3d(0.1, 0.2, 0.3)),
            near.calc_frame_jacobian(model().nbody - 1, Vec3d(0.1, 0.2, 0.3)));
}

// Positions in the world do lose digits there: 1e6 m to 1.2e-10 m. Momentum about the centre of
// mass must not lose more than that.
TEST_P(FrameChangeOnRobot, KeepsItsMomentumAThousandKilometresAway) {
  constexpr double kFarAway = 1e6;      // m
  constexpr double kLengthLost = 1e-9;  // m: a few roundings of a position there
  Workbench near = test::make_workbench(model(), 3), far = near;
  VectorXd q = near.q;
  q.segment<3>(4) += Vector3d::Constant(kFarAway);
  far.set(q, near.v);
  Centroidal a(model()), b(model());
  update_centroidal(model(), near.kin, near.inertias, near.vel, a);
  update_centroidal(model(), far.kin, far.inertias, far.vel, b);
  EXPECT_LT((a.h_G.lin.eigen() - b.h_G.lin.eigen()).norm(), kRounding * a.h_G.lin.eigen().norm());
  EXPECT_LT((a.h_G.ang.eigen() - b.h_G.ang.eigen()).norm(), kLengthLost * a.h_G.lin.eigen().norm());
}
INSTANTIATE_TEST_SUITE_P(Robots, FrameChangeOnRobot, testing::ValuesIn(test::kRobotNames),
                         test::robot_name);

}  // namespace
}  // namespace stance::dynamics
