// The order of bodies: parents first, each tree in one piece, names kept.

#include <set>

#include <gtest/gtest.h>

#include "stance/model/builder.h"

#include "support/random_forest.h"
#include "support/specs.h"

namespace stance::model {
namespace {

using Base = ModelBuilder::Base;
using test::make_joint;
using test::make_link;

// Declared from the tip to the root, with the links shuffled.
TEST(BuilderOrder, PutsParentsFirstWhateverTheOrderOfDeclaration) {
  ModelBuilder builder("arm");
  for (const char* name : {"hand", "base", "forearm", "arm"}) builder.add_link(make_link(name));
  builder.add_joint(make_joint("wrist", JointType::kRevolute, "forearm", "hand"));
  builder.add_joint(make_joint("elbow", JointType::kRevolute, "arm", "forearm"));
  builder.add_joint(make_joint("shoulder", JointType::kRevolute, "base", "arm"));
  builder.attach_roots(Base::kFree);
  const Model m = builder.build();
  const std::vector<std::string> bodies = {"world", "base", "arm", "forearm", "hand"};
  const std::vector<std::string> joints = {"", "base_free", "shoulder", "elbow", "wrist"};
  EXPECT_EQ(m.body_name, bodies);
  EXPECT_EQ(m.joint_name, joints);
  EXPECT_EQ(m.parent, (std::vector<int>{0, 0, 1, 2, 3}));
  EXPECT_EQ(m.find_joint("elbow"), BodyIndex(3));
  EXPECT_FALSE(m.find_joint("knee").valid());
  EXPECT_FALSE(m.find_body("foot").valid());
}

TEST(BuilderOrder, KeepsChildrenInTheOrderTheyWereDeclared) {
  ModelBuilder builder("star");
  for (const char* name : {"hub", "c", "a", "b"}) builder.add_link(make_link(name));
  for (const char* name : {"b", "c", "a"})
    builder.add_joint(make_joint(std::string("to_") + name, JointType::kRevolute, "hub", name));
  builder.attach_roots(Base::kFree);
  EXPECT_EQ(builder.build().body_name, (std::vector<std::string>{"world", "hub", "b", "c", "a"}));
}

TEST(BuilderOrder, KeepsEachTreeInOnePiece) {
  for (int seed = 0; seed < test::kNumForests; ++seed) {
    SCOPED_TRACE(seed);
    const Model m = test::make_forest(seed);
    for (int i = 1; i < m.nbody; ++i) {
      ASSERT_LT(m.parent[i], i);
      ASSERT_GE(m.tree[i], m.tree[i - 1]);
      if (m.parent[i] == 0)
        ASSERT_EQ(m.tree_root[m.tree[i]], i);
      else
        ASSERT_EQ(m.tree[i], m.tree[m.parent[i]]);
    }
    ASSERT_EQ(m.ntree, static_cast<int>(m.tree_root.size()));
    ASSERT_EQ(m.tree[m.nbody - 1], m.ntree - 1);
  }
}

TEST(BuilderOrder, AttachesRootsUnderFreshNames) {
  ModelBuilder builder("two");
  builder.add_link(make_link("a"));
  builder.add_link(make_link("b"));
  builder.add_joint(make_joint("a_free", JointType::kRevolute, "", "b"));  // takes the usual name
  builder.attach_roots(Base::kFree);
  const Model m = builder.build();
  EXPECT_EQ(m.ntree, 2);
  EXPECT_EQ(m.joint_name[m.find_body("a")], "a_free_");
}

// "world" is how URDF says where a robot is bolted; it is our world then.
TEST(BuilderOrder, TakesALinkNamedWorldAsTheWorld) {
  ModelBuilder builder("arm");
  builder.add_link(make_link("world", 0.0));
  builder.add_link(make_link("arm"));
  builder.add_joint(make_joint("hinge", JointType::kRevolute, "world", "arm"));
  builder.attach_roots(Base::kFixed);
  const Model m = builder.build();
  std::multiset<std::string> names;
  for (const Frame& frame : m.frames) names.insert(frame.name);
  EXPECT_EQ(names, (std::multiset<std::string>{"arm", "world"}));
  EXPECT_EQ(m.find_body("world"), BodyIndex(0));
}

// Elsewhere in the tree it is a link like any other.
TEST(BuilderOrder, FindsAMovingLinkNamedWorld) {
  ModelBuilder builder("arm");
  builder.add_link(make_link("base"));
  builder.add_link(make_link("world"));
  builder.add_joint(make_joint("hinge", JointType::kRevolute, "base", "world"));
  builder.attach_roots(Base::kFixed);
  const Model m = builder.build();
  EXPECT_EQ(m.find_body("world"), BodyIndex(1));
  EXPECT_EQ(m.frames.back().body, BodyIndex(0));
}

// The random forests that every other test stands on reach every kind of joint and base.
TEST(RandomForest, CoversEveryJointAndEveryBase) {
  std::set<JointKernel> inner, base;
  int fixed_links = 0, several_trees = 0, negative_axes = 0, turned_free_bases = 0, rotors = 0;
  for (int seed = 0; seed < test::kNumForests; ++seed) {
    const Model m = test::make_forest(seed);
    EXPECT_TRUE(m.warnings.empty()) << m.warnings.front().text();
    for (int i = 1; i < m.nbody; ++i) {
      (m.parent[i] == 0 ? base : inner).insert(m.joint_kernel[i]);
      turned_free_bases +=
          m.parent[i] == 0 && m.joint_type[i] == JointType::kFree && !m.R_PJ_is_identity[i];
    }
    fixed_links += static_cast<int>(m.frames.size()) - m.nbody;
    several_trees += m.ntree > 1;
    for (double sign : m.angle_sign) negative_axes += sign < 0.0;
    for (double rotor : m.rotor_inertia) rotors += rotor > 0.0;
  }
  EXPECT_EQ(inner.size(), 8u);
  EXPECT_EQ(base.size(), 8u);
  for (int count : {fixed_links, several_trees, negative_axes, turned_free_bases, rotors})
    EXPECT_GE(count, 10);
}

}  // namespace
}  // namespace stance::model
