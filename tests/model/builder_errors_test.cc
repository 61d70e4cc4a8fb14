// What cannot be simulated is refused at its place, with words that name it.

#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "stance/model/builder.h"

#include "support/specs.h"

namespace stance::model {
namespace {

using Base = ModelBuilder::Base;
using test::make_joint;
using test::make_link;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Builds and returns the message; empty when nothing was thrown.
std::string build_error(const ModelBuilder& builder, Place* place = nullptr) {
  try {
    (void)builder.build();
  } catch (const Error& error) {
    if (place) *place = error.place();
    return error.what();
  }
  return "";
}

void expect_words(const std::string& message, std::initializer_list<const char*> words) {
  for (const char* word : words)
    EXPECT_NE(message.find(word), std::string::npos) << "'" << word << "' in: " << message;
}

// Two links and a hinge, spoiled by `spoil`.
std::string spoiled_error(const std::function<void(LinkSpec&, JointSpec&)>& spoil) {
  ModelBuilder builder("arm");
  builder.add_link(make_link("base"));
  LinkSpec link = make_link("arm");
  link.place = {"arm.urdf", 5};
  JointSpec joint = make_joint("hinge", JointType::kRevolute, "base", "arm");
  joint.place = {"arm.urdf", 9};
  spoil(link, joint);
  builder.add_link(link);
  builder.add_joint(joint);
  builder.attach_roots(Base::kFixed);
  return build_error(builder);
}

TEST(BuilderErrors, TheUnspoiltArmBuilds) {
  EXPECT_EQ(spoiled_error([](LinkSpec&, JointSpec&) {}), "");
}

TEST(BuilderErrors, NamesALoop) {
  ModelBuilder builder("ring");
  for (const char* name : {"root", "a", "b", "c"}) builder.add_link(make_link(name));
  builder.add_joint(make_joint("ab", JointType::kRevolute, "a", "b"));
  builder.add_joint(make_joint("bc", JointType::kRevolute, "b", "c"));
  builder.add_joint(make_joint("ca", JointType::kRevolute, "c", "a"));
  builder.attach_roots(Base::kFree);
  expect_words(build_error(builder), {"loop", "'a'"});
}

TEST(BuilderErrors, NamesALinkWithTwoParents) {
  ModelBuilder builder("diamond");
  for (const char* name : {"root", "left", "right", "tip"}) builder.add_link(make_link(name));
  builder.add_joint(make_joint("a", JointType::kRevolute, "root", "left"));
  builder.add_joint(make_joint("b", JointType::kRevolute, "root", "right"));
  builder.add_joint(make_joint("c", JointType::kRevolute, "left", "tip"));
  JointSpec second = make_joint("d", JointType::kRevolute, "right", "tip");
  second.place = {"diamond.urdf", 17};
  builder.add_joint(second);
  builder.attach_roots(Base::kFree);
  Place place;
  expect_words(build_error(builder, &place), {"diamond.urdf:17", "'tip'", "'c'", "'d'"});
  EXPECT_EQ(place.line, 17);
}

TEST(BuilderErrors, NamesALinkJoinedToItself) {
  expect_words(spoiled_error([](LinkSpec&, JointSpec& joint) { joint.parent = "arm"; }),
               {"arm.urdf:9", "'hinge'", "itself"});
}

TEST(BuilderErrors, NamesUnknownLinks) {
  expect_words(spoiled_error([](LinkSpec&, JointSpec& joint) { joint.parent = "bose"; }),
               {"arm.urdf:9", "'hinge'", "parent", "'bose'"});
  expect_words(spoiled_error([](LinkSpec&, JointSpec& joint) { joint.child = "orm"; }),
               {"arm.urdf:9", "'hinge'", "child", "'orm'"});
}

TEST(BuilderErrors, NamesALinkThatNothingCarries) {
  ModelBuilder builder("loose");
  builder.add_link(make_link("loose"));
  expect_words(build_error(builder), {"'loose'", "not joined"});
}

TEST(BuilderErrors, NamesDuplicates) {
  expect_words(
      spoiled_error([](LinkSpec& link, JointSpec& joint) { link.name = joint.child = "base"; }),
      {"arm.urdf:5", "two links", "'base'"});
  ModelBuilder builder("twins");
  for (const char* name : {"a", "b", "c"}) builder.add_link(make_link(name));
  JointSpec joint = make_joint("hinge", JointType::kRevolute, "a", "b");
  joint.place = {"twins.urdf", 4};
  builder.add_joint(joint);
  joint.child = "c";
  joint.place.line = 8;
  builder.add_joint(joint);
  builder.attach_roots(Base::kFree);
  expect_words(build_error(builder), {"twins.urdf:8", "two joints", "'hinge'", "line 4"});
}

TEST(BuilderErrors, RefusesNamelessThings) {
  expect_words(
      spoiled_error([](LinkSpec& link, JointSpec& joint) { link.name = joint.child = ""; }),
      {"no name"});
  expect_words(spoiled_error([](LinkSpec&, JointSpec& joint) { joint.name = ""; }),
               {"joint has no name"});
}

TEST(BuilderErrors, RefusesNumbersThatAreNone) {
  const std::function<void(LinkSpec&, JointSpec&)> spoilers[] = {
      [](LinkSpec& link, JointSpec&) { link.mass = kNan; },
      [](LinkSpec& link, JointSpec&) { link.mass = kInfinity; },
      [](LinkSpec& link, JointSpec&) { link.com.y() = kNan; },
      [](LinkSpec& link, JointSpec&) { link.inertia(1, 1) = kInfinity; },
      [](LinkSpec&, JointSpec& joint) { joint.p_PJ.x() = kNan; },
      [](LinkSpec&, JointSpec& joint) { joint.R_PJ(0, 0) = kNan; },
      [](LinkSpec&, JointSpec& joint) { joint.axis.z() = kInfinity; },
      [](LinkSpec&, JointSpec& joint) { joint.lower = kNan; },
      [](LinkSpec&, JointSpec& joint) { joint.upper = kNan; },
      [](LinkSpec&, JointSpec& joint) { joint.velocity_limit = kNan; },
      [](LinkSpec&, JointSpec& joint) { joint.effort_limit = kNan; },
      [](LinkSpec&, JointSpec& joint) { joint.damping = kInfinity; },
      [](LinkSpec&, JointSpec& joint) { joint.friction = kNan; },
      [](LinkSpec&, JointSpec& joint) { joint.rotor_inertia = kNan; },
  };
  for (const auto& spoil : spoilers) expect_words(spoiled_error(spoil), {"arm.urdf", "number"});
}

TEST(BuilderErrors, RefusesWhatNoMachineHas) {
  const auto joint_error = [](auto set) {
    return spoiled_error([&](LinkSpec&, JointSpec& joint) { set(joint); });
  };
  expect_words(spoiled_error([](LinkSpec& link, JointSpec&) { link.mass = -1.0; }),
               {"arm.urdf:5", "negative mass", "-1"});
  expect_words(joint_error([](JointSpec& j) { j.axis.setZero(); }), {"'hinge'", "axis", "zero"});
  expect_words(joint_error([](JointSpec& j) { j.lower = 1.0, j.upper = -1.0; }), {"lower limit"});
  expect_words(joint_error([](JointSpec& j) { j.damping = -1.0; }), {"negative damping"});
  expect_words(joint_error([](JointSpec& j) { j.friction = -1.0; }), {"negative"});
  expect_words(joint_error([](JointSpec& j) { j.rotor_inertia = -1.0; }), {"negative"});
  expect_words(joint_error([](JointSpec& j) { j.R_PJ *= 1.1; }), {"not a rotation"});
  expect_words(joint_error([](JointSpec& j) { j.R_PJ.col(0) *= -1.0; }), {"not a rotation"});
}

// Only joints with an axis need one.
TEST(BuilderErrors, AcceptsAZeroAxisWhereNoneIsUsed) {
  for (JointType type : {JointType::kFixed, JointType::kSpherical, JointType::kFree})
    EXPECT_EQ(spoiled_error([&](LinkSpec&, JointSpec& joint) {
                joint.type = type;
                joint.axis.setZero();
              }),
              "");
}

}  // namespace
}  // namespace stance::model
