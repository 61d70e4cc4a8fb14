// Jacobians and accelerations of points against finite differences of positions and velocities.

#include "stance/dynamics/jacobian.h"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "support/motion.h"
#include "support/robots.h"
#include "support/textbook.h"
#include "support/workbench.h"

namespace stance::dynamics {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::in;
using test::Workbench;

constexpr double kRounding = 1e-12;

// Central differences with step h: h^2 times third derivatives (up to about 1e2), and rounding
// of positions of a few metres over h.
constexpr double kStep = 1e-5;
constexpr double kDifference = 1e-8;

Vec3d make_point(kernel::Random& random) {
  return Vec3d(Vector3d(test::make_vector(random, 3, 0.5)));
}

// Angular velocity of the small turn from `before` to `after`.
Vector3d turn_between(const Matrix3d& before, const Matrix3d& after) {
  const Eigen::AngleAxisd turn(Matrix3d(after * before.transpose()));
  return turn.angle() * turn.axis();
}

void expect_jacobians(const Model& model, std::uint64_t seed) {
  SCOPED_TRACE(model.name);
  Workbench w = test::make_workbench(model, seed);
  kernel::Random random(1600 + seed);
  const VectorXd q = w.q, v = w.v;
  const int body = 1 + random.integer(model.nbody - 1);
  const Vec3d p = make_point(random);
  const MatrixXd J = w.calc_frame_jacobian(body, p), J_point = w.calc_point_jacobian(body, p);
  EXPECT_EQ(J.bottomRows(3), J_point);
  const Vector3d velocity = calc_point_velocity(w.kin, w.vel, BodyIndex(body), p).eigen();
  EXPECT_LT((J_point * v - velocity).norm(), kRounding * (1.0 + velocity.norm()));
  EXPECT_LT((J.topRows(3) * v - w.vel.V[body].ang.eigen()).norm(), kRounding * (1.0 + v.norm()));

  Workbench ahead(model), behind(model);
  for (int k = 0; k < model.nv; ++k) {
    const VectorXd step = kStep * VectorXd::Unit(model.nv, k);
    ahead.set(test::displace(model, q, step), v);
    behind.set(test::displace(model, q, -step), v);
    const Vector3d moved = (ahead.kin.calc_position(model, BodyIndex(body), p) -
                            behind.kin.calc_position(model, BodyIndex(body), p))
                               .eigen();
    EXPECT_LT((J_point.col(k) - moved / (2.0 * kStep)).norm(), kDifference) << "column " << k;
    const Vector3d turned =
        turn_between(behind.kin.R_WB[body].eigen(), ahead.kin.R_WB[body].eigen());
    EXPECT_LT((J.col(k).head<3>() - turned / (2.0 * kStep)).norm(), kDifference) << "column " << k;
  }
}

TEST(Jacobian, IsTheDerivativeOfPositionOnRandomForests) {
  for (int seed = 0; seed < test::kNumForests; ++seed)
    expect_jacobians(test::make_forest(seed), seed);
}

class JacobianOnRobot : public test::RobotTest {};
TEST_P(JacobianOnRobot, IsTheDerivativeOfPosition) {
  for (int seed = 0; seed < 3; ++seed) expect_jacobians(model(), seed);
}
INSTANTIATE_TEST_SUITE_P(Robots, JacobianOnRobot, testing::ValuesIn(test::kRobotNames),
                         test::robot_name);

TEST(Jacobian, OfTheWorldIsZero) {
  const Model model = test::make_forest(1);
  Workbench w = test::make_workbench(model, 1);
  EXPECT_EQ(w.calc_frame_jacobian(0, Vec3d(1.0, 2.0, 3.0)).norm(), 0.0);
  EXPECT_EQ(w.kin.calc_position(model, BodyIndex(0), Vec3d(1.0, 2.0, 3.0)).eigen(),
            Vector3d(1.0, 2.0, 3.0));
}

// The textbook's accelerations, in closed form.
TEST(PointAcceleration, AgreesWithTheTextbook) {
  for (int seed = 0; seed < test::kNumForests; ++seed) {
    SCOPED_TRACE(seed);
    const Model model = test::make_forest(seed);
    const Workbench w = test::make_workbench(model, seed);
    kernel::Random random(1700 + seed);
    const VectorXd vdot = test::make_vector(random, model.nv, 10.0);
    std::vector<Motion<double>> A(model.nbody);
    calc_accelerations(model, w.kin, w.vel, in(vdot), A);
    const auto expected = test::calc_textbook_motion(model, w.q, w.v, vdot);
    for (int i = 1; i < model.nbody; ++i) {
      const Vec3d p = make_point(random);
      const test::BodyMotion& B = expected[i];
      const Vector3d r = p.eigen();
      const Vector3d a = B.R_WB * (B.a + B.alpha.cross(r) + B.w.cross(B.w.cross(r)));
      const Vector3d got = calc_point_acceleration(w.kin, w.vel, A, BodyIndex(i), p).eigen();
      EXPECT_LT((got - a).norm(), kRounding * (1.0 + a.norm()));
    }
  }
}

TEST(PointAcceleration, IsTheDerivativeOfVelocityAlongTheMotion) {
  for (int seed = 0; seed < test::kNumForests; ++seed) {
    SCOPED_TRACE(seed);
    const Model model = test::make_forest(seed);
    const Workbench w = test::make_workbench(model, seed);
    kernel::Random random(1800 + seed);
    const VectorXd vdot = test::make_vector(random, model.nv, 10.0);
    std::vector<Motion<double>> A(model.nbody);
    calc_accelerations(model, w.kin, w.vel, in(vdot), A);
    const int i = 1 + random.integer(model.nbody - 1);
    const Vec3d p = make_point(random);
    const VectorXd rate = test::differentiate(w, vdot, kStep, [&](const Workbench& at) -> VectorXd {
      return calc_point_velocity(at.kin, at.vel, BodyIndex(i), p).eigen();
    });
    const Vector3d a = calc_point_acceleration(w.kin, w.vel, A, BodyIndex(i), p).eigen();
    // third derivatives along the motion reach 1e4
    EXPECT_LT((a - rate).norm(), 1e-6 * (1.0 + a.norm()));
  }
}

}  // namespace
}  // namespace stance::dynamics
