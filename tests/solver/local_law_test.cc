// One block at a time: closed forms, and laws checked by the residual on random blocks.

#include "stance/solver/local_law.h"

#include <gtest/gtest.h>

#include "stance/solver/residual.h"

#include "solver/random_problem.h"

namespace stance::solver {
namespace {

constexpr double kExact = 1e-12;  // of the largest of |q|, |p|, |u|

Vec3d solve_alone(const Block& block, const Mat3d& W, const Vec3d& q, const Vec3d& p_old = {},
                  double normal = 0.0) {
  double lambda = 0.0;
  return solve_block(make_local_factor(block, W), block, W, normal, q, p_old, lambda);
}

Block make_contact(double mu) {
  Block block;
  block.mu = mu;
  return block;
}

double grade(const Block& block, const Mat3d& W, const Vec3d& q, const Vec3d& p) {
  return calc_residual(test::make_single(block, W, q), {&p, 1}).relative;
}

// A point mass of 2 kg: W = 1/2.
TEST(LocalContact, PointMassSticksSlidesAndOpens) {
  const Mat3d W(0.5 * Eigen::Matrix3d::Identity());
  const Vec3d stick = solve_alone(make_contact(0.5), W, {-1.0, 0.3, 0.0});
  EXPECT_NEAR(stick[0], 2.0, 1e-15);
  EXPECT_NEAR(stick[1], -0.6, 1e-15);
  // sliding at mu p_N = 1 N s takes 0.5 m/s from the speed
  const Vec3d slide = solve_alone(make_contact(0.5), W, {-1.0, 3.0, 4.0});
  EXPECT_NEAR(slide[0], 2.0, 1e-14);
  EXPECT_NEAR(slide[1], -0.6, 1e-14);
  EXPECT_NEAR(slide[2], -0.8, 1e-14);
  EXPECT_EQ(norm(solve_alone(make_contact(0.5), W, {1e-9, 3.0, 4.0})), 0.0);
}

// Whatever the inertia, coupled or nearly flat, symmetric or not: opens, sticks or slides exactly.
TEST(LocalContact, ObeysItsLawOnRandomInertias) {
  kernel::Random random(7000);
  int open = 0, stick = 0, slide = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    Mat3d W = test::make_inverse_inertia(random, trial % 2 ? 10.0 : 1e4);
    if (trial % 3 == 0)  // asymmetric, as rounded files have it
      for (int c = 0; c < 3; ++c) W.c[c] += Vec3d(0.0, 1e-4 * random.uniform(-1.0, 1.0), 0.0);
    const Vec3d q(random.uniform(-1.0, 0.3), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0));
    const Block block = make_contact(random.uniform(0.0, 1.5));
    const Vec3d p = solve_alone(block, W, q);
    // rounding grows with the condition of W
    ASSERT_LT(grade(block, W, q, p), trial % 2 ? kExact : 10.0 * kExact) << "trial " << trial;
    const double radius = block.mu * p[0], length = std::hypot(p[1], p[2]);
    (p[0] == 0.0 ? open : length < (1.0 - 1e-9) * radius ? stick : slide) += 1;
  }
  for (int count : {open, stick, slide}) EXPECT_GT(count, 1000);
}

// The start of the search does not change what it finds.
TEST(LocalContact, ForgetsAPoorStart) {
  kernel::Random random(7001);
  for (int trial = 0; trial < 2000; ++trial) {
    const Mat3d W = test::make_inverse_inertia(random, 10.0);
    const LocalFactor factor = make_local_factor(make_contact(0.4), W);
    const Vec3d q(-1.0, random.uniform(-5.0, 5.0), random.uniform(-5.0, 5.0));
    double fresh = 0.0, poor = std::pow(10.0, random.uniform(-12.0, 12.0));
    const Vec3d p = solve_contact(factor, 0.4, q, fresh),
                same = solve_contact(factor, 0.4, q, poor);
    ASSERT_LT(norm(p - same), 1e-11 * norm(p)) << "trial " << trial;
  }
}

TEST(LocalContact, ScalesWithUnits) {
  kernel::Random random(7002);
  for (const double scale : {1e-9, 1e9}) {
    const Mat3d W = test::make_inverse_inertia(random, 10.0);
    const Mat3d scaled(Eigen::Matrix3d(scale * W.eigen()));
    const Vec3d q(-1.0, 2.0, -0.5);
    const Vec3d p = solve_alone(make_contact(0.3), W, q),
                other = solve_alone(make_contact(0.3), scaled, q);
    EXPECT_LT(norm(scale * other - p), 1e-12 * norm(p));
  }
}

// Inertias that leave a direction out must give numbers, and the law must still hold.
TEST(LocalContact, SurvivesSingularInertias) {
  const Vec3d q(-1.0, 0.7, -0.2);
  for (const Eigen::Vector3d& d : {Eigen::Vector3d(1, 0, 0), Eigen::Vector3d(1, 1, 0),
                                   Eigen::Vector3d(0, 1, 1), Eigen::Vector3d(0, 0, 0)}) {
    const Mat3d W(Eigen::Matrix3d(d.asDiagonal()));
    for (const double mu : {0.0, 0.5, 10.0}) {
      const Vec3d p = solve_alone(make_contact(mu), W, q);
      ASSERT_TRUE(std::isfinite(norm(p))) << d.transpose() << ", mu " << mu;
      if (d[0] > 0.0) {
        EXPECT_LT(grade(make_contact(mu), W, q, p), kExact) << d.transpose() << ", mu " << mu;
      }
    }
  }
}

TEST(LocalContact, WithoutFrictionPushesAlongTheNormalOnly) {
  kernel::Random random(7003);
  const Mat3d W = test::make_inverse_inertia(random, 10.0);
  const Vec3d p = solve_alone(make_contact(0.0), W, {-1.0, 2.0, 3.0});
  EXPECT_NEAR(p[0], 1.0 / W(0, 0), 1e-15 / W(0, 0));
  EXPECT_EQ(p[1], 0.0);
  EXPECT_EQ(p[2], 0.0);
}

TEST(LocalBilateral, HoldsAllItsRows) {
  kernel::Random random(7004);
  Block block;
  block.law = Law::kBilateral;
  const Mat3d W = test::make_inverse_inertia(random, 100.0);
  const Vec3d q(0.3, -0.5, 0.9);
  EXPECT_LT(norm(q + W * solve_alone(block, W, q)), 1e-14);
  // with two rows, and with a row that repeats another
  block.rows = 2;
  Eigen::Matrix3d two = W.eigen();
  two.row(2).setZero(), two.col(2).setZero();
  const Vec3d p = solve_alone(block, Mat3d(two), {0.3, -0.5, 0.0});
  EXPECT_LT(norm(Vec3d(0.3, -0.5, 0.0) + Mat3d(two) * p), 1e-14);
  EXPECT_EQ(p[2], 0.0);
  const Mat3d twin(Eigen::Matrix3d{{1, 1, 0}, {1, 1, 0}, {0, 0, 1}});
  const Vec3d twice = solve_alone(block, twin, {0.3, 0.3, 0.0});
  EXPECT_LT(norm(Vec3d(0.3, 0.3, 0.0) + twin * twice), 1e-14);
}

TEST(LocalScalars, StopAtTheirBounds) {
  const Mat3d W(Eigen::Matrix3d(Eigen::Vector3d(2, 0, 0).asDiagonal()));
  Block limit;
  limit.law = Law::kUnilateral, limit.rows = 1;
  EXPECT_EQ(solve_alone(limit, W, {-1.0, 0.0, 0.0})[0], 0.5);
  EXPECT_EQ(solve_alone(limit, W, {1.0, 0.0, 0.0})[0], 0.0);
  Block box;
  box.law = Law::kBox, box.rows = 1, box.bound = 0.2;
  EXPECT_EQ(solve_alone(box, W, {0.1, 0.0, 0.0})[0], -0.05);
  EXPECT_EQ(solve_alone(box, W, {7.0, 0.0, 0.0})[0], -0.2);
  EXPECT_EQ(solve_alone(box, W, {-7.0, 0.0, 0.0})[0], 0.2);
}

// Row A32: spin and roll stop at their share of the load.
TEST(LocalSpin, IsBoundedByTheLoad) {
  const Mat3d W(Eigen::Matrix3d(Eigen::Vector3d(1, 2, 2).asDiagonal()));
  Block spin;
  spin.law = Law::kSpin, spin.mu = 0.02, spin.mu_rolling = 0.01, spin.normal = 0;
  const Vec3d p = solve_alone(spin, W, {5.0, 3.0, 4.0}, {}, 10.0);
  EXPECT_NEAR(p[0], -0.2, 1e-15);
  EXPECT_NEAR(p[1], -0.06, 1e-14);
  EXPECT_NEAR(p[2], -0.08, 1e-14);
  const Vec3d held = solve_alone(spin, W, {0.1, 0.06, 0.08}, {}, 10.0);
  EXPECT_NEAR(held[0], -0.1, 1e-15);
  EXPECT_NEAR(held[1], -0.03, 1e-15);
  EXPECT_EQ(norm(solve_alone(spin, W, {5.0, 3.0, 4.0}, {}, 0.0)), 0.0);
}

}  // namespace
}  // namespace stance::solver
