// Every pair of kinds, sizes from a tenth of a millimetre to a hundred metres, poses from
// concentric to apart: numbers stay numbers, and the same input gives the same bits.

#include <cstring>
#include <set>

#include <gtest/gtest.h>

#include "collision/scene.h"

namespace stance::collision {
namespace {

using test::Random;

Shape make_shape(ShapeKind kind, double size, Random& random, CollisionBuilder& builder) {
  const auto length = [&] { return size * std::pow(10.0, random.uniform(-1.5, 0.0)); };
  switch (kind) {
    case ShapeKind::kSphere: return make_sphere(length());
    case ShapeKind::kCapsule: return make_capsule(length(), random.integer(4) ? length() : 0.0);
    case ShapeKind::kCylinder: return make_cylinder(length(), length());
    case ShapeKind::kBox: return make_box(Vec3d(length(), length(), length()));
    case ShapeKind::kHull: {
      std::vector<Vec3d> points;
      for (int k = 0; k < 5 + random.integer(30); ++k)
        points.push_back(size * test::random_direction(random));
      return builder.make_hull(points, "hull");
    }
    case ShapeKind::kPlane: return make_plane();
    case ShapeKind::kMesh: {
      // a bumpy floor and a few stray triangles, some of them flipped
      std::vector<Vec3d> vertices;
      std::vector<Triangle> triangles;
      for (int k = 0; k < 40; ++k) vertices.push_back(test::random_vector(random, size));
      for (int k = 0; k < 30; ++k)
        triangles.push_back({random.integer(40), random.integer(40), random.integer(40)});
      triangles.push_back({0, 1, 2});
      return builder.make_mesh(vertices, triangles, "soup");
    }
    case ShapeKind::kHeightField: {
      HeightFieldSpec spec{5, 4, 0.5 * size, 0.5 * size, {}};
      for (int k = 0; k < 20; ++k) spec.heights.push_back(random.uniform(-0.3, 0.3) * size);
      return builder.make_height_field(spec, "field");
    }
  }
  return {};
}

bool is_ground(ShapeKind kind) { return kind >= ShapeKind::kPlane; }

TEST(EveryPair, AThousandRandomOnesEachGiveFiniteUnitSaneContacts) {
  Random random(51);
  for (int ka = 0; ka < kShapeKinds; ++ka)
    for (int kb = 0; kb < kShapeKinds; ++kb) {
      const ShapeKind kind_a = ShapeKind(ka), kind_b = ShapeKind(kb);
      if (is_ground(kind_a) && is_ground(kind_b)) continue;
      for (int shape = 0; shape < 20; ++shape) {
        const double size_a = std::pow(10.0, random.uniform(-4, 2));
        const double size_b = size_a * std::pow(10.0, random.uniform(-1, 1));
        CollisionBuilder builder;
        const Shape a = make_shape(kind_a, size_a, random, builder);
        const Shape b = make_shape(kind_b, size_b, random, builder);
        builder.add({.shape = a, .body = is_ground(kind_a) ? 0 : 1});
        builder.add({.shape = b, .body = is_ground(kind_b) ? 0 : 2});
        const CollisionModel model = builder.build();
        CollisionScratch scratch(model), fresh(model);
        ContactBuffer contacts(2000), again(2000);
        std::vector<Mat3d> R(3, Mat3d::identity());
        std::vector<Vec3d> p(3);
        for (int trial = 0; trial < 50; ++trial) {
          // anywhere, axes aligned, concentric
          const double spread = trial % 5 == 4 ? 0.0 : (size_a + size_b) * 0.7;
          for (int k = 1; k < 3; ++k) {
            p[k] = test::random_vector(random, 1.0);
            p[k] = spread * p[k];
            if (trial % 3 == 0)
              R[k] = Mat3d::identity();
            else if (trial % 3 == 1)
              R[k] = test::rotation(Vec3d(0, 0, 1), 0.5 * M_PI * random.integer(4));
            else
              R[k] = test::random_rotation(random);
          }
          const double margin = 0.01 * size_a;
          find_contacts(model, R, p, margin, scratch, contacts);
          ASSERT_EQ(contacts.dropped(), 0);
          std::set<std::uint64_t> ids;
          for (const ContactPoint& c : contacts.points()) {
            const auto where = [&] {
              return testing::Message()
                     << ka << " " << kb << " shape " << shape << " trial " << trial;
            };
            ASSERT_TRUE(std::isfinite(c.gap)) << where();
            ASSERT_NEAR(norm(c.n_W), 1.0, 1e-9) << where();
            ASSERT_TRUE(std::isfinite(norm(c.p_W))) << where();
            ASSERT_LT(c.gap, margin) << where();
            ASSERT_GT(c.gap, -8.0 * (size_a + size_b)) << where();
            ASSERT_TRUE(ids.insert(c.id).second) << where() << " twice " << std::hex << c.id;
          }

          // the same bits from a scratch without a past
          find_contacts(model, R, p, margin, trial % 7 == 0 ? fresh : scratch, again);
          ASSERT_EQ(contacts.size(), again.size());
          for (int k = 0; k < contacts.size(); ++k) {
            EXPECT_EQ(contacts[k].id, again[k].id);
            EXPECT_EQ(std::memcmp(&contacts[k].p_W, &again[k].p_W, sizeof(Vec3d)), 0);
            EXPECT_EQ(std::memcmp(&contacts[k].n_W, &again[k].n_W, sizeof(Vec3d)), 0);
            EXPECT_EQ(contacts[k].gap, again[k].gap);
          }
        }
      }
    }
}

// A pile of everything: the past of the scratch leaves no trace.
TEST(EveryPair, ContactsDoNotDependOnThePast) {
  Random random(52);
  CollisionBuilder builder;
  builder.add({.shape = make_plane(), .body = 0});
  std::vector<Mat3d> R{Mat3d::identity()};
  std::vector<Vec3d> p{Vec3d()};
  for (int k = 0; k < 200; ++k) {
    builder.add({.shape = make_shape(ShapeKind(k % 5), 0.3, random, builder), .body = k + 1});
    R.push_back(Mat3d::identity());
    p.emplace_back();
  }
  const CollisionModel model = builder.build();
  CollisionScratch used(model);
  ContactBuffer one(20000), two(20000);
  for (int step = 0; step < 20; ++step) {
    for (int k = 1; k <= 200; ++k) {
      R[k] = test::random_rotation(random);
      p[k] = test::random_vector(random, 1.5);
    }
    CollisionScratch fresh(model);
    find_contacts(model, R, p, 0.01, used, one);
    find_contacts(model, R, p, 0.01, fresh, two);
    ASSERT_EQ(one.size(), two.size());
    ASSERT_GT(one.size(), 100);
    for (int k = 0; k < one.size(); ++k) {
      ASSERT_EQ(one[k].id, two[k].id);
      ASSERT_EQ(one[k].gap, two[k].gap);
    }
    for (int k = 1; k < one.size(); ++k)
      ASSERT_LE(std::pair(one[k - 1].geometry_a, one[k - 1].geometry_b),
                std::pair(one[k].geometry_a, one[k].geometry_b));
  }
}

}  // namespace
}  // namespace stance::collision
