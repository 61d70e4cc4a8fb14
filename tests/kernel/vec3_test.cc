// Vectors and matrices of three: the four-lane form of double and the plain form of other
// scalars, both against Eigen.

#include "stance/kernel/vec3.h"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "stance/kernel/counted.h"

#include "support/random_forest.h"

namespace stance::kernel {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using test::make_vector;

// Entries are below 2, sums have at most six terms.
constexpr double kRounding = 1e-14;

Vector3d value(const Vec3<double>& a) { return a.eigen(); }
Vector3d value(const Vec3<Counted>& a) { return {a[0].a, a[1].a, a[2].a}; }
Matrix3d value(const Mat3<double>& a) { return a.eigen(); }
Matrix3d value(const Mat3<Counted>& a) {
  Matrix3d m;
  for (int k = 0; k < 3; ++k) m.col(k) = value(a.c[k]);
  return m;
}
double value(double a) { return a; }
double value(const Counted& a) { return a.a; }

Mat3d make_matrix(Random& random) {
  Matrix3d m;
  for (int k = 0; k < 3; ++k) m.col(k) = make_vector(random, 3, 2.0);
  return Mat3d(m);
}

template <class T>
class Vec3On : public testing::Test {};
using Scalars = testing::Types<double, Counted>;
TYPED_TEST_SUITE(Vec3On, Scalars);

TYPED_TEST(Vec3On, AgreesWithEigen) {
  using T = TypeParam;
  Random random(4);
  for (int n = 0; n < 100; ++n) {
    const Vector3d a = make_vector(random, 3, 2.0), b = make_vector(random, 3, 2.0),
                   c = make_vector(random, 3, 2.0), d = make_vector(random, 3, 2.0);
    const Vec3<T> A{Vec3d(a)}, B{Vec3d(b)}, C{Vec3d(c)}, D{Vec3d(d)};
    const double s = random.uniform(-2.0, 2.0);
    const auto near = [](const Vec3<T>& got, const Vector3d& expected) {
      return (value(got) - expected).norm() < kRounding;
    };
    EXPECT_TRUE(near(A + B, a + b));
    EXPECT_TRUE(near(A - B, a - b));
    EXPECT_TRUE(near(-A, -a));
    EXPECT_TRUE(near(T(s) * A, s * a));
    EXPECT_TRUE(near(madd(T(s), A, B), b + s * a));
    EXPECT_TRUE(near(nmadd(T(s), A, B), b - s * a));
    EXPECT_TRUE(near(cross(A, B), a.cross(b)));
    EXPECT_TRUE(near(cross2(A, B, C, D), a.cross(b) + c.cross(d)));
    EXPECT_NEAR(value(dot(A, B)), a.dot(b), kRounding);
    EXPECT_NEAR(value(norm(A)), a.norm(), kRounding);
    Vec3<T> sum = A;
    sum += B;
    EXPECT_TRUE(near(sum, a + b));
    sum -= C;
    EXPECT_TRUE(near(sum, a + b - c));
  }
}

TYPED_TEST(Vec3On, MatricesAgreeWithEigen) {
  using T = TypeParam;
  Random random(5);
  for (int n = 0; n < 100; ++n) {
    const Mat3d a_double = make_matrix(random), b_double = make_matrix(random);
    const Matrix3d a = a_double.eigen(), b = b_double.eigen();
    const Mat3<T> A(a_double), B(b_double);
    const Vector3d x = make_vector(random, 3, 2.0), y = make_vector(random, 3, 2.0);
    const Vec3<T> X{Vec3d(x)}, Y{Vec3d(y)};
    const auto near = [](const auto& got, const auto& expected) {
      return (value(got) - expected).norm() < 10.0 * kRounding;
    };
    EXPECT_TRUE(near(A + B, a + b));
    EXPECT_TRUE(near(A - B, a - b));
    EXPECT_TRUE(near(A * B, a * b));
    EXPECT_TRUE(near(A * X, a * x));
    EXPECT_TRUE(near(madd(A, X, Y), y + a * x));
    EXPECT_TRUE(near(transpose_mul(A, X), a.transpose() * x));
    EXPECT_TRUE(near(transpose(A), Matrix3d(a.transpose())));
    EXPECT_TRUE(near(skew(X) * Y, x.cross(y)));
    EXPECT_EQ(value(A(1, 2)), a(1, 2));
  }
}

// Reductions add all four lanes: the last one must stay zero, or sums are silently wrong.
TEST(Vec3, KeepsItsFourthLaneZero) {
  Random random(6);
  const Mat3d R(test::make_rotation(random));
  const Vec3d a(1.5, -2.5, 3.5), b(-0.5, 0.25, 8.0);
  const Sym3d s(3.0, 0.1, 0.2, 4.0, 0.3, 5.0);
  for (const Vec3d& x : {a + b, a - b, -a, 2.0 * a, madd(2.0, a, b), nmadd(2.0, a, b), cross(a, b),
                         cross2(a, b, b, a), R * a, transpose_mul(R, a), transpose(R).c[1],
                         skew(a).c[0], skew(a).c[1], skew(a).c[2], s * a, rotate(R, s).c[2],
                         inverse(s).c[0], madd_outer(2.0, a, s).c[1], add_diagonal(2.0, s).c[2]})
    EXPECT_EQ(x.e[3], 0.0);
}

TEST(Vec3, SetsOneEntry) {
  Vec3d a(1.0, 2.0, 3.0);
  a.set(1, 7.0);
  EXPECT_EQ(a.eigen(), Vector3d(1.0, 7.0, 3.0));
}

TEST(Simd, WritesOnlyTheFirstLanes) {
  for (int n = 1; n <= 4; ++n) {
    double out[6] = {-1, -1, -1, -1, -1, -1};
    store_first(out + 1, Double4{1, 2, 3, 4}, n);
    EXPECT_EQ(out[0], -1.0);
    for (int k = 0; k < 5; ++k) EXPECT_EQ(out[1 + k], k < n ? k + 1.0 : -1.0) << n << " " << k;
  }
}

TEST(Simd, SumsAndTransposes) {
  Double4 a{1, 2, 3, 4}, b{5, 6, 7, 8}, c{9, 10, 11, 12}, d{13, 14, 15, 16};
  EXPECT_EQ(sum4(a), 10.0);
  const Double4 sums = sum4x4(a, b, c, d);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(sums[k], 10.0 + 16.0 * k);
  transpose4(a, b, c, d);
  for (int k = 0; k < 4; ++k) {
    EXPECT_EQ(a[k], 1.0 + 4.0 * k);
    EXPECT_EQ(d[k], 4.0 + 4.0 * k);
  }
}

// One rounding, not two: 1 + 2^-30 squared, less the rounded square, leaves 2^-60.
TEST(Simd, FusesWhereAskedTo) {
  const double x = 1.0 + 0x1p-30, square = x * x;
  EXPECT_EQ(fms4(splat(x), splat(x), splat(square))[0], 0x1p-60);
  EXPECT_EQ(fma4(splat(x), splat(x), splat(-square))[1], 0x1p-60);
  EXPECT_EQ(fnma4(splat(x), splat(x), splat(square))[2], -0x1p-60);
  EXPECT_EQ(madd(x, x, -square), 0x1p-60);
}

}  // namespace
}  // namespace stance::kernel
