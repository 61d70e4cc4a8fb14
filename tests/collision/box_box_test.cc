// Boxes on boxes: what a stack needs.

#include <set>

#include <gtest/gtest.h>

#include "collision/scene.h"

namespace stance::collision {
namespace {

using test::PairScene;
using test::Random;

std::set<std::uint64_t> ids_of(const ContactBuffer& contacts) {
  std::set<std::uint64_t> out;
  for (const ContactPoint& c : contacts.points()) out.insert(c.id);
  return out;
}

TEST(BoxBox, SmallOnLargeRestsOnTheFourCornersOfTheSmall) {
  PairScene scene(make_box(Vec3d(0.1, 0.1, 0.1)), make_box(Vec3d(1, 1, 0.5)));
  for (double gap : {-1e-3, -1e-6, 0.0, 1e-6, 5e-4}) {
    scene.p[1] = Vec3d(0.3, 0.2, 0.6 + gap);
    ASSERT_EQ(scene.find(1e-3).size(), 4) << gap;
    EXPECT_EQ(ids_of(scene.contacts).size(), 4u);
    for (const ContactPoint& c : scene.contacts.points()) {
      EXPECT_NEAR(c.gap, gap, 1e-14);
      EXPECT_NEAR(norm(c.n_W - Vec3d(0, 0, 1)), 0.0, 1e-15);
      EXPECT_NEAR(c.p_W[2], 0.5 + 0.5 * gap, 1e-14);
      EXPECT_NEAR(std::abs(c.p_W[0] - 0.3), 0.1, 1e-14);
      EXPECT_NEAR(std::abs(c.p_W[1] - 0.2), 0.1, 1e-14);
    }
  }
}

TEST(BoxBox, EqualBoxesExactlyAlignedRestOnFourCorners) {
  PairScene scene(make_box(Vec3d(0.5, 0.5, 0.5)), make_box(Vec3d(0.5, 0.5, 0.5)));
  scene.p[1] = Vec3d(0, 0, 1.0 - 1e-5);
  ASSERT_EQ(scene.find(1e-3).size(), 4);
  for (const ContactPoint& c : scene.contacts.points()) EXPECT_NEAR(c.gap, -1e-5, 1e-14);
}

// The jitter of a solver: micro-tilts and slips, where face, edge and opposite face axes tie.
TEST(BoxBox, NamesPointsAndNormalStayUnderJitter) {
  for (const Vec3d& half : {Vec3d(0.5, 0.5, 0.5), Vec3d(0.3, 0.4, 0.2)}) {
    PairScene scene(make_box(half), make_box(Vec3d(0.5, 0.5, 0.5)));
    Random random(6);
    std::set<std::uint64_t> first;
    for (int step = 0; step < 1000; ++step) {
      scene.R[1] = test::rotation(test::random_direction(random), 1e-6);
      scene.R[2] = test::rotation(test::random_direction(random), 1e-6);
      scene.p[1] = Vec3d(0, 0, 0.5 + half[2]) + test::random_vector(random, 2e-6);
      scene.find(1e-3);
      if (step == 0) first = ids_of(scene.contacts);
      ASSERT_EQ(scene.contacts.size(), 4);
      EXPECT_EQ(ids_of(scene.contacts), first);
      for (const ContactPoint& c : scene.contacts.points()) {
        EXPECT_NEAR(c.gap, 0.0, 1e-5);
        EXPECT_NEAR(norm(c.n_W - Vec3d(0, 0, 1)), 0.0, 3e-6);
      }
    }
  }
}

TEST(BoxBox, TurnedByFortyFiveDegreesTheyMeetInAnOctagon) {
  PairScene scene(make_box(Vec3d(0.5, 0.5, 0.5)), make_box(Vec3d(0.5, 0.5, 0.5)));
  scene.R[1] = test::rotation(Vec3d(0, 0, 1), M_PI / 4);
  scene.p[1] = Vec3d(0, 0, 0.9999);
  ASSERT_EQ(scene.find(1e-3).size(), 8);
  EXPECT_EQ(ids_of(scene.contacts).size(), 8u);
  for (const ContactPoint& c : scene.contacts.points()) {
    const double far = std::max(std::abs(c.p_W[0]), std::abs(c.p_W[1]));
    EXPECT_NEAR(far, 0.5, 1e-12);
    EXPECT_NEAR(std::abs(c.p_W[0]) + std::abs(c.p_W[1]), std::sqrt(0.5), 1e-12);
    EXPECT_NEAR(c.gap, -1e-4, 1e-14);
  }
}

TEST(BoxBox, OverhangGivesTheSharedRectangle) {
  PairScene scene(make_box(Vec3d(0.5, 0.5, 0.1)), make_box(Vec3d(0.5, 0.5, 0.1)));
  scene.p[1] = Vec3d(0.7, 0.1, 0.2);
  ASSERT_EQ(scene.find(1e-3).size(), 4);
  double low_x = 9, high_x = -9, low_y = 9, high_y = -9;
  for (const ContactPoint& c : scene.contacts.points()) {
    low_x = std::min(low_x, c.p_W[0]), high_x = std::max(high_x, c.p_W[0]);
    low_y = std::min(low_y, c.p_W[1]), high_y = std::max(high_y, c.p_W[1]);
  }
  EXPECT_NEAR(low_x, 0.2, 1e-14);
  EXPECT_NEAR(high_x, 0.5, 1e-14);
  EXPECT_NEAR(low_y, -0.4, 1e-14);
  EXPECT_NEAR(high_y, 0.5, 1e-14);
}

// Crossed edges, 1 mm apart: one point with the product of the edges as normal.
TEST(BoxBox, CrossedEdgesMeetInOnePoint) {
  const double r = std::sqrt(0.5);
  PairScene scene(make_box(Vec3d(0.5, 0.5, 0.5)), make_box(Vec3d(0.5, 0.5, 0.5)));
  scene.R[1] = test::rotation(Vec3d(1, 0, 0), M_PI / 4);
  scene.R[2] = test::rotation(Vec3d(0, 1, 0), M_PI / 4);
  for (double gap : {-1e-3, 1e-3}) {
    scene.p[1] = Vec3d(0.1, 0.2, 2 * r + gap);
    ASSERT_EQ(scene.find(2e-3).size(), 1);
    const ContactPoint& c = scene.contacts[0];
    EXPECT_NEAR(c.gap, gap, 1e-14);
    EXPECT_NEAR(norm(c.n_W - Vec3d(0, 0, 1)), 0.0, 1e-14);
    EXPECT_NEAR(norm(c.p_W - Vec3d(0, 0.2, r + 0.5 * gap)), 0.0, 1e-14);
  }
}

// Corner to corner and edge along edge, apart: normals no face and no product of edges has.
TEST(BoxBox, CornersAndEdgesApartHaveTheirOwnNormals) {
  PairScene scene(make_box(Vec3d(0.5, 0.5, 0.5)), make_box(Vec3d(0.5, 0.5, 0.5)));
  scene.p[1] = Vec3d(1.001, 1.002, 1.002);
  ASSERT_EQ(scene.find(1e-2).size(), 1);
  EXPECT_NEAR(scene.contacts[0].gap, 0.003, 1e-14);
  EXPECT_NEAR(norm(scene.contacts[0].n_W - (1.0 / 3.0) * Vec3d(1, 2, 2)), 0.0, 1e-12);

  scene.p[1] = Vec3d(1.003, 0.2, 1.004);
  ASSERT_EQ(scene.find(1e-2).size(), 2);  // both ends of the shared part
  for (const ContactPoint& c : scene.contacts.points()) {
    EXPECT_NEAR(c.gap, 0.005, 1e-14);
    EXPECT_NEAR(norm(c.n_W - Vec3d(0.6, 0, 0.8)), 0.0, 1e-12);
  }
  EXPECT_NEAR(std::abs(scene.contacts[0].p_W[1] - scene.contacts[1].p_W[1]), 0.8, 1e-12);
}

}  // namespace
}  // namespace stance::collision
