// What is odd but workable is accepted, named, and never silently changed.

#include <gtest/gtest.h>

#include "stance/model/builder.h"

#include "support/specs.h"

namespace stance::model {
namespace {

using Base = ModelBuilder::Base;
using Eigen::Vector3d;
using test::make_joint;
using test::make_link;

Model build_link(double mass, const Vector3d& moments) {
  ModelBuilder builder("one");
  LinkSpec link = make_link("foot", mass);
  link.inertia = moments.asDiagonal();
  link.place = {"one.urdf", 3};
  builder.add_link(link);
  builder.attach_roots(Base::kFree);
  return builder.build();
}

void expect_warning(const Model& m, const char* words) {
  ASSERT_EQ(m.warnings.size(), 1u);
  const std::string text = m.warnings[0].text();
  EXPECT_NE(text.find("one.urdf:3"), std::string::npos) << text;
  EXPECT_NE(text.find("'foot'"), std::string::npos) << text;
  EXPECT_NE(text.find(words), std::string::npos) << text;
}

TEST(BuilderWarnings, ARealBodyHasNone) {
  EXPECT_TRUE(build_link(1.0, {1.0, 2.0, 2.5}).warnings.empty());
  // a flat disc lies on the edge of the triangle inequality, a thin rod too
  EXPECT_TRUE(build_link(1.0, {1.0, 1.0, 2.0}).warnings.empty());
  EXPECT_TRUE(build_link(1.0, {1e-9, 1.0, 1.0}).warnings.empty());
  EXPECT_TRUE(build_link(0.0, {0.0, 0.0, 0.0}).warnings.empty());
}

TEST(BuilderWarnings, NamesInertiasThatAreNotPositiveDefinite) {
  expect_warning(build_link(1.0, {1.0, -2.0, 3.0}), "not positive definite");
  expect_warning(build_link(1.0, {0.0, 1.0, 1.0}), "not positive definite");
}

// Positive diagonal entries do not make a matrix positive definite.
TEST(BuilderWarnings, LooksAtPrincipalMomentsRatherThanDiagonals) {
  ModelBuilder builder("one");
  LinkSpec link = make_link("foot");
  link.inertia << 1.0, 2.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 1.0;  // moments -1, 1, 3
  link.place = {"one.urdf", 3};
  builder.add_link(link);
  builder.attach_roots(Base::kFree);
  expect_warning(builder.build(), "not positive definite");
}

TEST(BuilderWarnings, NamesInertiasThatBreakTheTriangleInequality) {
  expect_warning(build_link(1.0, {1.0, 1.0, 2.1}), "triangle inequality");
  expect_warning(build_link(1.0, {5.0, 1.0, 1.0}), "triangle inequality");
}

TEST(BuilderWarnings, NamesPointMassesAndMasslessInertia) {
  expect_warning(build_link(1.0, {0.0, 0.0, 0.0}), "point mass");
  expect_warning(build_link(0.0, {1.0, 1.0, 1.0}), "without mass");
}

TEST(BuilderWarnings, UsesOddInertiasAsGiven) {
  const Model m = build_link(1.0, {1.0, 1.0, 9.0});
  EXPECT_EQ(m.inertia[1].full().eigen().diagonal(), Vector3d(1.0, 1.0, 9.0));
}

TEST(BuilderWarnings, ScalesAxesAndSaysSo) {
  for (const Vector3d& axis :
       {Vector3d(0.0, 0.0, -2.0), Vector3d(0.0, 0.0, -1e200), Vector3d(0.0, 0.0, -1e-9)}) {
    ModelBuilder builder("one");
    builder.add_link(make_link("base"));
    builder.add_link(make_link("foot"));
    JointSpec joint = make_joint("ankle", JointType::kRevolute, "base", "foot");
    joint.axis = axis;
    builder.add_joint(joint);
    builder.attach_roots(Base::kFixed);
    const Model m = builder.build();
    ASSERT_EQ(m.warnings.size(), 1u);
    EXPECT_NE(m.warnings[0].what.find("'ankle'"), std::string::npos);
    EXPECT_LT((m.axis[1].eigen() + Vector3d::UnitZ()).norm(), 1e-15) << axis.transpose();
    EXPECT_EQ(m.joint_kernel[1], JointKernel::kRevoluteZ);
  }
}

}  // namespace
}  // namespace stance::model
