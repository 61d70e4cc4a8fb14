#pragma once

// Unit quaternions (w x y z) and rotation matrices. Functions are smooth at zero angle, so
// that dual numbers can be sent through them.

#include <array>

#include "stance/kernel/vec3.h"

namespace stance::kernel {

template <class T>
struct Quat {
  T w{1}, x{0}, y{0}, z{0};
};

template <class T>
Quat<T> operator*(const Quat<T>& a, const Quat<T>& b) {
  return {
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

template <class T>
Quat<T> normalized(const Quat<T>& a) {
  using std::sqrt;
  const T s = T(1) / sqrt(a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z);
  return {s * a.w, s * a.x, s * a.y, s * a.z};
}

// Rotation matrix of a quaternion of any non-zero length.
template <class T>
Mat3<T> make_rotation(const Quat<T>& a) {
  const T s = T(2) / (a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z);
  const T x = s * a.x, y = s * a.y, z = s * a.z;
  const T wx = a.w * x, wy = a.w * y, wz = a.w * z;
  const T xx = a.x * x, xy = a.x * y, xz = a.x * z;
  const T yy = a.y * y, yz = a.y * z, zz = a.z * z;
  return {Vec3<T>(T(1) - (yy + zz), xy + wz, xz - wy), Vec3<T>(xy - wz, T(1) - (xx + zz), yz + wx),
          Vec3<T>(xz + wy, yz - wx, T(1) - (xx + yy))};
}

// near() where x < limit, else far(): the one way to decide by a value here, so that scalars
// without one can put both on record (expression.h).
template <class T, class Near, class Far>
auto select_below(const T& x, double limit, Near&& near, Far&& far) {
  return x < limit ? near() : far();
}

// Quaternion of a rotation vector r = angle * axis.
template <class T>
Quat<T> exp_quat(const Vec3<T>& r) {
  using std::cos, std::sin, std::sqrt;
  const T t2 = dot(r, r);
  using Pair = std::array<T, 2>;
  const auto [c, s] = select_below(  // cos(t/2), sin(t/2)/t
      t2, 1e-6,
      [&] {
        // Series to t^8: below rounding there, and differentiable at zero.
        return Pair{T(1) - t2 / 8.0 + t2 * t2 / 384.0 - t2 * t2 * t2 / 46080.0,
                    T(0.5) - t2 / 48.0 + t2 * t2 / 3840.0 - t2 * t2 * t2 / 645120.0};
      },
      [&] {
        const T t = sqrt(t2);
        return Pair{cos(t / 2.0), sin(t / 2.0) / t};
      });
  return {c, s * r[0], s * r[1], s * r[2]};
}

// Rotation vector, length at most pi, of a unit quaternion.
template <class T>
Vec3<T> log_quat(const Quat<T>& a) {
  using std::atan2, std::sqrt;
  const T n2 = a.x * a.x + a.y * a.y + a.z * a.z;
  using One = std::array<T, 1>;
  // q and -q are one rotation: take the short way
  const T sign = select_below(
      a.w, 0.0, [] { return One{T(-1)}; }, [] { return One{T(1)}; })[0];
  const T k = select_below(  // angle / sin(angle / 2)
      n2, 1e-12, [&] { return One{sign * (T(2) + n2 / 3.0)}; },
      [&] {
        const T n = sqrt(n2);
        return One{T(2) * atan2(sign * n, sign * a.w) / n};
      })[0];
  return {k * a.x, k * a.y, k * a.z};
}

// Rotation about a unit axis: 1 + sin K + (1 - cos) K^2.
template <class T>
Mat3<T> rotation_about(const Vec3<T>& axis, const T& cosine, const T& sine) {
  const T t = T(1) - cosine;
  const Vec3<T> ta = t * axis, sa = sine * axis;
  return {Vec3<T>(ta[0] * axis[0] + cosine, ta[0] * axis[1] + sa[2], ta[0] * axis[2] - sa[1]),
          Vec3<T>(ta[1] * axis[0] - sa[2], ta[1] * axis[1] + cosine, ta[1] * axis[2] + sa[0]),
          Vec3<T>(ta[2] * axis[0] + sa[1], ta[2] * axis[1] - sa[0], ta[2] * axis[2] + cosine)};
}

}  // namespace stance::kernel
