// Contact sets: which bodies matter, and the skeleton of the paths between them.

#include "stance/dynamics/contact_set.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "stance/model/builder.h"

#include "support/contacts.h"
#include "support/specs.h"

namespace stance::dynamics {
namespace {

using model::BodyIndex;
using model::Model;
using test::Points;

Points points_on(std::initializer_list<int> bodies) {
  Points points;
  for (int body : bodies) points.push_back({BodyIndex(body), {}});
  return points;
}

// Two arms on a trunk, bodies 1 - 2 - (3 - 4 | 5 - 6), and a ball 7 beside.
Model make_two_arms() {
  model::ModelBuilder builder("two arms");
  const auto add = [&](const char* name, const char* parent, model::JointType type) {
    builder.add_link(test::make_link(name));
    builder.add_joint(test::make_joint(std::string("to_") + name, type, parent, name));
  };
  add("base", "", model::JointType::kFree);
  add("trunk", "base", model::JointType::kRevolute);
  add("left", "trunk", model::JointType::kRevolute);
  add("left_hand", "left", model::JointType::kRevolute);
  add("right", "trunk", model::JointType::kRevolute);
  add("right_hand", "right", model::JointType::kRevolute);
  add("ball", "", model::JointType::kFree);
  return builder.build();
}

TEST(ContactSet, KeepsContactingBodiesAndMeetingsOfPaths) {
  const Model model = make_two_arms();
  ContactSet contacts(model);
  contacts.set(model, points_on({6, 4, 6}));
  EXPECT_EQ(contacts.num_points(), 3);
  EXPECT_EQ(contacts.bodies(), (std::vector<int>{4, 6}));
  EXPECT_EQ(contacts.body_of(), (std::vector<int>{1, 0, 1}));
  EXPECT_EQ(contacts.by_body(), (std::vector<int>{1, 0, 2}));
  EXPECT_EQ(contacts.first_of(), (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(contacts.visited(), (std::vector<int>{1, 2, 3, 4, 5, 6}));
  // the trunk, where the arms meet, and the hands
  ASSERT_EQ(contacts.nodes().size(), 3u);
  EXPECT_EQ(contacts.nodes()[0].body, 2);
  EXPECT_EQ(contacts.nodes()[0].contact, -1);
  EXPECT_EQ(contacts.nodes()[0].parent, -1);
  EXPECT_EQ(contacts.nodes()[1].body, 4);
  EXPECT_EQ(contacts.nodes()[1].contact, 0);
  EXPECT_EQ(contacts.nodes()[1].parent, 0);
  EXPECT_EQ(contacts.nodes()[2].body, 6);
  EXPECT_EQ(contacts.nodes()[2].parent, 0);
  EXPECT_EQ(contacts.node_of(), (std::vector<int>{1, 2}));
}

TEST(ContactSet, VisitsOnlyBranchesWithContacts) {
  const Model model = make_two_arms();
  ContactSet contacts(model);
  contacts.set(model, points_on({4}));
  EXPECT_EQ(contacts.visited(), (std::vector<int>{1, 2, 3, 4}));
  ASSERT_EQ(contacts.nodes().size(), 1u);
  EXPECT_EQ(contacts.nodes()[0].body, 4);
  contacts.set(model, points_on({7, 5}));
  EXPECT_EQ(contacts.visited(), (std::vector<int>{1, 2, 5, 7}));
  ASSERT_EQ(contacts.nodes().size(), 2u);
  EXPECT_EQ(contacts.nodes()[0].first, 0);
  EXPECT_EQ(contacts.nodes()[1].first, 1);  // a tree of its own
}

TEST(ContactSet, IsEmptyWithoutPoints) {
  const Model model = make_two_arms();
  ContactSet contacts(model);
  contacts.set(model, points_on({4, 6, 7}));
  contacts.set(model, {});
  EXPECT_EQ(contacts.num_points(), 0);
  EXPECT_EQ(contacts.num_bodies(), 0);
  EXPECT_TRUE(contacts.visited().empty() && contacts.nodes().empty());
}

// The coordinates from a node up to the node above it; a floating base is left out, since it is
// inverted as a block.
void expect_path(const Model& model, const ContactSet& contacts, const ContactSet::Node& node,
                 int above) {
  const int root = model.tree_root[model.tree[node.body]];
  const bool floating = model.joint_type[root] == model::JointType::kFree;
  const int top = above != 0 ? above : floating ? root : 0;
  EXPECT_EQ(node.top, top);
  std::vector<int> expected;
  for (int body = node.body; body != top; body = model.parent[body])
    for (int k = model.joint_nv(body) - 1; k >= 0; --k) expected.push_back(model.v_start[body] + k);
  const auto begin = contacts.path().begin();
  EXPECT_EQ(std::vector<int>(begin + node.path_begin, begin + node.path_end), expected);
  int below = 0;
  for (const ContactSet::Node& other : contacts.nodes())
    for (int n = other.parent; n >= 0; n = contacts.nodes()[n].parent)
      below += contacts.nodes()[n].body == node.body;
  EXPECT_EQ(node.below, below);
}

// What must hold for any set on any forest, and after any other set.
TEST(ContactSet, KeepsItsInvariantsOnRandomForests) {
  for (int seed = 0; seed < test::kNumForests; ++seed) {
    SCOPED_TRACE(seed);
    const Model model = test::make_forest(seed);
    kernel::Random random(3800 + seed);
    ContactSet contacts(model);
    for (int count : {4, 1, 0, 9, 3}) {
      const Points points = test::make_contacts(random, model, count);
      contacts.set(model, points);
      std::set<int> touched, visited;
      for (const ContactPoint& point : points) {
        touched.insert(point.body);
        for (int b = point.body; b != 0; b = model.parent[b]) visited.insert(b);
      }
      ASSERT_EQ(contacts.bodies(), std::vector<int>(touched.begin(), touched.end()));
      ASSERT_EQ(contacts.visited(), std::vector<int>(visited.begin(), visited.end()));
      for (int p = 0; p < count; ++p)
        ASSERT_EQ(contacts.bodies()[contacts.body_of()[p]], points[p].body);
      std::vector<int> all = contacts.by_body();
      for (int b = 0; b < contacts.num_bodies(); ++b)
        for (int k = contacts.first_of()[b]; k < contacts.first_of()[b + 1]; ++k)
          ASSERT_EQ(contacts.body_of()[all[k]], b);
      std::sort(all.begin(), all.end());
      for (int p = 0; p < count; ++p) ASSERT_EQ(all[p], p);

      // nodes: touched, or with two touched branches below; parents are the nearest ones above
      std::set<int> expected = touched;
      for (int b : visited) {
        int branches = 0;
        for (int child : visited) branches += model.parent[child] == b;
        if (branches > 1) expected.insert(b);
      }
      const auto& nodes = contacts.nodes();
      ASSERT_EQ(nodes.size(), expected.size());
      auto it = expected.begin();
      for (std::size_t n = 0; n < nodes.size(); ++n, ++it) {
        ASSERT_EQ(nodes[n].body, *it);
        ASSERT_EQ(nodes[n].contact >= 0, touched.count(*it) == 1);
        int above = model.parent[*it];
        while (above != 0 && !expected.count(above)) above = model.parent[above];
        ASSERT_EQ(nodes[n].parent < 0 ? 0 : nodes[nodes[n].parent].body, above);
        ASSERT_EQ(model.tree[nodes[nodes[n].first].body], model.tree[*it]);
        ASSERT_TRUE(nodes[n].first == 0 ||
                    model.tree[nodes[nodes[n].first - 1].body] != model.tree[*it]);
        expect_path(model, contacts, nodes[n], above);
      }
      for (int b = 0; b < contacts.num_bodies(); ++b) {
        ASSERT_EQ(nodes[contacts.node_of()[b]].body, contacts.bodies()[b]);
        ASSERT_EQ(nodes[contacts.node_of()[b]].contact, b);
      }
    }
  }
}

TEST(ContactSetDeathTest, RefusesPointsOnTheWorldAndOnNoBody) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Model model = make_two_arms();
  ContactSet contacts(model);
  EXPECT_DEATH(contacts.set(model, points_on({0})), "demand failed");
  EXPECT_DEATH(contacts.set(model, points_on({8})), "demand failed");
  EXPECT_DEATH(contacts.set(model, points_on({-1})), "demand failed");
}

}  // namespace
}  // namespace stance::dynamics
