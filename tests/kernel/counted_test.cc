// The counting scalar: every operation counts once, and nothing else does.

#include "stance/kernel/counted.h"

#include <gtest/gtest.h>

#include "stance/kernel/spatial.h"

namespace stance::kernel {
namespace {

template <class F>
OperationCount count(F f) {
  const OperationCount before = Counted::count();
  f();
  const OperationCount after = Counted::count();
  return {after.multiply - before.multiply, after.add - before.add};
}

void expect_count(const OperationCount& got, long long multiply, long long add) {
  EXPECT_EQ(got.multiply, multiply);
  EXPECT_EQ(got.add, add);
}

TEST(Counted, CountsEachOperationOnce) {
  Counted x = 3.0, y = 4.0;
  expect_count(count([&] { EXPECT_EQ((x * y).a, 12.0); }), 1, 0);
  expect_count(count([&] { EXPECT_EQ((x / y).a, 0.75); }), 1, 0);
  expect_count(count([&] { EXPECT_EQ((x + y).a, 7.0); }), 0, 1);
  expect_count(count([&] { EXPECT_EQ((x - y).a, -1.0); }), 0, 1);
  expect_count(count([&] { x += y; }), 0, 1);
  expect_count(count([&] { x -= y; }), 0, 1);
}

TEST(Counted, DoesNotCountSignsCopiesAndComparisons) {
  Counted x = 3.0, y;
  expect_count(count([&] {
                 y = -x;
                 EXPECT_TRUE(y < x);
                 EXPECT_TRUE(x > y);
               }),
               0, 0);
  EXPECT_EQ(y.a, -3.0);
}

// Textbook figures: a cross product is 6 multiplications and 3 additions, and so on.
TEST(Counted, CountsVectorAlgebraAsTextbooksDo) {
  const Vec3<Counted> a(1.0, 2.0, 3.0), b(4.0, 5.0, 6.0);
  expect_count(count([&] { (void)dot(a, b); }), 3, 2);
  expect_count(count([&] { (void)cross(a, b); }), 6, 3);
  const Mat3<Counted> m = Mat3<Counted>::identity();
  expect_count(count([&] { (void)(m * a); }), 9, 6);
  expect_count(count([&] { (void)(m * m); }), 27, 18);
  const ArticulatedInertia<Counted> inertia;
  const Motion<Counted> V{a, b};
  expect_count(count([&] { (void)(inertia * V); }), 36, 30);
}

}  // namespace
}  // namespace stance::kernel
