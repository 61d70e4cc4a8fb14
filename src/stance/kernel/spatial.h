#pragma once

// Spatial (6-d) algebra after Featherstone, "Rigid Body Dynamics Algorithms" (2008), ch. 2,
// angular part first. Motions and forces are different types: only force . motion is power.
// All operands of one expression are taken at the same point and in the same axes.

#include "stance/kernel/vec3.h"

namespace stance::kernel {

// Velocity, acceleration or motion axis: angular part, then the linear velocity of the body
// point at the origin of the coordinates.
template <class T>
struct Motion {
  Vec3<T> ang, lin;

  Motion& operator+=(const Motion& b) {
    ang += b.ang, lin += b.lin;
    return *this;
  }
  auto operator[](int k) const { return k < 3 ? ang[k] : lin[k - 3]; }
};

// Wrench, momentum or impulse: moment about the origin of the coordinates, then force.
template <class T>
struct Force {
  Vec3<T> ang, lin;

  Force& operator+=(const Force& b) {
    ang += b.ang, lin += b.lin;
    return *this;
  }
  auto operator[](int k) const { return k < 3 ? ang[k] : lin[k - 3]; }
};

template <class T>
Motion<T> operator+(const Motion<T>& a, const Motion<T>& b) {
  return {a.ang + b.ang, a.lin + b.lin};
}
template <class T>
Motion<T> operator-(const Motion<T>& a, const Motion<T>& b) {
  return {a.ang - b.ang, a.lin - b.lin};
}
template <class T>
Motion<T> operator*(const T& s, const Motion<T>& a) {
  return {s * a.ang, s * a.lin};
}
template <class T>
Force<T> operator+(const Force<T>& a, const Force<T>& b) {
  return {a.ang + b.ang, a.lin + b.lin};
}
template <class T>
Force<T> operator-(const Force<T>& a, const Force<T>& b) {
  return {a.ang - b.ang, a.lin - b.lin};
}
template <class T>
Force<T> operator*(const T& s, const Force<T>& a) {
  return {s * a.ang, s * a.lin};
}
// acc + s a, acc - s a
template <class T>
Motion<T> madd(const T& s, const Motion<T>& a, const Motion<T>& acc) {
  return {madd(s, a.ang, acc.ang), madd(s, a.lin, acc.lin)};
}
template <class T>
Force<T> madd(const T& s, const Force<T>& a, const Force<T>& acc) {
  return {madd(s, a.ang, acc.ang), madd(s, a.lin, acc.lin)};
}
template <class T>
Motion<T> nmadd(const T& s, const Motion<T>& a, const Motion<T>& acc) {
  return {nmadd(s, a.ang, acc.ang), nmadd(s, a.lin, acc.lin)};
}
template <class T>
Force<T> nmadd(const T& s, const Force<T>& a, const Force<T>& acc) {
  return {nmadd(s, a.ang, acc.ang), nmadd(s, a.lin, acc.lin)};
}

// Power of a force on a motion.
template <class T>
T dot(const Motion<T>& m, const Force<T>& f) {
  return dot(m.ang, f.ang) + dot(m.lin, f.lin);
}
inline double dot(const Motion<double>& m, const Force<double>& f) {
  return sum4(fma4(m.lin.e, f.lin.e, m.ang.e * f.ang.e));
}

// V x m: rate of change of a motion vector that moves with velocity V.
template <class T>
Motion<T> cross(const Motion<T>& V, const Motion<T>& m) {
  return {cross(V.ang, m.ang), cross2(V.ang, m.lin, V.lin, m.ang)};
}

// V x* f: rate of change of a force vector that moves with velocity V.
template <class T>
Force<T> cross(const Motion<T>& V, const Force<T>& f) {
  return {cross2(V.ang, f.ang, V.lin, f.lin), cross(V.ang, f.lin)};
}

// ---- inertias ------------------------------------------------------------------------------

// Inertia of a rigid body about the origin of the coordinates: [I, h x; -h x, m 1].
template <class T>
struct RigidInertia {
  Sym3<T> I;  // rotational inertia about the origin, kg m^2
  Vec3<T> h;  // first moment m c, kg m
  T m{};      // mass, kg

  RigidInertia& operator+=(const RigidInertia& b) {
    I += b.I, h += b.h, m += b.m;
    return *this;
  }
};

// Moves the inertia I_c about the centre of mass to an origin from which the centre is at c.
template <class T>
RigidInertia<T> make_rigid_inertia(const T& m, const Vec3<T>& c, const Sym3<T>& I_c) {
  const Vec3<T> h = m * c;
  return {add_diagonal(dot(h, c), madd_outer(-m, c, I_c)), h, m};
}

template <class T>
Force<T> operator*(const RigidInertia<T>& a, const Motion<T>& v) {
  return {madd(a.I, v.ang, cross(a.h, v.lin)), madd(a.m, v.lin, cross(v.ang, a.h))};
}

// Articulated-body inertia, symmetric 6x6: [A, B; B^T, C].
// For doubles B^T is kept beside B, so that a product reads whole columns.
template <class T>
struct ArticulatedInertia {
  Sym3<T> A;
  Mat3<T> B;
  Sym3<T> C;

  ArticulatedInertia() = default;
  explicit ArticulatedInertia(const RigidInertia<T>& r)
      : A(r.I), B(skew(r.h)), C(Sym3<T>::diagonal(r.m)) {}

  Mat3<T> B_transposed() const { return transpose(B); }
  ArticulatedInertia& operator+=(const ArticulatedInertia& b) {
    A += b.A, B += b.B, C += b.C;
    return *this;
  }
};

template <>
struct ArticulatedInertia<double> {
  Sym3<double> A;
  Mat3<double> B, Bt;
  Sym3<double> C;

  ArticulatedInertia() = default;
  explicit ArticulatedInertia(const RigidInertia<double>& r)
      : A(r.I), B(skew(r.h)), Bt(skew(-r.h)), C(Sym3<double>::diagonal(r.m)) {}

  const Mat3<double>& B_transposed() const { return Bt; }
  ArticulatedInertia& operator+=(const ArticulatedInertia& b) {
    A += b.A, B += b.B, Bt += b.Bt, C += b.C;
    return *this;
  }
};

template <class T>
Force<T> operator*(const ArticulatedInertia<T>& a, const Motion<T>& v) {
  const Vec3<T> f_lin = transpose_mul(a.B, v.ang);
  return {madd(a.A, v.ang, a.B * v.lin), madd(a.C, v.lin, f_lin)};
}
inline Force<double> operator*(const ArticulatedInertia<double>& a, const Motion<double>& v) {
  // Two half-length chains per part: the sum is ready earlier than one chain of six.
  return {a.A * v.ang + a.B * v.lin, a.Bt * v.ang + a.C * v.lin};
}

// a - s U U^T
template <class T>
ArticulatedInertia<T> nmadd_outer(const T& s, const Force<T>& U, const ArticulatedInertia<T>& a) {
  const Force<T> sU = s * U;
  ArticulatedInertia<T> out;
  out.A = madd_outer(-s, U.ang, a.A);
  for (int j = 0; j < 3; ++j) out.B.c[j] = nmadd(sU.lin[j], U.ang, a.B.c[j]);
  out.C = madd_outer(-s, U.lin, a.C);
  return out;
}
inline ArticulatedInertia<double> nmadd_outer(double s, const Force<double>& U,
                                              const ArticulatedInertia<double>& a) {
  const Force<double> sU = s * U;
  ArticulatedInertia<double> out;
  for (int j = 0; j < 3; ++j) {
    out.A.c[j] = nmadd(U.ang[j], sU.ang, a.A.c[j]);
    out.Bt.c[j] = nmadd(U.ang[j], sU.lin, a.Bt.c[j]);
    out.B.c[j] = nmadd(U.lin[j], sU.ang, a.B.c[j]);
    out.C.c[j] = nmadd(U.lin[j], sU.lin, a.C.c[j]);
  }
  return out;
}

// ---- 6x6 matrices --------------------------------------------------------------------------

// A general 6x6 matrix from forces to motions, by columns: column k is the motion that a unit
// force along coordinate k causes.
template <class T>
struct Mat6 {
  Motion<T> c[6];

  auto operator()(int row, int column) const { return c[column][row]; }
  Eigen::Matrix<double, 6, 6> eigen() const {
    Eigen::Matrix<double, 6, 6> m;
    for (int j = 0; j < 6; ++j)
      for (int i = 0; i < 6; ++i) m(i, j) = c[j][i];
    return m;
  }
};

template <class T>
Mat6<T> transpose(const Mat6<T>& m) {
  Mat6<T> out;
  const auto part = [&](int column, bool linear) {
    return linear ? m.c[column].lin : m.c[column].ang;
  };
  for (int row = 0; row < 2; ++row)
    for (int column = 0; column < 2; ++column) {
      const Mat3<T> t = transpose(
          Mat3<T>(part(3 * column, row), part(3 * column + 1, row), part(3 * column + 2, row)));
      for (int k = 0; k < 3; ++k)
        (column ? out.c[3 * row + k].lin : out.c[3 * row + k].ang) = t.c[k];
    }
  return out;
}

// m f: the motion that the force f causes.
template <class T>
Motion<T> operator*(const Mat6<T>& m, const Force<T>& f) {
  Motion<T> out = f.ang[0] * m.c[0];
  for (int k = 1; k < 3; ++k) out = madd(f.ang[k], m.c[k], out);
  Motion<T> other = f.lin[0] * m.c[3];
  for (int k = 1; k < 3; ++k) other = madd(f.lin[k], m.c[3 + k], other);
  return out + other;
}

// Inverse of an articulated inertia: eliminates the linear part first, whose block is the
// better conditioned one, then the angular part by its Schur complement.
template <class T>
Mat6<T> inverse(const ArticulatedInertia<T>& a) {
  // E = B C^-1, P = (A - E B^T)^-1, inverse = [P, -P E; -E^T P, C^-1 + E^T P E]
  const Mat3<T> C_inverse = inverse(a.C).full();
  const Mat3<T> E = a.B * C_inverse;
  const Mat3<T> EBt = E * a.B_transposed(), A = a.A.full();
  const Mat3<T> P =
      inverse(make_sym3(A.c[0] - EBt.c[0], A.c[1] - EBt.c[1], A.c[2] - EBt.c[2])).full();
  const Mat3<T> PE = P * E, Et = transpose(E);
  const Mat3<T> EtP = transpose(PE), EtPE = Et * PE;
  Mat6<T> out;
  for (int k = 0; k < 3; ++k) {
    out.c[k] = {P.c[k], -EtP.c[k]};
    out.c[3 + k] = {-PE.c[k], C_inverse.c[k] + EtPE.c[k]};
  }
  return out;
}

template <class T>
Motion<T> operator-(const Motion<T>& a) {
  return {-a.ang, -a.lin};
}

using Motiond = Motion<double>;
using Forced = Force<double>;
using Mat6d = Mat6<double>;

}  // namespace stance::kernel
