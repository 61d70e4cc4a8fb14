// Links joined by fixed joints become one body: its inertia in closed form, names kept as frames.

#include <numbers>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "stance/model/builder.h"

#include "support/random_forest.h"
#include "support/specs.h"

namespace stance::model {
namespace {

using Base = ModelBuilder::Base;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using test::make_joint;
using test::make_link;

constexpr double kRounding = 1e-14;  // masses and lengths of order one

// Two point masses 2 m apart on a massless hub: a dumb-bell.
TEST(BuilderMerge, MakesADumbBellOfTwoPointMasses) {
  ModelBuilder builder("dumb-bell");
  builder.add_link(make_link("hub", 0.0));
  for (const char* side : {"left", "right"}) {
    LinkSpec ball;
    ball.name = side;
    ball.mass = ball.name == "left" ? 3.0 : 1.0;
    builder.add_link(ball);
    JointSpec joint = make_joint(ball.name + "_weld", JointType::kFixed, "hub", side);
    joint.p_PJ = {ball.name == "left" ? 1.0 : -1.0, 0.0, 0.0};
    builder.add_joint(joint);
  }
  builder.attach_roots(Base::kFree);
  const Model m = builder.build();
  ASSERT_EQ(m.nbody, 2);
  EXPECT_EQ(m.nv, 6);
  // mass 4, centre at (3 - 1) / 4, reduced mass 3 * 1 / 4 at distance 2
  EXPECT_DOUBLE_EQ(m.mass[1], 4.0);
  EXPECT_LT((m.com[1].eigen() - Vector3d(0.5, 0.0, 0.0)).norm(), kRounding);
  const Matrix3d expected = Vector3d(0.0, 3.0, 3.0).asDiagonal();
  EXPECT_LT((m.inertia[1].full().eigen() - expected).norm(), kRounding);
}

// A solid box sawn into two halves, one of them turned, is the box again.
TEST(BuilderMerge, MakesABoxOfTwoHalves) {
  const auto box = [](double m, double x, double y, double z) -> Matrix3d {
    return Vector3d(y * y + z * z, x * x + z * z, x * x + y * y).asDiagonal() * (m / 12.0);
  };
  ModelBuilder builder("box");
  LinkSpec half = make_link("lower");
  half.mass = 3.0;
  half.com = {0.0, 0.0, -0.15};
  half.inertia = box(3.0, 0.2, 0.4, 0.3);
  builder.add_link(half);
  // the upper half's frame stands at the top, x along the box's y
  half.name = "upper";
  half.inertia = box(3.0, 0.4, 0.2, 0.3);
  builder.add_link(half);
  JointSpec weld = make_joint("weld", JointType::kFixed, "lower", "upper");
  weld.R_PJ = Eigen::AngleAxisd(std::numbers::pi / 2.0, Vector3d::UnitZ()).toRotationMatrix();
  weld.p_PJ = {0.0, 0.0, 0.3};
  builder.add_joint(weld);
  builder.attach_roots(Base::kFree);
  const Model m = builder.build();
  ASSERT_EQ(m.nbody, 2);
  EXPECT_DOUBLE_EQ(m.mass[1], 6.0);
  EXPECT_LT(m.com[1].eigen().norm(), kRounding);
  EXPECT_LT((m.inertia[1].full().eigen() - box(6.0, 0.2, 0.4, 0.6)).norm(), kRounding);
}

TEST(BuilderMerge, KeepsNamesAndPlacesAsFrames) {
  kernel::Random random(40);
  ModelBuilder builder("frames");
  for (const char* name : {"base", "arm", "wrist", "tool", "tip"})
    builder.add_link(make_link(name));
  const auto place = [&](JointSpec joint) {
    joint.R_PJ = test::make_rotation(random);
    joint.p_PJ = test::make_vector(random, 3, 1.0);
    builder.add_joint(joint);
    return joint;
  };
  place(make_joint("shoulder", JointType::kRevolute, "base", "arm"));
  const JointSpec first = place(make_joint("a", JointType::kFixed, "arm", "wrist"));
  const JointSpec turn = place(make_joint("b", JointType::kRevolute, "wrist", "tool"));
  const JointSpec last = place(make_joint("c", JointType::kFixed, "tool", "tip"));
  builder.attach_roots(Base::kFixed);
  const Model m = builder.build();
  ASSERT_EQ(m.nbody, 3);

  // the wrist lies in the arm, the tip in the tool
  const BodyIndex arm = m.find_body("arm"), tool = m.find_body("tool");
  EXPECT_EQ(m.find_body("base"), BodyIndex(0));
  EXPECT_EQ(m.find_body("wrist"), arm);
  EXPECT_EQ(m.find_body("tip"), tool);
  const Frame& wrist = m.frames[m.find_frame("wrist")];
  EXPECT_LT((wrist.R_BF.eigen() - first.R_PJ).norm(), kRounding);
  EXPECT_LT((wrist.p_BF.eigen() - first.p_PJ).norm(), kRounding);
  const Frame& tip = m.frames[m.find_frame("tip")];
  EXPECT_LT((tip.R_BF.eigen() - last.R_PJ).norm(), kRounding);
  EXPECT_LT((tip.p_BF.eigen() - last.p_PJ).norm(), kRounding);

  // the joint on the merged wrist is placed in the arm
  EXPECT_LT((m.R_PJ[tool].eigen() - first.R_PJ * turn.R_PJ).norm(), kRounding);
  EXPECT_LT((m.p_PJ[tool].eigen() - (first.p_PJ + first.R_PJ * turn.p_PJ)).norm(), kRounding);
  EXPECT_EQ(m.parent[tool], static_cast<int>(arm));
}

// Welds in any order, at any depth, keep mass, centre and inertia about it of the whole.
TEST(BuilderMerge, KeepsMassAndMomentsOfAnyWeldedTree) {
  for (int seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    kernel::Random random(400 + seed);
    ModelBuilder builder("welded");
    std::vector<Matrix3d> R = {Matrix3d::Identity()};
    std::vector<Vector3d> p = {Vector3d::Zero()};
    // moments about the root's origin, summed link by link
    double mass = 0.0;
    Vector3d first_moment = Vector3d::Zero();
    Matrix3d second = Matrix3d::Zero();  // inertia about the origin
    for (int i = 0; i < 8; ++i) {
      LinkSpec link = make_link("link" + std::to_string(i), random.uniform(0.5, 2.0));
      link.com = test::make_vector(random, 3, 0.5);
      link.inertia = test::make_inertia(random, link.mass, 0.3);
      if (i > 0) {
        const int parent = random.integer(i);
        JointSpec weld = make_joint("weld" + std::to_string(i), JointType::kFixed,
                                    "link" + std::to_string(parent), link.name);
        weld.R_PJ = test::make_rotation(random);
        weld.p_PJ = test::make_vector(random, 3, 0.5);
        builder.add_joint(weld);
        R.push_back(R[parent] * weld.R_PJ);
        p.push_back(p[parent] + R[parent] * weld.p_PJ);
      }
      const Vector3d c = p[i] + R[i] * link.com;
      mass += link.mass;
      first_moment += link.mass * c;
      second += R[i] * link.inertia * R[i].transpose() +
                link.mass * (c.dot(c) * Matrix3d::Identity() - c * c.transpose());
      builder.add_link(link);
    }
    builder.attach_roots(Base::kFree);
    const Model m = builder.build();
    ASSERT_EQ(m.nbody, 2);
    const Vector3d c = first_moment / mass;
    const Matrix3d about_c = second - mass * (c.dot(c) * Matrix3d::Identity() - c * c.transpose());
    EXPECT_NEAR(m.mass[1], mass, 10.0 * kRounding);
    EXPECT_LT((m.com[1].eigen() - c).norm(), 10.0 * kRounding);
    EXPECT_LT((m.inertia[1].full().eigen() - about_c).norm(), 100.0 * kRounding);
  }
}

// What is bolted to the world does not move and does not count in the mass that does.
TEST(BuilderMerge, PutsFixedBasesIntoTheWorld) {
  ModelBuilder builder("arm");
  builder.add_link(make_link("table", 50.0));
  builder.add_link(make_link("arm", 2.0));
  builder.add_joint(make_joint("hinge", JointType::kRevolute, "table", "arm"));
  builder.attach_roots(Base::kFixed);
  const Model m = builder.build();
  EXPECT_EQ(m.nbody, 2);
  EXPECT_EQ(m.ntree, 1);
  EXPECT_EQ(m.total_mass(), 2.0);
  EXPECT_EQ(m.find_body("table"), BodyIndex(0));
}

}  // namespace
}  // namespace stance::model
