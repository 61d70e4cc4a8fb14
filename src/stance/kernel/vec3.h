#pragma once

// Vectors of three and 3x3 matrices over a scalar T.
//
// T = double is stored as four lanes, the last one zero, so that every operation is one or a
// few vector instructions. Any other T (dual numbers, operation counters, symbols) takes the
// plain form. Both offer the same names; algorithms are written once.

#include <cmath>
#include <type_traits>

#include <Eigen/Core>

#include "stance/kernel/simd.h"

namespace stance::kernel {

// ---- vectors ----------------------------------------------------------------------------

template <class T>
struct Vec3 {
  T e[3]{};

  Vec3() = default;
  Vec3(const T& x, const T& y, const T& z) : e{x, y, z} {}
  explicit Vec3(const Vec3<double>& a);

  const T& operator[](int k) const { return e[k]; }
  const T& x() const { return e[0]; }
  const T& y() const { return e[1]; }
  const T& z() const { return e[2]; }
  void set(int k, const T& value) { e[k] = value; }

  Vec3& operator+=(const Vec3& b) { return *this = *this + b; }
  Vec3& operator-=(const Vec3& b) { return *this = *this - b; }
};

template <>
struct alignas(32) Vec3<double> {
  Double4 e{};

  Vec3() = default;
  Vec3(double x, double y, double z) : e{x, y, z, 0.0} {}
  explicit Vec3(Double4 lanes) : e(lanes) {}
  explicit Vec3(const Eigen::Vector3d& a) : e{a.x(), a.y(), a.z(), 0.0} {}

  double operator[](int k) const { return e[k]; }
  double x() const { return e[0]; }
  double y() const { return e[1]; }
  double z() const { return e[2]; }
  void set(int k, double value) { e[k] = value; }
  Eigen::Vector3d eigen() const { return {e[0], e[1], e[2]}; }

  Vec3& operator+=(const Vec3& b) { return e += b.e, *this; }
  Vec3& operator-=(const Vec3& b) { return e -= b.e, *this; }
};

template <class T>
Vec3<T>::Vec3(const Vec3<double>& a) : e{T(a[0]), T(a[1]), T(a[2])} {}

template <class T>
Vec3<T> operator+(const Vec3<T>& a, const Vec3<T>& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
template <class T>
Vec3<T> operator-(const Vec3<T>& a, const Vec3<T>& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
template <class T>
Vec3<T> operator-(const Vec3<T>& a) {
  return {-a[0], -a[1], -a[2]};
}
template <class T>
Vec3<T> operator*(const T& s, const Vec3<T>& a) {
  return {s * a[0], s * a[1], s * a[2]};
}
inline Vec3<double> operator+(const Vec3<double>& a, const Vec3<double>& b) {
  return Vec3<double>(a.e + b.e);
}
inline Vec3<double> operator-(const Vec3<double>& a, const Vec3<double>& b) {
  return Vec3<double>(a.e - b.e);
}
inline Vec3<double> operator-(const Vec3<double>& a) { return Vec3<double>(-a.e); }
inline Vec3<double> operator*(double s, const Vec3<double>& a) {
  return Vec3<double>(splat(s) * a.e);
}

// acc + s a
template <class T>
Vec3<T> madd(const T& s, const Vec3<T>& a, const Vec3<T>& acc) {
  return {acc[0] + s * a[0], acc[1] + s * a[1], acc[2] + s * a[2]};
}
inline Vec3<double> madd(double s, const Vec3<double>& a, const Vec3<double>& acc) {
  return Vec3<double>(fma4(splat(s), a.e, acc.e));
}

// acc - s a
template <class T>
Vec3<T> nmadd(const T& s, const Vec3<T>& a, const Vec3<T>& acc) {
  return {acc[0] - s * a[0], acc[1] - s * a[1], acc[2] - s * a[2]};
}
inline Vec3<double> nmadd(double s, const Vec3<double>& a, const Vec3<double>& acc) {
  return Vec3<double>(fnma4(splat(s), a.e, acc.e));
}

// a b + c for scalars, rounded once where T is double.
template <class T>
T madd(const T& a, const T& b, const T& c) {
  return c + a * b;
}
inline double madd(double a, double b, double c) { return std::fma(a, b, c); }

template <class T>
T dot(const Vec3<T>& a, const Vec3<T>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline double dot(const Vec3<double>& a, const Vec3<double>& b) { return sum4(a.e * b.e); }

template <class T>
Vec3<T> cross(const Vec3<T>& a, const Vec3<T>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline Vec3<double> cross(const Vec3<double>& a, const Vec3<double>& b) {
  return Vec3<double>(yzx(fms4(a.e, yzx(b.e), yzx(a.e) * b.e)));
}

// a x b + c x d: for doubles one shuffle cheaper than two cross products.
template <class T>
Vec3<T> cross2(const Vec3<T>& a, const Vec3<T>& b, const Vec3<T>& c, const Vec3<T>& d) {
  return cross(a, b) + cross(c, d);
}
inline Vec3<double> cross2(const Vec3<double>& a, const Vec3<double>& b, const Vec3<double>& c,
                           const Vec3<double>& d) {
  const Double4 first = fms4(a.e, yzx(b.e), yzx(a.e) * b.e);
  return Vec3<double>(yzx(fnma4(yzx(c.e), d.e, fma4(c.e, yzx(d.e), first))));
}

template <class T>
T norm(const Vec3<T>& a) {
  using std::sqrt;
  return sqrt(dot(a, a));
}

// ---- matrices -----------------------------------------------------------------------------

// A 3x3 matrix by columns.
template <class T>
struct Mat3 {
  Vec3<T> c[3];

  Mat3() = default;
  Mat3(const Vec3<T>& c0, const Vec3<T>& c1, const Vec3<T>& c2) : c{c0, c1, c2} {}
  template <class S>
  requires(std::is_same_v<S, double> && !std::is_same_v<T, double>) explicit Mat3(const Mat3<S>& a)
      : c{Vec3<T>(a.c[0]), Vec3<T>(a.c[1]), Vec3<T>(a.c[2])} {}
  explicit Mat3(const Eigen::Matrix3d& a) requires(std::is_same_v<T, double>)
      : c{Vec3<T>(a.col(0)), Vec3<T>(a.col(1)), Vec3<T>(a.col(2))} {}

  static Mat3 identity() {
    return {Vec3<T>(T(1), T(0), T(0)), Vec3<T>(T(0), T(1), T(0)), Vec3<T>(T(0), T(0), T(1))};
  }
  auto operator()(int row, int column) const { return c[column][row]; }
  Eigen::Matrix3d eigen() const {
    Eigen::Matrix3d m;
    m << c[0][0], c[1][0], c[2][0], c[0][1], c[1][1], c[2][1], c[0][2], c[1][2], c[2][2];
    return m;
  }

  Mat3& operator+=(const Mat3& b) {
    for (int k = 0; k < 3; ++k) c[k] += b.c[k];
    return *this;
  }
};

template <class T>
Mat3<T> operator+(const Mat3<T>& a, const Mat3<T>& b) {
  return {a.c[0] + b.c[0], a.c[1] + b.c[1], a.c[2] + b.c[2]};
}
template <class T>
Mat3<T> operator-(const Mat3<T>& a, const Mat3<T>& b) {
  return {a.c[0] - b.c[0], a.c[1] - b.c[1], a.c[2] - b.c[2]};
}
template <class T>
Mat3<T> operator*(const T& s, const Mat3<T>& a) {
  return {s * a.c[0], s * a.c[1], s * a.c[2]};
}
template <class T>
Vec3<T> operator*(const Mat3<T>& a, const Vec3<T>& b) {
  return madd(b[2], a.c[2], madd(b[1], a.c[1], b[0] * a.c[0]));
}
// acc + a b
template <class T>
Vec3<T> madd(const Mat3<T>& a, const Vec3<T>& b, const Vec3<T>& acc) {
  return madd(b[2], a.c[2], madd(b[1], a.c[1], madd(b[0], a.c[0], acc)));
}
template <class T>
Mat3<T> operator*(const Mat3<T>& a, const Mat3<T>& b) {
  return {a * b.c[0], a * b.c[1], a * b.c[2]};
}

// a^T b
template <class T>
Vec3<T> transpose_mul(const Mat3<T>& a, const Vec3<T>& b) {
  return {dot(a.c[0], b), dot(a.c[1], b), dot(a.c[2], b)};
}
inline Vec3<double> transpose_mul(const Mat3<double>& a, const Vec3<double>& b) {
  return Vec3<double>(sum4x4(a.c[0].e * b.e, a.c[1].e * b.e, a.c[2].e * b.e, Double4{}));
}

template <class T>
Mat3<T> transpose(const Mat3<T>& a) {
  return {Vec3<T>(a.c[0][0], a.c[1][0], a.c[2][0]), Vec3<T>(a.c[0][1], a.c[1][1], a.c[2][1]),
          Vec3<T>(a.c[0][2], a.c[1][2], a.c[2][2])};
}

inline Mat3<double> transpose(const Mat3<double>& a) {
  Double4 x = a.c[0].e, y = a.c[1].e, z = a.c[2].e, w{};
  transpose4(x, y, z, w);
  return {Vec3<double>(x), Vec3<double>(y), Vec3<double>(z)};
}

// Skew-symmetric matrix: skew(a) b = a x b.
template <class T>
Mat3<T> skew(const Vec3<T>& a) {
  return {Vec3<T>(T(0), a[2], -a[1]), Vec3<T>(-a[2], T(0), a[0]), Vec3<T>(a[1], -a[0], T(0))};
}

inline Mat3<double> skew(const Vec3<double>& a) {
  // column k is a x e_k: one shuffle and one product with 0, 1 and -1
  return {Vec3<double>(__builtin_shufflevector(a.e, a.e, 3, 2, 1, 3) * Double4{0, 1, -1, 0}),
          Vec3<double>(__builtin_shufflevector(a.e, a.e, 2, 3, 0, 3) * Double4{-1, 0, 1, 0}),
          Vec3<double>(__builtin_shufflevector(a.e, a.e, 1, 0, 3, 3) * Double4{1, -1, 0, 0})};
}

// ---- symmetric matrices --------------------------------------------------------------------

// A symmetric 3x3 matrix. Plain T keeps the six entries of the upper triangle; double keeps
// whole columns, since three full columns are as cheap as a triangle in vector registers.
template <class T>
struct Sym3 {
  T xx{}, xy{}, xz{}, yy{}, yz{}, zz{};

  Sym3() = default;
  Sym3(const T& xx_, const T& xy_, const T& xz_, const T& yy_, const T& yz_, const T& zz_)
      : xx(xx_), xy(xy_), xz(xz_), yy(yy_), yz(yz_), zz(zz_) {}
  explicit Sym3(const Sym3<double>& a);

  static Sym3 diagonal(const T& d) { return {d, T(0), T(0), d, T(0), d}; }
  Mat3<T> full() const { return {Vec3<T>(xx, xy, xz), Vec3<T>(xy, yy, yz), Vec3<T>(xz, yz, zz)}; }
  Vec3<T> column(int k) const {
    return k == 0 ? Vec3<T>(xx, xy, xz) : k == 1 ? Vec3<T>(xy, yy, yz) : Vec3<T>(xz, yz, zz);
  }
  Sym3& operator+=(const Sym3& b) {
    xx += b.xx, xy += b.xy, xz += b.xz, yy += b.yy, yz += b.yz, zz += b.zz;
    return *this;
  }
};

template <>
struct Sym3<double> {
  Vec3<double> c[3];

  Sym3() = default;
  Sym3(double xx, double xy, double xz, double yy, double yz, double zz)
      : c{Vec3<double>(xx, xy, xz), Vec3<double>(xy, yy, yz), Vec3<double>(xz, yz, zz)} {}
  Sym3(const Vec3<double>& c0, const Vec3<double>& c1, const Vec3<double>& c2) : c{c0, c1, c2} {}

  static Sym3 diagonal(double d) {
    return {d * Vec3<double>(1, 0, 0), d * Vec3<double>(0, 1, 0), d * Vec3<double>(0, 0, 1)};
  }
  Mat3<double> full() const { return {c[0], c[1], c[2]}; }
  const Vec3<double>& column(int k) const { return c[k]; }
  Sym3& operator+=(const Sym3& b) {
    for (int k = 0; k < 3; ++k) c[k] += b.c[k];
    return *this;
  }
};

template <class T>
Sym3<T>::Sym3(const Sym3<double>& a)
    : xx(a.c[0][0]), xy(a.c[1][0]), xz(a.c[2][0]), yy(a.c[1][1]), yz(a.c[2][1]), zz(a.c[2][2]) {}

// acc + a b
template <class T>
Vec3<T> madd(const Sym3<T>& a, const Vec3<T>& b, const Vec3<T>& acc) {
  return {acc[0] + a.xx * b[0] + a.xy * b[1] + a.xz * b[2],
          acc[1] + a.xy * b[0] + a.yy * b[1] + a.yz * b[2],
          acc[2] + a.xz * b[0] + a.yz * b[1] + a.zz * b[2]};
}
inline Vec3<double> madd(const Sym3<double>& a, const Vec3<double>& b, const Vec3<double>& acc) {
  return madd(b[2], a.c[2], madd(b[1], a.c[1], madd(b[0], a.c[0], acc)));
}
template <class T>
Vec3<T> operator*(const Sym3<T>& a, const Vec3<T>& b) {
  return {a.xx * b[0] + a.xy * b[1] + a.xz * b[2], a.xy * b[0] + a.yy * b[1] + a.yz * b[2],
          a.xz * b[0] + a.yz * b[1] + a.zz * b[2]};
}
inline Vec3<double> operator*(const Sym3<double>& a, const Vec3<double>& b) {
  return madd(b[2], a.c[2], madd(b[1], a.c[1], b[0] * a.c[0]));
}

// acc + s a a^T
template <class T>
Sym3<T> madd_outer(const T& s, const Vec3<T>& a, const Sym3<T>& acc) {
  const Vec3<T> sa = s * a;
  return {acc.xx + sa[0] * a[0], acc.xy + sa[0] * a[1], acc.xz + sa[0] * a[2],
          acc.yy + sa[1] * a[1], acc.yz + sa[1] * a[2], acc.zz + sa[2] * a[2]};
}
inline Sym3<double> madd_outer(double s, const Vec3<double>& a, const Sym3<double>& acc) {
  const Vec3<double> sa = s * a;
  return {madd(a[0], sa, acc.c[0]), madd(a[1], sa, acc.c[1]), madd(a[2], sa, acc.c[2])};
}

// acc + d 1
template <class T>
Sym3<T> add_diagonal(const T& d, const Sym3<T>& acc) {
  return {acc.xx + d, acc.xy, acc.xz, acc.yy + d, acc.yz, acc.zz + d};
}
inline Sym3<double> add_diagonal(double d, const Sym3<double>& acc) {
  return {madd(d, Vec3<double>(1, 0, 0), acc.c[0]), madd(d, Vec3<double>(0, 1, 0), acc.c[1]),
          madd(d, Vec3<double>(0, 0, 1), acc.c[2])};
}

// R a R^T for a rotation R.
template <class T>
Sym3<T> rotate(const Mat3<T>& R, const Sym3<T>& a) {
  const Vec3<T> t0 = R * Vec3<T>(a.xx, a.xy, a.xz), t1 = R * Vec3<T>(a.xy, a.yy, a.yz),
                t2 = R * Vec3<T>(a.xz, a.yz, a.zz);
  const auto entry = [&](int i, int j) {
    return t0[i] * R(j, 0) + t1[i] * R(j, 1) + t2[i] * R(j, 2);
  };
  return {entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)};
}
inline Sym3<double> rotate(const Mat3<double>& R, const Sym3<double>& a) {
  const Vec3<double> t0 = R * a.c[0], t1 = R * a.c[1], t2 = R * a.c[2];
  const auto column = [&](int j) { return madd(R(j, 2), t2, madd(R(j, 1), t1, R(j, 0) * t0)); };
  return {column(0), column(1), column(2)};
}

// A symmetric matrix from its columns.
template <class T>
Sym3<T> make_sym3(const Vec3<T>& c0, const Vec3<T>& c1, const Vec3<T>& c2) {
  return {c0[0], c1[0], c2[0], c1[1], c2[1], c2[2]};
}
inline Sym3<double> make_sym3(const Vec3<double>& c0, const Vec3<double>& c1,
                              const Vec3<double>& c2) {
  return {c0, c1, c2};
}

// Inverse of a positive definite symmetric matrix, by cofactors: no pivots, one division.
template <class T>
Sym3<T> inverse(const Sym3<T>& a) {
  const Mat3<T> m = a.full();
  const Vec3<T> r0 = cross(m.c[1], m.c[2]), r1 = cross(m.c[2], m.c[0]), r2 = cross(m.c[0], m.c[1]);
  const T s = T(1) / dot(m.c[0], r0);
  return make_sym3(s * r0, s * r1, s * r2);
}

using Vec3d = Vec3<double>;
using Mat3d = Mat3<double>;
using Sym3d = Sym3<double>;

}  // namespace stance::kernel
