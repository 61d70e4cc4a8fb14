// q (+) dv and q_to (-) q_from: inverse to each other, and what they mean.

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "stance/model/builder.h"
#include "stance/model/model.h"

#include "support/random_forest.h"
#include "support/specs.h"

namespace stance::model {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;
using test::displace;

constexpr double kRounding = 1e-13;  // a few quaternion products

VectorXd subtract(const Model& m, const VectorXd& from, const VectorXd& to) {
  VectorXd dv(m.nv);
  difference(m, from.data(), to.data(), dv.data());
  return dv;
}

TEST(Coordinates, DifferenceUndoesIntegrate) {
  for (int seed = 0; seed < test::kNumForests; ++seed) {
    SCOPED_TRACE(seed);
    const Model m = test::make_forest(seed);
    kernel::Random random(500 + seed);
    const VectorXd q = test::make_coordinates(random, m);
    // within one turn of pi every displacement is the shortest one
    for (double size : {1e-12, 1e-3, 1.0}) {
      const VectorXd dv = test::make_vector(random, m.nv, 1.7 * size);
      const VectorXd back = subtract(m, q, displace(m, q, dv));
      EXPECT_LT((back - dv).cwiseAbs().maxCoeff(), kRounding) << size;
    }
  }
}

TEST(Coordinates, IntegrateUndoesDifference) {
  for (int seed = 0; seed < test::kNumForests; ++seed) {
    SCOPED_TRACE(seed);
    const Model m = test::make_forest(seed);
    kernel::Random random(600 + seed);
    const VectorXd from = test::make_coordinates(random, m), to = test::make_coordinates(random, m);
    const VectorXd reached = displace(m, from, subtract(m, from, to));
    // the same place, though a quaternion may come back with the other sign
    EXPECT_LT(subtract(m, reached, to).cwiseAbs().maxCoeff(), kRounding);
  }
}

TEST(Coordinates, IntegrateWorksInPlace) {
  const Model m = test::make_forest(7);
  kernel::Random random(7);
  const VectorXd q = test::make_coordinates(random, m), dv = test::make_vector(random, m.nv, 1.0);
  VectorXd in_place = q;
  integrate(m, in_place.data(), dv.data(), in_place.data());
  EXPECT_EQ(in_place, displace(m, q, dv));
}

TEST(Coordinates, QuaternionsStayUnit) {
  const Model m = test::make_forest(3);
  kernel::Random random(8);
  VectorXd q = test::make_coordinates(random, m);
  for (int n = 0; n < 10000; ++n) q = displace(m, q, test::make_vector(random, m.nv, 0.1));
  for (int i = 1; i < m.nbody; ++i) {
    if (m.joint_nq(i) == m.joint_nv(i)) continue;
    EXPECT_NEAR(q.segment<4>(m.q_start[i]).norm(), 1.0, 1e-15);
  }
}

// A quarter turn about the joint frame's z from a body that lies on its side: the turn is about
// the axes of the joint frame (the parent's side), not about those of the body.
TEST(Coordinates, RotationsAreAboutTheJointFramesAxes) {
  ModelBuilder builder("ball");
  builder.add_link(test::make_link("ball"));
  builder.add_joint(test::make_joint("free", JointType::kFree, "", "ball"));
  const Model m = builder.build();
  const Eigen::Quaterniond side(Eigen::AngleAxisd(M_PI / 2, Vector3d::UnitX()));
  VectorXd q(7);
  q << side.w(), side.x(), side.y(), side.z(), 1.0, 2.0, 3.0;
  VectorXd dv = VectorXd::Zero(6);
  dv[2] = M_PI / 2;
  dv.tail<3>() = Vector3d(0.1, 0.2, 0.3);
  const VectorXd next = displace(m, q, dv);
  const Eigen::Quaterniond expected =
      Eigen::Quaterniond(Eigen::AngleAxisd(M_PI / 2, Vector3d::UnitZ())) * side;
  EXPECT_LT(
      (Eigen::Vector4d(expected.w(), expected.x(), expected.y(), expected.z()) - next.head<4>())
          .norm(),
      1e-15);
  EXPECT_LT((next.tail<3>() - Vector3d(1.1, 2.2, 3.3)).norm(), 1e-15);
}

TEST(Coordinates, NeutralPutsEveryBodyOnItsJoint) {
  for (int seed = 0; seed < test::kNumForests; ++seed) {
    const Model m = test::make_forest(seed);
    const std::vector<double> q = make_neutral(m);
    ASSERT_EQ(static_cast<int>(q.size()), m.nq);
    for (int i = 1; i < m.nbody; ++i)
      for (int k = 0; k < m.joint_nq(i); ++k) {
        const bool real_part = k == 0 && m.joint_nq(i) != m.joint_nv(i);
        EXPECT_EQ(q[m.q_start[i] + k], real_part ? 1.0 : 0.0);
      }
  }
}

}  // namespace
}  // namespace stance::model
