#pragma once

// Dual numbers: a value and four directional derivatives, exact by the chain rule. Sending them
// through an algorithm in place of doubles gives its derivative without a step size.

#include <cmath>

#include "stance/kernel/simd.h"

namespace stance::kernel {

struct Dual {
  static constexpr int kDirections = 4;

  double a = 0.0;  // value
  Double4 d{};     // derivatives along the four directions

  Dual() = default;
  Dual(double value) : a(value) {}  // NOLINT: numbers are dual numbers
  Dual(double value, Double4 derivative) : a(value), d(derivative) {}

  Dual& operator+=(const Dual& b) { return a += b.a, d += b.d, *this; }
  Dual& operator-=(const Dual& b) { return a -= b.a, d -= b.d, *this; }
};

inline Dual operator+(const Dual& x, const Dual& y) { return {x.a + y.a, x.d + y.d}; }
inline Dual operator-(const Dual& x, const Dual& y) { return {x.a - y.a, x.d - y.d}; }
inline Dual operator-(const Dual& x) { return {-x.a, -x.d}; }
inline Dual operator*(const Dual& x, const Dual& y) {
  return {x.a * y.a, fma4(splat(x.a), y.d, splat(y.a) * x.d)};
}
inline Dual operator/(const Dual& x, const Dual& y) {
  const double inverse = 1.0 / y.a, value = x.a * inverse;
  return {value, fnma4(splat(value), y.d, x.d) * inverse};
}
inline bool operator<(const Dual& x, const Dual& y) { return x.a < y.a; }
inline bool operator>(const Dual& x, const Dual& y) { return x.a > y.a; }

inline Dual sin(const Dual& x) { return {std::sin(x.a), std::cos(x.a) * x.d}; }
inline Dual cos(const Dual& x) { return {std::cos(x.a), -std::sin(x.a) * x.d}; }
inline Dual sqrt(const Dual& x) {
  const double root = std::sqrt(x.a);
  return {root, x.d * (0.5 / root)};
}
inline Dual atan2(const Dual& y, const Dual& x) {
  const double s = 1.0 / (x.a * x.a + y.a * y.a);
  return {std::atan2(y.a, x.a), (x.a * y.d - y.a * x.d) * s};
}

}  // namespace stance::kernel
