// Hulls: built from clouds, compared with boxes.

#include <algorithm>

#include <gtest/gtest.h>

#include "stance/kernel/error.h"

#include "collision/scene.h"

namespace stance::collision {
namespace {

using test::PairScene;
using test::Random;

std::vector<Vec3d> corners(const Vec3d& half) { return make_box_polyhedron(half).vertices(); }

// Corners, middles of edges and faces, points inside: what a CAD mesh of a box holds.
std::vector<Vec3d> dense_box(const Vec3d& half) {
  std::vector<Vec3d> out;
  for (int x = -2; x <= 2; ++x)
    for (int y = -2; y <= 2; ++y)
      for (int z = -2; z <= 2; ++z)
        out.emplace_back(0.5 * x * half[0], 0.5 * y * half[1], 0.5 * z * half[2]);
  return out;
}

TEST(Hull, ABoxOfAnyMeshHasEightVerticesSixFacesTwelveEdges) {
  for (const auto& points : {corners(Vec3d(0.1, 0.2, 0.3)), dense_box(Vec3d(0.1, 0.2, 0.3))}) {
    const Polyhedron hull = make_hull_polyhedron(points, "box");
    EXPECT_EQ(hull.vertices().size(), 8u);
    EXPECT_EQ(hull.faces().size(), 6u);
    EXPECT_EQ(hull.edges().size(), 12u);
  }
}

TEST(Hull, SinglePrecisionMeshesOfABoxToo) {
  Random random(21);
  const Mat3d R = test::random_rotation(random);
  std::vector<Vec3d> points;
  for (const Vec3d& p : dense_box(Vec3d(0.1, 0.2, 0.3))) {
    const Vec3d q = R * p;
    points.emplace_back(float(q[0]), float(q[1]), float(q[2]));
  }
  const Polyhedron hull = make_hull_polyhedron(points, "box");
  EXPECT_EQ(hull.faces().size(), 6u);
  EXPECT_EQ(hull.vertices().size(), 8u);
}

TEST(Hull, HoldsEveryPointOfItsCloudAndEulersFormula) {
  Random random(22);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<Vec3d> points;
    for (int k = 0; k < 5 + trial * 4; ++k) points.push_back(test::random_vector(random, 1.0));
    const Polyhedron hull = make_hull_polyhedron(points, "cloud");
    for (const PolyhedronFace& f : hull.faces())
      for (const Vec3d& p : points) EXPECT_LT(dot(f.n, p), f.offset + 2e-6);
    EXPECT_EQ(hull.vertices().size() + hull.faces().size(), hull.edges().size() + 2);
  }
}

TEST(Hull, CloudsWithoutVolumeAreRefusedByName) {
  const double nan = std::nan("");
  const std::vector<std::vector<Vec3d>> clouds = {
      {},
      {Vec3d(1, 2, 3)},
      std::vector<Vec3d>(10, Vec3d(1, 2, 3)),
      {Vec3d(0, 0, 0), Vec3d(1, 1, 1), Vec3d(2, 2, 2), Vec3d(3, 3, 3), Vec3d(4, 4, 4)},
      {Vec3d(0, 0, 0), Vec3d(1, 0, 0), Vec3d(0, 1, 0), Vec3d(1, 1, 0), Vec3d(0.3, 0.4, 0)},
      {Vec3d(0, 0, 0), Vec3d(1, 0, 0), Vec3d(0, 1, 0), Vec3d(0, 0, nan), Vec3d(0, 0, 1)}};
  for (const auto& cloud : clouds) {
    CollisionBuilder builder;
    try {
      builder.make_hull(cloud, "heel");
      ADD_FAILURE() << cloud.size();
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("heel"), std::string::npos);
    }
  }
}

// Points sorted by place, for comparison of manifolds that number their features differently.
std::vector<ContactPoint> sorted(const ContactBuffer& contacts) {
  std::vector<ContactPoint> out(contacts.points().begin(), contacts.points().end());
  std::sort(out.begin(), out.end(), [](const ContactPoint& a, const ContactPoint& b) {
    for (int k = 0; k < 3; ++k)
      if (std::abs(a.p_W[k] - b.p_W[k]) > 1e-9) return a.p_W[k] < b.p_W[k];
    return false;
  });
  return out;
}

void expect_same(const ContactBuffer& a, const ContactBuffer& b) {
  ASSERT_EQ(a.size(), b.size());
  const std::vector<ContactPoint> one = sorted(a), two = sorted(b);
  for (std::size_t k = 0; k < one.size(); ++k) {
    EXPECT_NEAR(norm(one[k].p_W - two[k].p_W), 0.0, 1e-10);
    EXPECT_NEAR(norm(one[k].n_W - two[k].n_W), 0.0, 1e-10);
    EXPECT_NEAR(one[k].gap, two[k].gap, 1e-12);
  }
}

TEST(Hull, OfABoxsCornersGivesTheBoxsContacts) {
  Random random(23);
  const Vec3d half(0.2, 0.3, 0.4);
  const Shape others[] = {make_plane(), make_sphere(0.3), make_capsule(0.1, 0.3),
                          make_box(Vec3d(0.3, 0.3, 0.2))};
  int met = 0;
  for (const Shape& other : others)
    for (int trial = 0; trial < 100; ++trial) {
      CollisionBuilder builder;
      const Shape hull = builder.make_hull(corners(half), "box");
      PairScene box_scene(make_box(half), other), hull_scene(hull, other, builder);
      for (int k = 1; k < 3; ++k) {
        box_scene.R[k] = hull_scene.R[k] = test::random_rotation(random);
        box_scene.p[k] = hull_scene.p[k] = test::random_vector(random, 0.5);
      }
      // a margin that leaves a plane no more than a face's corners
      const double margin =
          other.kind == ShapeKind::kPlane ? box_scene.deepest(9).gap + 1e-3 : 0.05;
      expect_same(box_scene.find(margin), hull_scene.find(margin));
      met += box_scene.contacts.size();
    }
  EXPECT_GT(met, 100);
}

// Prisms of many sides on each other: edges in nearly every direction, caps of up to 64 corners.
TEST(Hull, PrismsStandOnEachOther) {
  for (int sides : {3, 5, 16, 64, 200}) {
    std::vector<Vec3d> points;
    for (int k = 0; k < sides; ++k)
      for (double z : {-0.1, 0.1})
        points.emplace_back(0.1 * std::cos(2 * M_PI * k / sides),
                            0.1 * std::sin(2 * M_PI * k / sides), z);
    CollisionBuilder builder;
    const Shape a = builder.make_hull(points, "a"), b = builder.make_hull(points, "b");
    PairScene scene(a, b, builder);
    for (double angle : {0.0, 1e-9, 1e-6, 0.01, 0.5})
      for (double gap : {-1e-3, 0.0, 5e-4}) {
        scene.R[1] = test::rotation(Vec3d(0, 0, 1), angle);
        scene.p[1] = Vec3d(0.02, 0.01, 0.2 + gap);
        ASSERT_GE(scene.find(1e-3).size(), 3) << sides << " " << angle << " " << gap;
        for (const ContactPoint& c : scene.contacts.points()) {
          EXPECT_NEAR(c.gap, gap, 1e-12);
          EXPECT_NEAR(norm(c.n_W - Vec3d(0, 0, 1)), 0.0, 1e-10);
        }
      }
  }
}

// A masonry arch: every voussoir rests on the next with the whole face, names unchanged by jitter.
TEST(Hull, VoussoirsOfAnArchTouchFaceToFace) {
  constexpr int kStones = 27;
  CollisionBuilder builder;
  for (int k = 0; k < kStones; ++k) {
    std::vector<Vec3d> points;
    for (double angle : {k * M_PI / kStones, (k + 1) * M_PI / kStones})
      for (double r : {4.5, 5.0})
        for (double y : {-0.5, 0.5})
          points.emplace_back(r * std::cos(angle), y, r * std::sin(angle));
    builder.add({.shape = builder.make_hull(points, "stone"), .body = k + 1});
  }
  builder.add({.shape = make_plane(), .body = 0});
  const CollisionModel model = builder.build();
  CollisionScratch scratch(model);
  ContactBuffer contacts(1000);
  std::vector<std::uint64_t> names;
  Random random(24);
  for (int step = 0; step < 100; ++step) {
    std::vector<Mat3d> R(kStones + 1, Mat3d::identity());
    std::vector<Vec3d> p(kStones + 1);
    for (int k = 1; k <= kStones; ++k) {
      R[k] = test::rotation(test::random_direction(random), 1e-7);
      p[k] = test::random_vector(random, 1e-6);
    }
    find_contacts(model, R, p, 1e-3, scratch, contacts);
    ASSERT_EQ(contacts.size(), 4 * (kStones - 1) + 8);
    std::vector<std::uint64_t> now;
    for (const ContactPoint& c : contacts.points()) {
      EXPECT_NEAR(c.gap, 0.0, 1e-5);
      now.push_back(c.id);
    }
    std::sort(now.begin(), now.end());
    EXPECT_EQ(std::unique(now.begin(), now.end()), now.end());
    if (step == 0) names = now;
    EXPECT_EQ(now, names);
  }
}

}  // namespace
}  // namespace stance::collision
