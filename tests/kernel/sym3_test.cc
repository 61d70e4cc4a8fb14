// Symmetric 3x3 matrices: columns for double, a triangle for other scalars, both against Eigen.

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "stance/kernel/counted.h"
#include "stance/kernel/vec3.h"

#include "support/random_forest.h"

namespace stance::kernel {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using test::make_vector;

constexpr double kRounding = 1e-13;  // entries below 10, sums of nine terms

Matrix3d value(const Sym3<double>& a) { return a.full().eigen(); }
Matrix3d value(const Sym3<Counted>& a) {
  Matrix3d m;
  m << a.xx.a, a.xy.a, a.xz.a, a.xy.a, a.yy.a, a.yz.a, a.xz.a, a.yz.a, a.zz.a;
  return m;
}

template <class T>
Sym3<T> from(const Matrix3d& a) {
  return Sym3<T>(Sym3d(a(0, 0), a(0, 1), a(0, 2), a(1, 1), a(1, 2), a(2, 2)));
}

template <class T>
class Sym3On : public testing::Test {};
using Scalars = testing::Types<double, Counted>;
TYPED_TEST_SUITE(Sym3On, Scalars);

TYPED_TEST(Sym3On, AgreesWithEigen) {
  using T = TypeParam;
  Random random(7);
  for (int n = 0; n < 100; ++n) {
    const Matrix3d a = test::make_inertia(random, 2.0, 1.0);
    const Matrix3d r = test::make_rotation(random);
    const Vector3d x = make_vector(random, 3, 2.0), y = make_vector(random, 3, 2.0);
    const Sym3<T> A = from<T>(a);
    const Mat3<T> R{Mat3d(r)};
    const Vec3<T> X{Vec3d(x)}, Y{Vec3d(y)};
    const double s = random.uniform(-2.0, 2.0);
    EXPECT_LT((value(rotate(R, A)) - r * a * r.transpose()).norm(), kRounding);
    EXPECT_LT((value(madd_outer(T(s), X, A)) - (a + s * x * x.transpose())).norm(), kRounding);
    EXPECT_LT((value(add_diagonal(T(s), A)) - (a + s * Matrix3d::Identity())).norm(), kRounding);
    EXPECT_LT((value(Sym3<T>::diagonal(T(s))) - s * Matrix3d::Identity()).norm(), kRounding);
    Sym3<T> sum = A;
    sum += A;
    EXPECT_LT((value(sum) - 2.0 * a).norm(), kRounding);
    const auto vector = [](const Vec3<T>& v) {
      return value(madd_outer(T(0), v, Sym3<T>(v[0], T(0), T(0), v[1], T(0), v[2])))
          .diagonal()
          .eval();
    };
    EXPECT_LT((vector(A * X) - a * x).norm(), kRounding);
    EXPECT_LT((vector(madd(A, X, Y)) - (y + a * x)).norm(), kRounding);
    EXPECT_LT((vector(A.column(1)) - a.col(1)).norm(), kRounding);
  }
}

TYPED_TEST(Sym3On, InverseTimesItselfIsOne) {
  using T = TypeParam;
  Random random(8);
  for (int n = 0; n < 200; ++n) {
    const Matrix3d a = test::make_inertia(random, 2.0, 1.0);
    const Matrix3d inverted = value(inverse(from<T>(a)));
    // make_inertia keeps the condition number below 20
    EXPECT_LT((inverted * a - Matrix3d::Identity()).norm(), 1e-12);
  }
}

// Cofactors need no pivots, at a price: the determinant's error is the cube of the largest moment
// times rounding, so the inverse's grows with largest^2 / (middle * smallest). A thin rod, the
// worst that robots are made of, has (1, 1, 1e-4).
TEST(Sym3, InverseLosesNoMoreThanItsDeterminant) {
  Random random(9);
  for (const Vector3d& moments : {Vector3d(1.0, 1.0, 1e-2), Vector3d(1.0, 1.0, 1e-4),
                                  Vector3d(1.0, 1.0, 1e-8), Vector3d(1.0, 1e-3, 1e-3)})
    for (int n = 0; n < 20; ++n) {
      const Matrix3d r = test::make_rotation(random);
      const Matrix3d a = r * moments.asDiagonal() * r.transpose();
      const Matrix3d expected = r * moments.cwiseInverse().asDiagonal() * r.transpose();
      const Matrix3d got = value(inverse(from<double>(0.5 * (a + a.transpose()))));
      const double loss = 1.0 / (moments[1] * moments[2]);
      EXPECT_LT((got - expected).norm() / expected.norm(), 4e-16 * loss) << moments.transpose();
    }
}

}  // namespace
}  // namespace stance::kernel
