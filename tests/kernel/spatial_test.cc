// Spatial algebra against dense 6x6 matrices of Eigen.

#include "stance/kernel/spatial.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "stance/kernel/counted.h"

#include "support/random_forest.h"
#include "support/workbench.h"

namespace stance::kernel {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Matrix6d = Eigen::Matrix<double, 6, 6>;
using Vector6d = Eigen::Matrix<double, 6, 1>;
using test::make_vector;
using test::to_eigen;

constexpr double kRounding = 1e-13;  // entries of order one, sums of six terms
constexpr double kInverse = 1e-11;   // times condition numbers up to about 1e3

template <class Spatial>
Spatial make_spatial(Random& random) {
  return {Vec3d(Vector3d(make_vector(random, 3, 2.0))),
          Vec3d(Vector3d(make_vector(random, 3, 2.0)))};
}

Matrix3d hat(const Vector3d& a) {
  Matrix3d m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}

// [I_c + m c^ c^T, m c^; m c^T, m 1] with c^ = hat(c): Featherstone (2008), eq. 2.63.
Matrix6d dense_inertia(double m, const Vector3d& c, const Matrix3d& I_c) {
  Matrix6d out;
  out << I_c + m * hat(c) * hat(c).transpose(), m * hat(c), m * hat(c).transpose(),
      m * Matrix3d::Identity();
  return out;
}

Matrix6d dense(const ArticulatedInertia<double>& a) {
  Matrix6d m;
  m << a.A.full().eigen(), a.B.eigen(), a.B.eigen().transpose(), a.C.full().eigen();
  return m;
}

Sym3d to_sym3(const Matrix3d& a) { return {a(0, 0), a(0, 1), a(0, 2), a(1, 1), a(1, 2), a(2, 2)}; }

RigidInertia<double> make_body(Random& random, Matrix6d& expected) {
  const double m = random.uniform(0.5, 2.0);
  const Vector3d c = make_vector(random, 3, 1.0);
  const Matrix3d I_c = test::make_inertia(random, m, 0.5);
  expected = dense_inertia(m, c, I_c);
  return make_rigid_inertia(m, Vec3d(c), to_sym3(I_c));
}

// A full articulated inertia: a few bodies, less what one joint gives way to.
ArticulatedInertia<double> make_articulated(Random& random, Matrix6d& expected) {
  Matrix6d one, other;
  ArticulatedInertia<double> a(make_body(random, one));
  a += ArticulatedInertia<double>(make_body(random, other));
  expected = one + other;
  const Force<double> U = make_spatial<Force<double>>(random);
  expected -= 0.01 * to_eigen(U) * to_eigen(U).transpose();
  return nmadd_outer(0.01, U, a);
}

TEST(Spatial, CrossProductsAgreeWithDenseOnes) {
  Random random(10);
  for (int n = 0; n < 100; ++n) {
    const auto V = make_spatial<Motiond>(random), m = make_spatial<Motiond>(random);
    const auto f = make_spatial<Forced>(random);
    Matrix6d crm = Matrix6d::Zero();
    crm << hat(V.ang.eigen()), Matrix3d::Zero(), hat(V.lin.eigen()), hat(V.ang.eigen());
    EXPECT_LT((to_eigen(cross(V, m)) - crm * to_eigen(m)).norm(), kRounding);
    EXPECT_LT((to_eigen(cross(V, f)) + crm.transpose() * to_eigen(f)).norm(), kRounding);
    EXPECT_NEAR(dot(m, f), to_eigen(m).dot(to_eigen(f)), kRounding);
  }
}

TEST(Spatial, RigidInertiaAgreesWithDenseOne) {
  Random random(11);
  for (int n = 0; n < 100; ++n) {
    Matrix6d expected;
    const RigidInertia<double> a = make_body(random, expected);
    const auto v = make_spatial<Motiond>(random);
    EXPECT_LT((to_eigen(a * v) - expected * to_eigen(v)).norm(), kRounding);
    EXPECT_LT((dense(ArticulatedInertia<double>(a)) - expected).norm(), kRounding);
  }
}

TEST(Spatial, ArticulatedInertiaAgreesWithDenseOne) {
  Random random(12);
  for (int n = 0; n < 100; ++n) {
    Matrix6d expected;
    const ArticulatedInertia<double> a = make_articulated(random, expected);
    EXPECT_LT((dense(a) - expected).norm(), kRounding);
    EXPECT_LT((a.Bt.eigen() - a.B.eigen().transpose()).norm(), kRounding);
    const auto v = make_spatial<Motiond>(random);
    EXPECT_LT((to_eigen(a * v) - expected * to_eigen(v)).norm(), kRounding);
  }
}

TEST(Spatial, InverseAgreesWithDenseOne) {
  Random random(13);
  for (int n = 0; n < 100; ++n) {
    Matrix6d expected;
    const ArticulatedInertia<double> a = make_articulated(random, expected);
    const Mat6d inverted = inverse(a);
    EXPECT_LT((inverted.eigen() * expected - Matrix6d::Identity()).norm(), kInverse);
    const auto f = make_spatial<Forced>(random);
    EXPECT_LT((to_eigen(inverted * f) - inverted.eigen() * to_eigen(f)).norm(), kInverse);
  }
}

TEST(Spatial, TransposesMat6) {
  Random random(14);
  Mat6d m;
  for (Motiond& column : m.c) column = make_spatial<Motiond>(random);
  EXPECT_EQ(transpose(m).eigen(), m.eigen().transpose());
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) EXPECT_EQ(m(i, j), m.eigen()(i, j));
}

// The plain form, as dual and counted numbers take it, computes the same as the vector form.
TEST(Spatial, PlainScalarsAgreeWithVectorLanes) {
  Random random(15);
  for (int n = 0; n < 50; ++n) {
    Matrix6d expected;
    const ArticulatedInertia<double> a = make_articulated(random, expected);
    ArticulatedInertia<Counted> b;
    b.A = Sym3<Counted>(a.A), b.B = Mat3<Counted>(a.B), b.C = Sym3<Counted>(a.C);
    const auto v = make_spatial<Motiond>(random);
    const auto U = make_spatial<Forced>(random);
    const Motion<Counted> w{Vec3<Counted>(v.ang), Vec3<Counted>(v.lin)};
    const Force<Counted> U_plain{Vec3<Counted>(U.ang), Vec3<Counted>(U.lin)};
    const Force<Counted> product = nmadd_outer(Counted(0.01), U_plain, b) * w;
    const Vector6d reference = to_eigen(nmadd_outer(0.01, U, a) * v);
    const Mat6<Counted> inverted = inverse(b);
    for (int i = 0; i < 6; ++i) {
      EXPECT_NEAR(product[i].a, reference[i], kRounding * 10.0);
      for (int j = 0; j < 6; ++j)
        EXPECT_NEAR(inverted(i, j).a, inverse(a)(i, j), kInverse * inverse(a).eigen().norm());
    }
  }
}

}  // namespace
}  // namespace stance::kernel
