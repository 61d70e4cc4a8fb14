// Dual numbers: derivatives by the chain rule against central differences, and where they must
// not break down (zero angle).

#include "stance/kernel/dual.h"

#include <cmath>

#include <gtest/gtest.h>

#include "stance/kernel/random.h"
#include "stance/kernel/rotation.h"

namespace stance::kernel {
namespace {

constexpr double kStep = 1e-5;        // central differences: error of order step^2 = 1e-10
constexpr double kTruncation = 1e-8;  // with third derivatives up to about 100

Dual variable(double value, int direction) {
  Dual x(value);
  x.d[direction] = 1.0;
  return x;
}

// Compares the derivatives of f(x, y) along x (direction 1) and y (direction 3).
template <class F>
void expect_derivatives(F f, double x, double y) {
  const Dual result = f(variable(x, 1), variable(y, 3));
  EXPECT_DOUBLE_EQ(result.a, f(Dual(x), Dual(y)).a);
  const double by_x = (f(Dual(x + kStep), Dual(y)).a - f(Dual(x - kStep), Dual(y)).a) / 2 / kStep;
  const double by_y = (f(Dual(x), Dual(y + kStep)).a - f(Dual(x), Dual(y - kStep)).a) / 2 / kStep;
  EXPECT_NEAR(result.d[1], by_x, kTruncation * (1.0 + std::abs(by_x)));
  EXPECT_NEAR(result.d[3], by_y, kTruncation * (1.0 + std::abs(by_y)));
  EXPECT_EQ(result.d[0], 0.0);
  EXPECT_EQ(result.d[2], 0.0);
}

TEST(Dual, FollowsTheRulesOfCalculus) {
  Random random(30);
  for (int n = 0; n < 50; ++n) {
    const double x = random.uniform(0.5, 2.0), y = random.uniform(-2.0, -0.5);
    expect_derivatives([](Dual a, Dual b) { return a + b * a; }, x, y);
    expect_derivatives([](Dual a, Dual b) { return a * a * b - b; }, x, y);
    expect_derivatives([](Dual a, Dual b) { return a / b - -b / a; }, x, y);
    expect_derivatives([](Dual a, Dual b) { return sin(a) * cos(b); }, x, y);
    expect_derivatives([](Dual a, Dual b) { return sqrt(a * a + b * b); }, x, y);
    expect_derivatives([](Dual a, Dual b) { return atan2(b, a); }, x, y);
    expect_derivatives([](Dual a, Dual b) { return atan2(a, b); }, x, y);
    expect_derivatives(
        [](Dual a, Dual b) {
          a += b;
          b -= a;
          return a * b;
        },
        x, y);
  }
}

TEST(Dual, ComparesByValue) {
  EXPECT_TRUE(variable(1.0, 0) < Dual(2.0));
  EXPECT_TRUE(variable(3.0, 0) > Dual(2.0));
  EXPECT_FALSE(Dual(2.0) < variable(2.0, 0));
}

// exp and log of rotations are smooth at the identity: no 0/0 in the derivative.
TEST(Dual, RotationsHaveDerivativesAtZeroAngle) {
  const Vec3<Dual> r(variable(0.0, 0), variable(0.0, 1), variable(0.0, 2));
  const Quat<Dual> a = exp_quat(r);
  EXPECT_EQ(a.x.d[0], 0.5);
  EXPECT_EQ(a.y.d[1], 0.5);
  EXPECT_EQ(a.z.d[2], 0.5);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(a.w.d[k], 0.0);
  const Vec3<Dual> back = log_quat(a);
  for (int k = 0; k < 3; ++k)
    for (int n = 0; n < 3; ++n) EXPECT_EQ(back[k].d[n], k == n ? 1.0 : 0.0);
}

TEST(Dual, LogarithmOfExponentialHasUnitDerivative) {
  Random random(31);
  for (double size : {1e-9, 1e-4, 1e-3, 0.1, 1.0, 3.0}) {
    const double x = random.uniform(-1, 1), y = random.uniform(-1, 1), z = random.uniform(-1, 1);
    const double scale = size / std::sqrt(x * x + y * y + z * z);
    const Vec3<Dual> r(variable(scale * x, 0), variable(scale * y, 1), variable(scale * z, 2));
    const Vec3<Dual> back = log_quat(exp_quat(r));
    // near pi the half-angle's sine and cosine are divided: a few units in the last place
    for (int k = 0; k < 3; ++k)
      for (int n = 0; n < 3; ++n)
        EXPECT_NEAR(back[k].d[n], k == n ? 1.0 : 0.0, 1e-9) << "size " << size;
  }
}

}  // namespace
}  // namespace stance::kernel
