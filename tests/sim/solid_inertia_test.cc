// Mass properties of solids: hulls against closed forms and against each other.

#include "stance/sim/solid_inertia.h"

#include <cmath>

#include <Eigen/Eigenvalues>

#include "stance/collision/hull.h"

#include "sim/random_shapes.h"

namespace stance {
namespace {

using collision::make_hull_polyhedron;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using test::Random;
using test::Vec3d;

constexpr double kPi = 3.14159265358979323846;

TEST(SolidInertia, OfAHullAroundABoxIsTheBoxs) {
  const Vec3d half(0.1, 0.25, 0.7), center(3.0, -2.0, 5.0);
  const kernel::Mat3d R = test::make_rotation({1, 2, 3}, 0.7);
  std::vector<Vec3d> corners;
  for (int k = 0; k < 8; ++k)
    corners.push_back(center + R * Vec3d(k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1],
                                         k & 4 ? half[2] : -half[2]));
  const auto hull = sim::calc_solid_inertia(make_hull_polyhedron(corners, "box"));
  const auto box = sim::calc_solid_inertia(test::make_box(half));
  EXPECT_NEAR(hull.volume, box.volume, 1e-14);
  EXPECT_LT((hull.com - center.eigen()).norm(), 1e-13);
  const Matrix3d turned = R.eigen() * box.moments * R.eigen().transpose();
  EXPECT_LT((hull.moments - turned).norm(), 1e-13);
}

// A corner tetrahedron: V = abc/6, centre at a quarter, moments 3/80 (b^2 + c^2), -products abc.
TEST(SolidInertia, OfATetrahedron) {
  const double a = 0.3, b = 0.5, c = 0.8;
  const std::vector<Vec3d> corners{{}, {a, 0, 0}, {0, b, 0}, {0, 0, c}};
  const auto solid = sim::calc_solid_inertia(make_hull_polyhedron(corners, "tetrahedron"));
  EXPECT_NEAR(solid.volume, a * b * c / 6.0, 1e-16);
  EXPECT_LT((solid.com - Vector3d(a, b, c) / 4.0).norm(), 1e-15);
  EXPECT_NEAR(solid.moments(0, 0), 3.0 / 80.0 * (b * b + c * c), 1e-15);
  EXPECT_NEAR(solid.moments(0, 1), a * b / 80.0, 1e-15);
  EXPECT_NEAR(solid.moments(2, 1), b * c / 80.0, 1e-15);
}

// A prism with n corners turns about its axis with m r^2 / 6 (2 + cos(2 pi / n)); with many it is a
// cylinder.
TEST(SolidInertia, OfPrismsTendsToTheCylinders) {
  for (const int n : {3, 8, 200}) {
    std::vector<Vec3d> corners;
    for (int k = 0; k < n; ++k)
      for (const double z : {-0.4, 0.4})
        corners.emplace_back(0.3 * std::cos(2 * kPi * k / n), 0.3 * std::sin(2 * kPi * k / n), z);
    const auto prism = sim::calc_solid_inertia(make_hull_polyhedron(corners, "prism"));
    EXPECT_NEAR(prism.moments(2, 2), 0.09 / 6.0 * (2.0 + std::cos(2 * kPi / n)), 1e-14) << n;
    const auto cylinder = sim::calc_solid_inertia(test::make_cylinder(0.3, 0.4));
    if (n == 200) {
      EXPECT_LT((prism.moments - cylinder.moments).norm(), 1e-4);
      EXPECT_NEAR(prism.volume, cylinder.volume, 1e-3 * cylinder.volume);
    }
  }
}

// A body with a hull flies about its centre of mass, wherever the origin of its points is, and
// falls as if it were put there.
TEST(SolidInertia, AHullsOriginIsItsCentreOfMass) {
  std::vector<Vec3d> corners{{}, {0.3, 0, 0}, {0, 0.5, 0}, {0, 0, 0.8}};
  const Vec3d com(0.075, 0.125, 0.2);
  for (const Vec3d& shift : {Vec3d(), Vec3d(1, -2, 3)}) {
    sim::SceneBuilder builder("tetrahedron");
    builder.set_gravity({});
    std::vector<Vec3d> moved;
    for (const Vec3d& corner : corners) moved.push_back(corner + shift);
    sim::SceneBuilder::Body body;
    body.shape = builder.make_hull(moved);
    body.pose.R = test::make_rotation({0, 1, 0}, 0.5);
    body.pose.p = Vec3d(0, 0, 7) - body.pose.R * shift;
    body.spin = {1, 2, 3};
    builder.add_body(body);
    test::Simulation s(builder.build());
    EXPECT_LT(norm(s.position() - (Vec3d(0, 0, 7) + body.pose.R * com)), 1e-14);
    const Vec3d start = s.position();
    s.run(1.0, 1e-3);
    EXPECT_LT(norm(s.position() - start), 1e-12);
  }
}

}  // namespace
}  // namespace stance
