// Rays and nearest points.

#include "stance/collision/queries.h"

#include <gtest/gtest.h>

#include "collision/scene.h"

namespace stance::collision {
namespace {

using test::PairScene;
using test::Random;

CollisionModel make_zoo(std::vector<Mat3d>& R, std::vector<Vec3d>& p) {
  Random random(41);
  CollisionBuilder builder;
  std::vector<Vec3d> cloud;
  for (int k = 0; k < 20; ++k) cloud.push_back(0.4 * test::random_direction(random));
  const Shape shapes[] = {make_sphere(0.3), make_capsule(0.2, 0.3), make_cylinder(0.25, 0.35),
                          make_box(Vec3d(0.3, 0.2, 0.4)), builder.make_hull(cloud, "cloud")};
  R = {Mat3d::identity()}, p = {Vec3d()};
  for (int k = 0; k < 5; ++k) {
    builder.add({.shape = shapes[k], .body = k + 1});
    R.push_back(test::random_rotation(random));
    p.emplace_back(1.5 * k - 3.0, random.uniform(-0.5, 0.5), 1.0);
  }
  builder.add({.shape = make_plane(), .body = 0});
  HeightFieldSpec field{9, 9, 0.5, 0.5, {}};
  for (int k = 0; k < 81; ++k) field.heights.push_back(random.uniform(-0.2, 0.2));
  builder.add(
      {.shape = builder.make_height_field(field, "hills"), .body = 0, .p_BG = Vec3d(0, 5, 1)});
  return builder.build();
}

// A point is in a shape when the shape reaches at least as far in every direction.
bool is_inside(const test::Body& body, const Vec3d& p, double slack) {
  if (body.cylinder) {
    const Vec3d c = p - body.center;
    const double z = dot(c, body.axis);
    return std::abs(z) <= body.half_length + slack &&
           norm(c - z * body.axis) <= body.radius + slack;
  }
  if (!body.normals.empty()) {
    for (const Vec3d& n : body.normals)
      if (dot(n, p) > body.reach(n) + slack) return false;
    return true;
  }
  double best = 1e300;
  const Vec3d a = body.points[0], b = body.points.back(), e = b - a;
  const double t = dot(e, e) > 0.0 ? std::clamp(dot(p - a, e) / dot(e, e), 0.0, 1.0) : 0.0;
  best = norm(p - (a + t * e));
  return best <= body.rounding + slack;
}

// Against marching along the ray: outside before the hit, inside after it.
TEST(Ray, EntersConvexShapesWhereMarchingDoes) {
  std::vector<Mat3d> R;
  std::vector<Vec3d> p;
  const CollisionModel model = make_zoo(R, p);
  CollisionScratch scratch(model);
  update_poses(model, R, p, scratch);
  Random random(42);
  int hits[5] = {};
  for (int trial = 0; trial < 2000; ++trial) {
    const Vec3d origin(random.uniform(-4, 4), random.uniform(-3, 3), random.uniform(2, 3));
    const Vec3d target = p[1 + random.integer(5)] + test::random_vector(random, 0.4);
    const Vec3d d = target - origin;
    const RayHit hit = cast_ray(model, scratch, origin, d, 100.0);
    ASSERT_GE(hit.geometry, 0);
    EXPECT_NEAR(norm(hit.n_W), 1.0, 1e-12);
    EXPECT_LE(dot(hit.n_W, d), 1e-9);
    EXPECT_NEAR(norm(hit.p_W - (origin + (hit.distance / norm(d)) * d)), 0.0, 1e-12);
    if (hit.geometry >= 5) continue;
    ++hits[hit.geometry];
    const test::Body body = test::make_body(model, scratch, hit.geometry);
    EXPECT_TRUE(is_inside(body, hit.p_W, 1e-9)) << trial;
    const Vec3d unit = (1.0 / norm(d)) * d;
    for (int other = 0; other < 5; ++other) {
      const test::Body o = test::make_body(model, scratch, other);
      for (int k = 0; k < 20; ++k)
        EXPECT_FALSE(is_inside(o, origin + (hit.distance * k / 20.0 - 1e-9) * unit, -1e-9));
    }
  }
  for (int count : hits) EXPECT_GT(count, 50);
}

TEST(Ray, MissesWhatMarchingMisses) {
  std::vector<Mat3d> R;
  std::vector<Vec3d> p;
  const CollisionModel model = make_zoo(R, p);
  CollisionScratch scratch(model);
  update_poses(model, R, p, scratch);
  Random random(43);
  int misses = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const Vec3d origin(random.uniform(-4, 4), random.uniform(-1, 1), 2.5);
    const Vec3d d(random.uniform(-1, 1), random.uniform(-1, 1), -random.uniform(0.5, 1));
    const RayHit hit = cast_ray(model, scratch, origin, d, 3.0);
    const double length = hit.geometry < 0 ? 3.0 : hit.distance;
    misses += hit.geometry < 0 || hit.geometry >= 5;
    for (int k = 0; k < 5; ++k) {
      const test::Body body = test::make_body(model, scratch, k);
      for (double t = 0.0; t < length - 1e-6; t += 0.02)
        EXPECT_FALSE(is_inside(body, origin + (t / norm(d)) * d, -1e-6)) << trial;
    }
  }
  EXPECT_GT(misses, 100);
}

TEST(Ray, PlaneFieldLimitAndInside) {
  std::vector<Mat3d> R;
  std::vector<Vec3d> p;
  const CollisionModel model = make_zoo(R, p);
  CollisionScratch scratch(model);
  update_poses(model, R, p, scratch);
  const RayHit plane = cast_ray(model, scratch, Vec3d(20, 0, 2), Vec3d(0, 3, -4), 100.0);
  EXPECT_EQ(plane.geometry, 5);
  EXPECT_NEAR(plane.distance, 2.5, 1e-12);
  EXPECT_EQ(cast_ray(model, scratch, Vec3d(20, 0, 2), Vec3d(0, 3, -4), 2.4).geometry, -1);
  EXPECT_EQ(cast_ray(model, scratch, Vec3d(20, 0, 2), Vec3d(0, 0, 1), 100.0).geometry, -1);
  EXPECT_EQ(cast_ray(model, scratch, Vec3d(20, 0, 2), Vec3d(0, 0, 0), 100.0).geometry, -1);
  const RayHit inside = cast_ray(model, scratch, p[4], Vec3d(1, 0, 0), 100.0);
  EXPECT_EQ(inside.geometry, 3);
  EXPECT_EQ(inside.distance, 0.0);

  const HeightField& field = model.shapes->height_fields[0];
  Random random(44);
  for (int trial = 0; trial < 200; ++trial) {
    const double x = random.uniform(-1.9, 1.9), y = random.uniform(-1.9, 1.9);
    const RayHit down = cast_ray(model, scratch, Vec3d(x, y + 5, 4), Vec3d(0, 0, -1), 100.0);
    EXPECT_EQ(down.geometry, 6);
    EXPECT_NEAR(down.distance, 3.0 - field.height(x, y), 1e-12);
    // a slanted ray ends on the surface
    const RayHit slant = cast_ray(model, scratch, Vec3d(x, y + 5, 4), Vec3d(0.2, -0.3, -1), 100.0);
    if (slant.geometry == 6) {
      EXPECT_NEAR(slant.p_W[2] - 1.0, field.height(slant.p_W[0], slant.p_W[1] - 5), 1e-9);
    }
  }
}

TEST(Closest, PointsLieOnBothSurfacesAndSwapWithTheShapes) {
  std::vector<Mat3d> R;
  std::vector<Vec3d> p;
  const CollisionModel model = make_zoo(R, p);
  CollisionScratch scratch(model);
  update_poses(model, R, p, scratch);
  const double inf = std::numeric_limits<double>::infinity();
  for (int a = 0; a < 7; ++a)
    for (int b = 0; b < 7; ++b) {
      if (a == b) continue;
      ClosestPoints there, back;
      const bool found = find_closest(model, scratch, a, b, inf, there);
      ASSERT_EQ(found, a < 5 || b < 5) << a << " " << b;
      if (!found) continue;
      ASSERT_TRUE(find_closest(model, scratch, b, a, inf, back));
      EXPECT_NEAR(there.distance, back.distance, 1e-9) << a << " " << b;
      EXPECT_NEAR(norm(there.p_a_W - back.p_b_W), 0.0, 1e-6) << a << " " << b;
      EXPECT_NEAR(norm(there.p_a_W - there.p_b_W), std::abs(there.distance), 1e-9);
      EXPECT_NEAR(norm(there.p_a_W - (there.p_b_W + there.distance * there.n_W)), 0.0, 1e-9);
      if (a < 5) {
        const test::Body body = test::make_body(model, scratch, a);
        EXPECT_TRUE(is_inside(body, there.p_a_W, 1e-9)) << a << " " << b;
        EXPECT_FALSE(is_inside(body, there.p_a_W - 1e-6 * there.n_W, -1e-7)) << a << " " << b;
      }
      EXPECT_FALSE(find_closest(model, scratch, a, b, there.distance - 1e-6, back));
    }
}

}  // namespace
}  // namespace stance::collision
