// Mimic joints: chains of them compose, nonsense is named.

#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "stance/model/builder.h"

#include "support/specs.h"

namespace stance::model {
namespace {

using test::make_joint;
using test::make_link;

// A hand of four hinges a, b, c, d in a row, described further by `describe`.
Model build_hand(const std::function<void(std::vector<JointSpec>&)>& describe) {
  ModelBuilder builder("hand");
  std::vector<JointSpec> joints;
  std::string parent = "palm";
  builder.add_link(make_link(parent));
  for (const char* name : {"a", "b", "c", "d"}) {
    const std::string child = std::string("link_") + name;
    builder.add_link(make_link(child));
    joints.push_back(make_joint(name, JointType::kRevolute, parent, child));
    joints.back().place = {"hand.urdf", static_cast<int>(joints.size())};
    parent = child;
  }
  describe(joints);
  for (const JointSpec& joint : joints) builder.add_joint(joint);
  builder.attach_roots(ModelBuilder::Base::kFixed);
  return builder.build();
}

std::string hand_error(const std::function<void(std::vector<JointSpec>&)>& describe) {
  try {
    (void)build_hand(describe);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(MimicSpec, KeepsRatioAndOffset) {
  const Model m = build_hand([](auto& j) { j[2].mimic = MimicSpec{"a", -0.5, 0.25}; });
  ASSERT_EQ(m.mimics.size(), 1u);
  EXPECT_EQ(m.mimics[0].follower, m.find_joint("c"));
  EXPECT_EQ(m.mimics[0].leader, m.find_joint("a"));
  EXPECT_EQ(m.mimics[0].ratio, -0.5);
  EXPECT_EQ(m.mimics[0].offset, 0.25);
}

// c = 2 b + 1, b = 3 a - 4, so c = 6 a - 7; d = -c follows a too.
TEST(MimicSpec, ChainsComposeToTheFreeJoint) {
  const Model m = build_hand([](auto& j) {
    j[3].mimic = MimicSpec{"c", -1.0, 0.0};
    j[2].mimic = MimicSpec{"b", 2.0, 1.0};
    j[1].mimic = MimicSpec{"a", 3.0, -4.0};
  });
  ASSERT_EQ(m.mimics.size(), 3u);
  const double ratio[] = {3.0, 6.0, -6.0}, offset[] = {-4.0, -7.0, 7.0};
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(m.mimics[k].leader, m.find_joint("a"));
    EXPECT_EQ(m.mimics[k].ratio, ratio[k]);
    EXPECT_EQ(m.mimics[k].offset, offset[k]);
  }
}

TEST(MimicSpec, NamesLeadersThatDoNotExist) {
  const std::string error = hand_error([](auto& j) { j[1].mimic = MimicSpec{"thumb"}; });
  EXPECT_NE(error.find("hand.urdf:2"), std::string::npos) << error;
  EXPECT_NE(error.find("'thumb'"), std::string::npos) << error;
}

TEST(MimicSpec, RefusesCircles) {
  const std::string two = hand_error([](auto& j) {
    j[0].mimic = MimicSpec{"b"};
    j[1].mimic = MimicSpec{"a"};
  });
  EXPECT_NE(two.find("itself"), std::string::npos) << two;
  const std::string one = hand_error([](auto& j) { j[0].mimic = MimicSpec{"a"}; });
  EXPECT_NE(one.find("itself"), std::string::npos) << one;
}

TEST(MimicSpec, RefusesJointsOfOtherThanOneDof) {
  const std::string follower = hand_error([](auto& j) {
    j[1].type = JointType::kSpherical;
    j[1].mimic = MimicSpec{"a"};
  });
  EXPECT_NE(follower.find("spherical"), std::string::npos) << follower;
  const std::string leader = hand_error([](auto& j) {
    j[0].type = JointType::kFixed;
    j[1].mimic = MimicSpec{"a"};
  });
  EXPECT_NE(leader.find("fixed"), std::string::npos) << leader;
}

TEST(MimicSpec, RefusesNumbersThatAreNone) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(hand_error([&](auto& j) { j[1].mimic = MimicSpec{"a", nan, 0.0}; }), "");
  EXPECT_NE(hand_error([&](auto& j) { j[1].mimic = MimicSpec{"a", 1.0, kInfinity}; }), "");
}

}  // namespace
}  // namespace stance::model
