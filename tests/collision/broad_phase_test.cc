// The two ways of finding pairs agree with each other and with plain loops; filters.

#include <gtest/gtest.h>

#include "stance/kernel/error.h"

#include "collision/scene.h"

namespace stance::collision {
namespace {

using test::Random;

using Pairs = std::vector<std::pair<int, int>>;

Pairs list(const std::vector<GeometryPair>& pairs) {
  Pairs out;
  for (const GeometryPair& p : pairs) out.emplace_back(p.a, p.b);
  return out;
}

TEST(BroadPhase, SweepAndFullComparisonAgreeWithPlainLoopsWhileBoxesMove) {
  Random random(7);
  for (int count : {1, 2, 7, 8, 9, 31, 64, 65, 128}) {
    BroadPhase sweeping(count), comparing(count);
    PairFilter filter(count);
    for (int k = 0; k < count; ++k) filter.disable(k, k);
    for (int k = 0; k < count / 3; ++k)
      filter.disable(random.integer(count), random.integer(count));
    std::vector<Vec3d> center(count), half(count);
    std::vector<int> boxed;
    const int plane = count / 2;
    for (int k = 0; k < count; ++k) {
      center[k] = test::random_vector(random, 2.0);
      half[k] = Vec3d(random.uniform(0, 0.4), random.uniform(0, 0.4), random.uniform(0, 0.4));
      if (k != plane) boxed.push_back(k);
    }
    const std::vector<BroadPhase::Plane> planes{{plane, Vec3d(0, 0.6, 0.8), -0.5}};
    const double margin = 0.01;
    for (int step = 0; step < 30; ++step) {
      for (int k : boxed) {
        center[k] += test::random_vector(random, step == 15 ? 3.0 : 0.05);
        sweeping.set_box(k, center[k], half[k]);
        comparing.set_box(k, center[k], half[k]);
      }
      // floats widen the boxes by less than this
      Pairs surely, perhaps;
      for (int a = 0; a < count; ++a)
        for (int b = a + 1; b < count; ++b) {
          if (!filter.allows(a, b)) continue;
          double distance = -1e300;
          if (a == plane || b == plane) {
            const int k = a == plane ? b : a;
            const Vec3d n = planes[0].n;
            distance = dot(n, center[k]) - dot(n, half[k]) - planes[0].offset;
          } else {
            for (int d = 0; d < 3; ++d)
              distance = std::max(distance,
                                  std::abs(center[a][d] - center[b][d]) - half[a][d] - half[b][d]);
          }
          if (distance < margin) surely.emplace_back(a, b);
          if (distance < margin + 1e-5) perhaps.emplace_back(a, b);
        }
      sweeping.sweep(filter, planes, boxed, margin);
      comparing.compare_all(filter, planes, boxed, margin);
      EXPECT_EQ(list(sweeping.pairs()), list(comparing.pairs()));
      const Pairs found = list(sweeping.pairs());
      EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
      EXPECT_TRUE(std::includes(found.begin(), found.end(), surely.begin(), surely.end()));
      EXPECT_TRUE(std::includes(perhaps.begin(), perhaps.end(), found.begin(), found.end()));
    }
  }
}

// A displacement without bounds once made boxes without end, and those overlapped even what fills
// up the last register of eight: a pair with a geometry that does not exist.
TEST(BroadPhase, BoxesWithoutEndMeetOnlyWhatThereIs) {
  const double endless = std::numeric_limits<double>::infinity();
  for (const double size : {1e30, endless})
    for (int count : {1, 2, 7, 9, 63, 65, 127}) {
      BroadPhase sweeping(count), comparing(count);
      PairFilter filter(count);
      for (int k = 0; k < count; ++k) filter.disable(k, k);
      // the last one is never set
      std::vector<int> boxed;
      for (int k = 0; k + 1 < count; ++k) {
        const double half = k % 3 == 0 ? size : 0.1;
        for (BroadPhase* broad : {&sweeping, &comparing})
          broad->set_box(k, Vec3d(k, 0, 0), Vec3d(half, half, half));
        boxed.push_back(k);
      }
      sweeping.sweep(filter, {}, boxed, 0.01);
      comparing.compare_all(filter, {}, boxed, 0.01);
      Pairs expected;
      for (int a = 0; a + 1 < count; ++a)
        for (int b = a + 1; b + 1 < count; ++b)
          if (a % 3 == 0 || b % 3 == 0) expected.emplace_back(a, b);
      EXPECT_EQ(list(sweeping.pairs()), expected) << count;
      EXPECT_EQ(list(comparing.pairs()), expected) << count;
    }
}

// A chain of spheres that all overlap their neighbours.
CollisionBuilder make_chain(int count) {
  CollisionBuilder builder;
  for (int k = 0; k < count; ++k) builder.add({.shape = make_sphere(0.6), .body = k});
  return builder;
}

struct Poses {
  explicit Poses(int count) : R(count, Mat3d::identity()), p(count) {
    for (int k = 0; k < count; ++k) p[k] = Vec3d(k, 0, 0);
  }
  std::vector<Mat3d> R;
  std::vector<Vec3d> p;
};

Pairs meeting_bodies(const CollisionModel& model, const Poses& poses) {
  CollisionScratch scratch(model);
  ContactBuffer contacts(100);
  find_contacts(model, poses.R, poses.p, 0.0, scratch, contacts);
  Pairs out;
  for (const ContactPoint& c : contacts.points()) out.emplace_back(c.body_a, c.body_b);
  return out;
}

TEST(Filter, ParentsAndChildrenDoNotMeetButBasesMeetTheWorld) {
  const Poses poses(5);
  CollisionBuilder builder = make_chain(5);
  EXPECT_EQ(meeting_bodies(builder.build(), poses), (Pairs{{0, 1}, {1, 2}, {2, 3}, {3, 4}}));
  const int parent[] = {-1, 0, 1, 2, 0};
  builder.disable_parent_child(parent);
  EXPECT_EQ(meeting_bodies(builder.build(), poses), (Pairs{{0, 1}, {3, 4}}));
}

TEST(Filter, ListedPairsTouchingPairsAndGroupsDoNotMeet) {
  const Poses poses(5);
  CollisionBuilder builder = make_chain(5);
  builder.disable_bodies(3, 2);
  builder.disable_geometries(4, 3);
  EXPECT_EQ(meeting_bodies(builder.build(), poses), (Pairs{{0, 1}, {1, 2}}));

  // moving bodies that touch at rest never do again; the world stays
  const std::vector<int> family(5, 0);
  const CollisionModel quiet = disable_touching(builder.build(), poses.R, poses.p, 1e-3, family);
  EXPECT_EQ(meeting_bodies(quiet, poses), (Pairs{{0, 1}}));
  // unless they are of two families, or of none
  const std::vector<int> families = {-1, 0, 1, -1, -1};
  EXPECT_EQ(
      meeting_bodies(disable_touching(builder.build(), poses.R, poses.p, 1e-3, families), poses),
      (Pairs{{0, 1}, {1, 2}}));

  CollisionBuilder groups;
  groups.add({.shape = make_sphere(0.6), .body = 1, .group = 1, .mask = 2});
  groups.add({.shape = make_sphere(0.6), .body = 2, .group = 1, .mask = 3});
  groups.add({.shape = make_sphere(0.6), .body = 3, .group = 2, .mask = 1});
  Poses near(4);
  near.p[3] = Vec3d(1.5, 0.3, 0);
  EXPECT_EQ(meeting_bodies(groups.build(), near), (Pairs{{1, 3}, {2, 3}}));
}

TEST(Filter, GeometriesOfOneBodyNeverMeet) {
  CollisionBuilder builder;
  builder.add({.shape = make_sphere(1), .body = 1});
  builder.add({.shape = make_sphere(1), .body = 1});
  EXPECT_TRUE(meeting_bodies(builder.build(), Poses(2)).empty());
}

TEST(Builder, RefusesWhatIsNoShapeAndNamesIt) {
  const auto message = [](Geometry g) {
    g.name = "toe";
    CollisionBuilder builder;
    try {
      builder.add(g);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const double nan = std::nan("");
  for (const Shape& shape :
       {make_sphere(0.0), make_sphere(-1.0), make_sphere(nan), make_capsule(0.0, 1.0),
        make_capsule(1.0, -1.0), make_cylinder(1.0, 0.0), make_cylinder(0.0, 1.0),
        make_box(Vec3d(1, 0, 1)), make_box(Vec3d(1, 1, nan)), Shape{.kind = ShapeKind::kHull}})
    EXPECT_NE(message({.shape = shape}).find("toe"), std::string::npos);
  EXPECT_NE(message({.shape = make_sphere(1), .body = -1}).find("toe"), std::string::npos);
  Geometry sheared{.shape = make_sphere(1)};
  sheared.R_BG.c[0] = Vec3d(1, 0.1, 0);
  EXPECT_NE(message(sheared).find("rotation"), std::string::npos);
  EXPECT_EQ(message({.shape = make_capsule(1.0, 0.0)}), "");
}

// Gaps that two bodies could close, and no others, whatever third ones do; by both ways of the
// broad phase, spheres in a line 0.1 m apart.
TEST(Reach, OfTwoBodiesAddsUpAndIsNobodyElses) {
  for (const int count : {4, BroadPhase::kCompareAll + 20}) {
    CollisionBuilder builder;
    for (int k = 0; k < count; ++k) builder.add({.shape = make_sphere(0.45), .body = k + 1});
    const CollisionModel model = builder.build();
    const Poses poses(count + 1);
    CollisionScratch scratch(model);
    ContactBuffer contacts(100);
    const auto find = [&](double shift, double turn) {
      std::vector<Reach> reach(count + 1);
      reach[2] = {shift, turn}, reach[3].shift = 0.05;
      find_contacts(model, poses.R, poses.p, reach, 0.01, scratch, contacts);
      Pairs out;
      for (const ContactPoint& c : contacts.points()) out.emplace_back(c.body_a, c.body_b);
      return out;
    };
    EXPECT_EQ(find(0.03, 0.0), Pairs{});
    EXPECT_EQ(find(0.05, 0.0), (Pairs{{2, 3}}));
    EXPECT_EQ(find(0.0, 0.05 / 0.45), (Pairs{{2, 3}}));
    EXPECT_EQ(find(0.1, 0.0), (Pairs{{1, 2}, {2, 3}}));
  }
}

// A plane on a body that turns sweeps over what is far away.
TEST(Reach, OfAPlaneThatTurnsGrowsWithTheDistance) {
  CollisionBuilder builder;
  builder.add({.shape = make_plane(), .body = 1});
  builder.add({.shape = make_sphere(0.5), .body = 2});
  const CollisionModel model = builder.build();
  CollisionScratch scratch(model);
  ContactBuffer contacts(100);
  const std::vector<Mat3d> R(3, Mat3d::identity());
  const std::vector<Vec3d> p = {Vec3d(), Vec3d(), Vec3d(10, 0, 0.6)};
  const auto count = [&](double turn) {
    const std::vector<Reach> reach = {{}, {0.0, turn}, {}};
    find_contacts(model, R, p, reach, 0.0, scratch, contacts);
    return contacts.size();
  };
  EXPECT_EQ(count(0.009), 0);
  EXPECT_EQ(count(0.011), 1);
}

TEST(ContactBuffer, CountsContactsThatWereDropped) {
  const CollisionModel model = make_chain(5).build();
  CollisionScratch scratch(model);
  const Poses poses(5);
  ContactBuffer small(2), large(100);
  find_contacts(model, poses.R, poses.p, 0.0, scratch, small);
  EXPECT_EQ(small.dropped(), 2);
  EXPECT_EQ(small.size(), 2);
  find_contacts(model, poses.R, poses.p, 0.0, scratch, large);
  EXPECT_EQ(large.size(), 4);
  EXPECT_EQ(large.dropped(), 0);
}

}  // namespace
}  // namespace stance::collision
