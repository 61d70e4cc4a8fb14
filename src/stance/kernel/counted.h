#pragma once

// A double that counts the operations done with it, for comparing algorithms on paper (H4).

#include <cmath>

namespace stance::kernel {

struct OperationCount {
  long long multiply = 0;  // multiplications and divisions
  long long add = 0;       // additions and subtractions
};

struct Counted {
  double a = 0.0;

  Counted() = default;
  Counted(double value) : a(value) {}  // NOLINT: numbers are counted numbers

  Counted& operator+=(const Counted& b) { return ++count().add, a += b.a, *this; }
  Counted& operator-=(const Counted& b) { return ++count().add, a -= b.a, *this; }

  static OperationCount& count() {
    thread_local OperationCount tally;
    return tally;
  }
};

inline Counted operator+(const Counted& x, const Counted& y) {
  return ++Counted::count().add, Counted(x.a + y.a);
}
inline Counted operator-(const Counted& x, const Counted& y) {
  return ++Counted::count().add, Counted(x.a - y.a);
}
inline Counted operator-(const Counted& x) { return Counted(-x.a); }
inline Counted operator*(const Counted& x, const Counted& y) {
  return ++Counted::count().multiply, Counted(x.a * y.a);
}
inline Counted operator/(const Counted& x, const Counted& y) {
  return ++Counted::count().multiply, Counted(x.a / y.a);
}
inline bool operator<(const Counted& x, const Counted& y) { return x.a < y.a; }
inline bool operator>(const Counted& x, const Counted& y) { return x.a > y.a; }

inline Counted sin(const Counted& x) { return Counted(std::sin(x.a)); }
inline Counted cos(const Counted& x) { return Counted(std::cos(x.a)); }
inline Counted sqrt(const Counted& x) { return Counted(std::sqrt(x.a)); }
inline Counted atan2(const Counted& y, const Counted& x) { return Counted(std::atan2(y.a, x.a)); }

}  // namespace stance::kernel
