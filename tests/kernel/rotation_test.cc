// Quaternions and rotations: exponential and logarithm undo each other, at every size of angle.

#include "stance/kernel/rotation.h"

#include <cmath>
#include <numbers>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "support/random_forest.h"

namespace stance::kernel {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using test::make_direction;

constexpr double kRounding = 1e-15;

Eigen::Quaterniond to_eigen(const Quat<double>& a) { return {a.w, a.x, a.y, a.z}; }

TEST(Quat, ExponentialIsTheHalfAngle) {
  Random random(20);
  for (int n = 0; n < 200; ++n) {
    const double angle = random.uniform(-10.0, 10.0);
    const Vector3d axis = make_direction(random);
    const Quat<double> a = exp_quat(Vec3d(Vector3d(angle * axis)));
    const Eigen::Quaterniond expected(Eigen::AngleAxisd(angle, axis));
    EXPECT_LT((to_eigen(a).coeffs() - expected.coeffs()).norm(), 4.0 * kRounding) << angle;
  }
}

TEST(Quat, LogarithmUndoesExponentialAtEverySize) {
  Random random(21);
  for (int exponent = 0; exponent >= -300; --exponent)
    for (int n = 0; n < 3; ++n) {
      const double angle = 3.1 * random.uniform(0.5, 1.0) * std::pow(10.0, exponent);
      const Vector3d r = angle * make_direction(random);
      const Vector3d back = log_quat(exp_quat(Vec3d(r))).eigen();
      EXPECT_LT((back - r).norm(), 1e-14 * angle) << angle;
    }
  EXPECT_EQ(log_quat(exp_quat(Vec3d())).eigen(), Vector3d::Zero());
}

// The series and the closed form must meet where one hands over to the other.
TEST(Quat, ExponentialAndLogarithmAreContinuousWhereTheSeriesEnds) {
  for (double angle : {std::sqrt(1e-6), 2e-6}) {  // exp: t^2 = 1e-6; log: sin(t/2) = 1e-6
    const double below = angle * (1.0 - 1e-9), above = angle * (1.0 + 1e-9);
    for (double a : {below, above}) {
      const Quat<double> e = exp_quat(Vec3d(a, 0.0, 0.0));
      EXPECT_NEAR(e.x / std::sin(0.5 * a), 1.0, 4.0 * kRounding);
      EXPECT_NEAR(e.w, std::cos(0.5 * a), kRounding);
      EXPECT_NEAR(log_quat(e).x() / a, 1.0, 4.0 * kRounding);
    }
  }
}

// q and -q are one rotation; the answer is the short way round.
TEST(Quat, LogarithmTakesTheShortWay) {
  Random random(22);
  for (int n = 0; n < 100; ++n) {
    const Vector3d axis = make_direction(random);
    const double angle = random.uniform(std::numbers::pi + 0.01, 2.0 * std::numbers::pi - 0.01);
    const Quat<double> a = exp_quat(Vec3d(Vector3d(angle * axis)));
    const Vector3d expected = (angle - 2.0 * std::numbers::pi) * axis;
    EXPECT_LT((log_quat(a).eigen() - expected).norm(), 1e-13) << angle;
  }
  // also next to the identity, where the series is used
  const Quat<double> tiny = exp_quat(Vec3d(1e-8, -2e-8, 3e-8));
  const Quat<double> opposite{-tiny.w, -tiny.x, -tiny.y, -tiny.z};
  EXPECT_LT((log_quat(opposite).eigen() - Vector3d(1e-8, -2e-8, 3e-8)).norm(), 1e-22);
  const Quat<double> minus_one{-1.0, 0.0, 0.0, 0.0};
  EXPECT_EQ(log_quat(minus_one).eigen(), Vector3d::Zero());
}

TEST(Quat, RotationMatrixIsEigensForAnyLength) {
  Random random(23);
  for (int n = 0; n < 100; ++n) {
    const Eigen::Vector4d a = test::make_vector(random, 4, 1.0);
    if (a.norm() < 0.1) continue;
    const double length = random.uniform(0.1, 10.0);
    const Quat<double> q{length * a[0], length * a[1], length * a[2], length * a[3]};
    const Matrix3d R = make_rotation(q).eigen();
    const Eigen::Quaterniond unit = Eigen::Quaterniond(a[0], a[1], a[2], a[3]).normalized();
    EXPECT_LT((R - unit.toRotationMatrix()).norm(), 10.0 * kRounding);
    EXPECT_LT((R.transpose() * R - Matrix3d::Identity()).norm(), 10.0 * kRounding);
  }
}

TEST(Quat, ProductIsThatOfTheMatrices) {
  Random random(24);
  for (int n = 0; n < 100; ++n) {
    const auto draw = [&] { return Vec3d(Vector3d(test::make_vector(random, 3, 3.0))); };
    const Quat<double> a = exp_quat(draw()), b = exp_quat(draw());
    const Matrix3d product = make_rotation(a).eigen() * make_rotation(b).eigen();
    EXPECT_LT((make_rotation(a * b).eigen() - product).norm(), 10.0 * kRounding);
    const Quat<double> unit = normalized(Quat<double>{3.0 * a.w, 3.0 * a.x, 3.0 * a.y, 3.0 * a.z});
    EXPECT_NEAR(to_eigen(unit).norm(), 1.0, 2.0 * kRounding);
  }
}

TEST(Rotation, AboutAnAxisIsRodrigues) {
  Random random(25);
  for (int n = 0; n < 100; ++n) {
    const Vector3d axis = make_direction(random);
    const double angle = random.uniform(-6.0, 6.0);
    const Matrix3d R = rotation_about(Vec3d(axis), std::cos(angle), std::sin(angle)).eigen();
    EXPECT_LT((R - Eigen::AngleAxisd(angle, axis).toRotationMatrix()).norm(), 10.0 * kRounding);
  }
}

}  // namespace
}  // namespace stance::kernel
