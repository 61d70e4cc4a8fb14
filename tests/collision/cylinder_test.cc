// Cylinders against the other convex shapes.

#include <gtest/gtest.h>

#include "collision/scene.h"

namespace stance::collision {
namespace {

using test::PairScene;
using test::Random;

TEST(Cylinder, SphereInClosedForm) {
  Random random(11);
  int outside = 0, inside = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const double r = 0.3, h = 0.4, radius = 0.2;
    PairScene scene(make_sphere(radius), make_cylinder(r, h));
    scene.R[2] = test::random_rotation(random);
    scene.p[2] = test::random_vector(random, 1.0);
    const Vec3d c = test::random_vector(random, 0.6);
    scene.p[1] = scene.R[2] * c + scene.p[2];
    // signed distance to a cylinder (a rectangle turned about its axis)
    const double dr = std::hypot(c[0], c[1]) - r, dz = std::abs(c[2]) - h;
    const double expected =
        std::hypot(std::max(dr, 0.0), std::max(dz, 0.0)) + std::min(std::max(dr, dz), 0.0) - radius;
    const ContactPoint contact = scene.deepest(10.0);
    EXPECT_NEAR(contact.gap, expected, 1e-12);
    EXPECT_NEAR(norm(contact.n_W), 1.0, 1e-14);
    (expected < -radius ? inside : outside) += 1;
  }
  EXPECT_GT(outside, 100);
  EXPECT_GT(inside, 50);
}

TEST(Cylinder, StandsOnABoxOnEightRimPointsAndLiesOnTwo) {
  PairScene scene(make_cylinder(0.2, 0.3), make_box(Vec3d(1, 1, 0.5)));
  for (double gap : {-1e-3, -1e-7, 0.0, 1e-7, 5e-4}) {
    scene.R[1] = test::rotation(Vec3d(0, 0, 1), 0.3);
    scene.p[1] = Vec3d(0.1, 0.2, 0.8 + gap);
    ASSERT_EQ(scene.find(1e-3).size(), 8) << gap;
    Vec3d sum;
    for (const ContactPoint& c : scene.contacts.points()) {
      EXPECT_NEAR(c.gap, gap, 1e-13);
      EXPECT_NEAR(norm(c.n_W - Vec3d(0, 0, 1)), 0.0, 1e-12);
      sum += c.p_W - Vec3d(0.1, 0.2, c.p_W[2]);
    }
    EXPECT_NEAR(norm(sum), 0.0, 1e-12);

    scene.R[1] = test::rotation(Vec3d(1, 2, 0), M_PI / 2);
    scene.p[1] = Vec3d(0.1, 0.2, 0.7 + gap);
    ASSERT_EQ(scene.find(1e-3).size(), 2) << gap;
    for (const ContactPoint& c : scene.contacts.points()) {
      EXPECT_NEAR(c.gap, gap, 1e-13);
      EXPECT_NEAR(norm(c.n_W - Vec3d(0, 0, 1)), 0.0, 1e-12);
    }
    EXPECT_NEAR(norm(scene.contacts[0].p_W - scene.contacts[1].p_W), 0.6, 1e-12);
  }
}

TEST(Cylinder, OverTheEdgeOfABoxTheCapIsCut) {
  PairScene scene(make_cylinder(0.2, 0.3), make_box(Vec3d(1, 1, 0.5)));
  scene.p[1] = Vec3d(1.05, 0, 0.8);
  ASSERT_GE(scene.find(1e-3).size(), 4);
  double far = -9;
  for (const ContactPoint& c : scene.contacts.points()) far = std::max(far, c.p_W[0]);
  EXPECT_NEAR(far, 1.0, 1e-12);
}

TEST(Cylinder, TwoStandingOnEachOtherAndTwoLyingAlongEachOther) {
  PairScene scene(make_cylinder(0.2, 0.3), make_cylinder(0.2, 0.3));
  scene.p[1] = Vec3d(0.05, 0, 0.6 - 1e-5);
  ASSERT_GE(scene.find(1e-3).size(), 4);
  for (const ContactPoint& c : scene.contacts.points()) EXPECT_NEAR(c.gap, -1e-5, 1e-12);
  for (double gap : {-1e-4, 1e-4}) {
    scene.p[1] = Vec3d(0.4 + gap, 0, 0.1);
    ASSERT_EQ(scene.find(1e-3).size(), 2) << gap;
    for (const ContactPoint& c : scene.contacts.points()) {
      EXPECT_NEAR(c.gap, gap, 1e-9);
      EXPECT_NEAR(norm(c.n_W - Vec3d(1, 0, 0)), 0.0, 1e-4);
    }
    EXPECT_NEAR(norm(scene.contacts[0].p_W - scene.contacts[1].p_W), 0.5, 1e-9);
  }
}

// Apart, all but two cylinders: to rounding, as the hull of a box shows, whose iterations take
// another way to the same points.
TEST(Cylinder, ApartFromABoxOrItsHullIsTheSameToRounding) {
  Random random(13);
  int met = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Vec3d half(0.2, 0.3, 0.25);
    CollisionBuilder builder;
    const Shape hull = builder.make_hull(make_box_polyhedron(half).vertices(), "box");
    PairScene one(make_cylinder(0.2, 0.3), make_box(half));
    PairScene two(make_cylinder(0.2, 0.3), hull, builder);
    for (int k = 1; k < 3; ++k) {
      one.R[k] = two.R[k] = test::random_rotation(random);
      one.p[k] = two.p[k] = test::random_vector(random, 0.6);
    }
    const ContactPoint c = one.deepest(0.2), d = two.deepest(0.2);
    if (one.contacts.size() == 0 || c.gap < 1e-6) continue;
    ASSERT_EQ(one.contacts.size(), two.contacts.size());
    EXPECT_NEAR(c.gap, d.gap, 1e-12);
    EXPECT_NEAR(norm(c.n_W - d.n_W), 0.0, 1e-9);
    ++met;
  }
  EXPECT_GT(met, 50);
}

// Along the reported normal the shapes are apart by the reported gap, so it is no more than the
// greatest separation; and a search over directions finds none greater.
TEST(Cylinder, GapIsTheGreatestSeparationOverDirections) {
  constexpr double kOwn = 1e-9;  // the tolerance of depth, sizes below 1
  Random random(12);
  const Shape others[] = {make_capsule(0.15, 0.3), make_cylinder(0.25, 0.2),
                          make_box(Vec3d(0.2, 0.3, 0.25))};
  for (const Shape& other : others)
    for (int trial = 0; trial < 60; ++trial) {
      PairScene scene(make_cylinder(0.2, 0.3), other);
      for (int k = 1; k < 3; ++k) {
        scene.R[k] = test::random_rotation(random);
        scene.p[k] = test::random_vector(random, 0.4);
      }
      const ContactPoint c = scene.deepest(10.0);
      const test::Body a = test::make_body(scene.model, scene.scratch, 0);
      const test::Body b = test::make_body(scene.model, scene.scratch, 1);
      const double expected = search_separation(a, b, random);
      EXPECT_NEAR(separation(a, b, c.n_W), c.gap, kOwn) << int(other.kind) << " " << trial;
      EXPECT_GT(c.gap, expected - kOwn) << int(other.kind) << " " << trial;
    }
}

// Distance of a point from a cylinder, zero inside.
double calc_distance(const Vec3d& c, double radius, double half_length) {
  return std::hypot(std::max(std::hypot(c[0], c[1]) - radius, 0.0),
                    std::max(std::abs(c[2]) - half_length, 0.0));
}

// A capsule near a cylinder: the distance of its segment is convex along it, so a search by thirds
// finds it. A flat tetrahedron once made a capsule at the rim seem a radius deep.
TEST(Cylinder, CapsuleNearTheRim) {
  Random random(12);
  const double r = 0.041, h = 0.037, radius = 0.031, half = 0.0386;
  PairScene scene(make_capsule(radius, half), make_cylinder(r, h));
  int near = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    scene.R[1] = test::random_rotation(random);
    // a point of the segment at about the radius from the rim
    const double turn = random.uniform(-3.0, 3.0), lift = random.uniform(-0.3, 1.8);
    const double away = radius + random.uniform(-1e-4, 1e-4);
    const Vec3d rim(r * std::cos(turn), r * std::sin(turn), h);
    const Vec3d out(std::cos(lift) * std::cos(turn), std::cos(lift) * std::sin(turn),
                    std::sin(lift));
    scene.p[1] = rim + away * out - random.uniform(-half, half) * scene.R[1].c[2];
    double low = -half, high = half;
    const auto distance = [&](double t) {
      return calc_distance(scene.p[1] + t * scene.R[1].c[2], r, h);
    };
    for (int k = 0; k < 200; ++k) {
      const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
      (distance(a) < distance(b) ? high : low) = distance(a) < distance(b) ? b : a;
    }
    const double expected = distance(0.5 * (low + high)) - radius;
    if (expected < -0.9 * radius) continue;  // the segment passes through the cylinder
    ++near;
    ASSERT_NEAR(scene.deepest(1.0).gap, expected, 1e-9) << "trial " << trial;
  }
  EXPECT_GT(near, 5000);
}

}  // namespace
}  // namespace stance::collision
