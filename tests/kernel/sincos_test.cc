// The vector sine and cosine against the C library's in extended precision, in units of the
// last place.

#include "stance/kernel/sincos.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "stance/kernel/random.h"

namespace stance::kernel {
namespace {

// The header promises less than 1; half of it is the rounding of the result itself.
constexpr double kMaxUlps = 1.0;

double ulp(double x) {
  const double magnitude = std::max(std::abs(x), std::numeric_limits<double>::min());
  return std::nextafter(magnitude, std::numeric_limits<double>::infinity()) - magnitude;
}

double error_in_ulps(double got, long double expected) {
  return static_cast<double>(std::abs(got - expected)) / ulp(static_cast<double>(expected));
}

// The larger error of sine and cosine at x, each of the four lanes tried.
double calc_error(double x) {
  double worst = 0.0;
  for (int lane = 0; lane < 4; ++lane) {
    Double4 angles{0.1, -0.2, 0.3, -0.4}, sine, cosine;
    angles[lane] = x;
    sincos4(angles, sine, cosine);
    worst = std::max({worst, error_in_ulps(sine[lane], std::sin(static_cast<long double>(x))),
                      error_in_ulps(cosine[lane], std::cos(static_cast<long double>(x)))});
  }
  return worst;
}

TEST(Sincos, IsWithinOneUlpOnOrdinaryAngles) {
  Random random(1);
  for (int n = 0; n < 20000; ++n) {
    const double x = random.uniform(-10.0, 10.0);
    ASSERT_LT(calc_error(x), kMaxUlps) << "at " << x;
  }
}

TEST(Sincos, IsWithinOneUlpUpToTheFastLimit) {
  Random random(2);
  for (int n = 0; n < 20000; ++n) {
    const double x = random.uniform(-kFastAngle, kFastAngle);
    ASSERT_LT(calc_error(x), kMaxUlps) << "at " << x;
  }
}

TEST(Sincos, IsWithinOneUlpOnTinyAngles) {
  Random random(3);
  for (int n = 0; n < 5000; ++n) {
    const double x = std::ldexp(random.uniform(-1.0, 1.0), -random.integer(600));
    ASSERT_LT(calc_error(x), kMaxUlps) << "at " << x;
  }
  EXPECT_LT(calc_error(0.0), kMaxUlps);
  EXPECT_LT(calc_error(-0.0), kMaxUlps);
}

// Where sine or cosine nearly vanishes everything hangs on the reduction: the double next to
// every multiple of pi/2 below the limit, and its neighbours.
TEST(Sincos, IsWithinOneUlpBesideEveryMultipleOfHalfPi) {
  const long double half_pi = std::acos(-1.0L) / 2.0L;
  for (int n = 1; n * half_pi < kFastAngle; ++n) {
    const double x = static_cast<double>(n * half_pi);
    for (double y : {x, std::nextafter(x, 0.0), std::nextafter(x, kFastAngle), -x})
      ASSERT_LT(calc_error(y), kMaxUlps) << "at " << y << ", n = " << n;
  }
}

// Halfway between, the quadrant may fall on either side.
TEST(Sincos, IsWithinOneUlpBesideOddMultiplesOfQuarterPi) {
  const long double quarter_pi = std::acos(-1.0L) / 4.0L;
  for (int n = 1; n * quarter_pi < kFastAngle; n += 2) {
    const double x = static_cast<double>(n * quarter_pi);
    for (double y : {x, std::nextafter(x, 0.0), std::nextafter(x, kFastAngle)})
      ASSERT_LT(calc_error(y), kMaxUlps) << "at " << y << ", n = " << n;
  }
}

TEST(Sincos, PassesNotANumberOn) {
  Double4 sine, cosine;
  sincos4(Double4{std::numeric_limits<double>::quiet_NaN(), 1.0, 2.0, 3.0}, sine, cosine);
  EXPECT_TRUE(std::isnan(sine[0]) && std::isnan(cosine[0]));
  EXPECT_FALSE(std::isnan(sine[1]) || std::isnan(cosine[3]));
}

}  // namespace
}  // namespace stance::kernel
