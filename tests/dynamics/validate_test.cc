// Massless links are legal where something behind them has inertia, and named where not.

#include "stance/dynamics/validate.h"

#include <gtest/gtest.h>

#include "stance/model/builder.h"
#include "stance/model/samples.h"

#include "support/random_forest.h"
#include "support/robots.h"
#include "support/specs.h"

namespace stance::dynamics {
namespace {

using Eigen::Vector3d;
using model::JointType;
using model::Model;

struct Link {
  const char* name;
  double mass;
  Vector3d axis;
  JointType type = JointType::kRevolute;
};

// A chain on a heavy base, one link after the other.
Model make_serial(std::initializer_list<Link> links,
                  model::ModelBuilder::Base base = model::ModelBuilder::Base::kFixed) {
  model::ModelBuilder builder("serial");
  builder.add_link(test::make_link("base", 10.0));
  std::string parent = "base";
  for (const Link& link : links) {
    model::LinkSpec spec = test::make_link(link.name, link.mass);
    if (link.mass == 0.0) spec.inertia.setZero();
    spec.com = {0.0, 0.0, link.mass > 0.0 ? -0.1 : 0.0};
    builder.add_link(spec);
    model::JointSpec joint =
        test::make_joint(std::string("to_") + link.name, link.type, parent, link.name);
    joint.axis = link.axis;
    joint.p_PJ = {0.0, 0.0, -0.2};
    builder.add_joint(joint);
    parent = link.name;
  }
  builder.attach_roots(base);
  return builder.build();
}

std::string find_singular_name(const Model& model) {
  const model::BodyIndex body = find_singular_body(model);
  return body.valid() ? model.body_name[body] : "";
}

TEST(Validate, FindsNothingWrongWithSoundModels) {
  for (int seed = 0; seed < test::kNumForests; ++seed)
    EXPECT_EQ(find_singular_name(test::make_forest(seed)), "") << "seed " << seed;
  EXPECT_EQ(find_singular_name(model::make_chain(200)), "");
  EXPECT_EQ(find_singular_name(model::make_chain(200, {.floating = true})), "");
  EXPECT_EQ(find_singular_name(model::ModelBuilder("empty").build()), "");
}

TEST(Validate, NamesAMasslessTip) {
  const Vector3d y = Vector3d::UnitY();
  EXPECT_EQ(find_singular_name(make_serial({{"arm", 1.0, y}, {"tip", 0.0, y}})), "tip");
  EXPECT_EQ(
      find_singular_name(make_serial({{"arm", 1.0, y}, {"tip", 0.0, y, JointType::kPrismatic}})),
      "tip");
}

// Two massless links in a row: the outer one is to blame first.
TEST(Validate, NamesTheOutermostOfSeveral) {
  const Vector3d x = Vector3d::UnitX(), y = Vector3d::UnitY();
  EXPECT_EQ(find_singular_name(make_serial({{"arm", 1.0, y}, {"wrist", 0.0, x}, {"tip", 0.0, y}})),
            "tip");
}

// Crossing axes with a massless link between, as in a shoulder.
TEST(Validate, AllowsMasslessLinksBetweenCrossingAxes) {
  const Vector3d x = Vector3d::UnitX(), y = Vector3d::UnitY(), z = Vector3d::UnitZ();
  EXPECT_EQ(find_singular_name(make_serial({{"fork", 0.0, x}, {"arm", 1.0, y}})), "");
  EXPECT_EQ(find_singular_name(make_serial({{"a", 0.0, z}, {"b", 0.0, x}, {"arm", 1.0, y}})), "");
}

// An arm behind two hinges about one line, with a massless link between them.
Model make_doubled_hinge(const Vector3d& axis) {
  model::ModelBuilder builder("doubled");
  builder.add_link(test::make_link("base", 10.0));
  model::LinkSpec nothing = test::make_link("between", 0.0);
  nothing.inertia.setZero();
  builder.add_link(nothing);
  model::LinkSpec arm = test::make_link("arm");
  arm.com = {0.3, 0.1, 0.2};
  builder.add_link(arm);
  model::JointSpec first = test::make_joint("a", JointType::kRevolute, "base", "between");
  first.axis = axis;
  builder.add_joint(first);
  model::JointSpec second = test::make_joint("b", JointType::kRevolute, "between", "arm");
  second.axis = axis;
  second.p_PJ = 0.2 * axis;
  builder.add_joint(second);
  builder.attach_roots(model::ModelBuilder::Base::kFixed);
  return builder.build();
}

// The inner hinge turns nothing that the outer one does not turn already. Along x, y or z what is
// left of the inertia is exactly zero; along other lines it is what rounding leaves.
TEST(Validate, NamesAMasslessLinkBetweenParallelAxes) {
  for (int k = 0; k < 3; ++k)
    EXPECT_EQ(find_singular_name(make_doubled_hinge(Vector3d::Unit(k))), "between");
  kernel::Random random(60);
  for (int n = 0; n < 50; ++n)
    EXPECT_EQ(find_singular_name(make_doubled_hinge(test::make_direction(random))), "between");
}

// A wrist whose first and last axes line up at zero, and nowhere else: the model is sound.
TEST(Validate, AllowsAWristThatLinesUpAtZeroOnly) {
  const Vector3d x = Vector3d::UnitX(), z = Vector3d::UnitZ();
  EXPECT_EQ(find_singular_name(make_serial({{"a", 0.0, z}, {"b", 0.0, x}, {"hand", 1.0, z}})), "");
}

TEST(Validate, NamesAMasslessFloatingBase) {
  model::ModelBuilder builder("ghost");
  model::LinkSpec ghost = test::make_link("ghost", 0.0);
  ghost.inertia.setZero();
  builder.add_link(ghost);
  builder.attach_roots(model::ModelBuilder::Base::kFree);
  EXPECT_EQ(find_singular_name(builder.build()), "ghost");
}

// A point mass can be thrown but not turned.
TEST(Validate, NamesAFloatingPointMass) {
  model::ModelBuilder builder("point");
  model::LinkSpec point = test::make_link("point");
  point.inertia.setZero();
  builder.add_link(point);
  builder.attach_roots(model::ModelBuilder::Base::kFree);
  EXPECT_EQ(find_singular_name(builder.build()), "point");
}

// A rotor in the joint is inertia enough.
TEST(Validate, AllowsAMasslessTipWithARotor) {
  model::ModelBuilder builder("rotor");
  builder.add_link(test::make_link("base", 10.0));
  model::LinkSpec tip = test::make_link("tip", 0.0);
  tip.inertia.setZero();
  builder.add_link(tip);
  model::JointSpec joint = test::make_joint("hinge", JointType::kRevolute, "base", "tip");
  joint.rotor_inertia = 1e-4;
  builder.add_joint(joint);
  builder.attach_roots(model::ModelBuilder::Base::kFixed);
  EXPECT_EQ(find_singular_name(builder.build()), "");
}

class ValidateOnRobot : public test::RobotTest {};
TEST_P(ValidateOnRobot, FindsNothingWrong) { EXPECT_EQ(find_singular_name(model()), ""); }
INSTANTIATE_TEST_SUITE_P(Robots, ValidateOnRobot, testing::ValuesIn(test::kRobotNames),
                         test::robot_name);

TEST(Validate, TheBipedHasMasslessLinksBetweenItsAxes) {
  const auto biped = test::find_robot("biped");
  if (!biped) GTEST_SKIP() << "built without the URDF reader";
  int massless = 0;
  for (int i = 1; i < biped->nbody; ++i) massless += biped->mass[i] == 0.0;
  EXPECT_EQ(massless, 8);  // 15 bodies, 7 of them with mass
}

}  // namespace
}  // namespace stance::dynamics
