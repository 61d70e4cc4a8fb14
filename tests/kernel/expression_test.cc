// The recording scalar: what is recorded evaluates to what doubles give, and nothing can be decided
// by it.

#include "stance/kernel/expression.h"

#include <concepts>

#include <gtest/gtest.h>

#include "stance/kernel/rotation.h"

namespace stance::kernel {
namespace {

template <class T>
concept Decides = requires(T a, T b) {
  a < b;
}
|| requires(T a, T b) { a > b; }
|| requires(T a, T b) { a <= b; }
|| requires(T a, T b) { a >= b; }
|| requires(T a, T b) { a == b; }
|| requires(T a, T b) { a != b; }
|| requires(T a) { a < 0.0; }
|| std::constructible_from<bool, T> || std::convertible_to<T, double>;
static_assert(Decides<double>);
static_assert(!Decides<Expression>);

// Values of expressions in one input.
template <class F>
void expect_same(F f) {
  Expression::tape() = {};
  const Expression x = Expression::make_input(), y = f(x);
  std::vector<double> values;
  for (const double at : {-1.7, -0.4, 1e-9, 0.3, 2.5}) {
    Expression::tape().evaluate(std::span(&at, 1), values);
    EXPECT_DOUBLE_EQ(values[y.node()], f(at)) << at;
  }
}

TEST(Expression, EvaluatesToWhatDoublesGive) {
  expect_same([](auto x) { return x + 2.0 * x; });
  expect_same([](auto x) { return 1.0 - x / (x * x + 3.0); });
  expect_same([](auto x) { return -x; });
  expect_same([](auto x) {
    using std::atan2, std::cos, std::sin, std::sqrt;
    return atan2(sin(x), cos(x)) + sqrt(x * x + 1.0);
  });
  expect_same([](auto x) {
    auto sum = x;
    sum += x * x;
    sum -= 3.0;
    return sum;
  });
}

TEST(Expression, IsZeroUnlessItIsSet) {
  Expression::tape() = {};
  std::vector<double> values;
  const Expression nothing, zero = 0.0, four = 4.0;
  Expression::tape().evaluate({}, values);
  EXPECT_EQ(values[nothing.node()], 0.0);
  EXPECT_EQ(values[zero.node()], 0.0);
  EXPECT_EQ(values[four.node()], 4.0);
}

// Turns by small and by large angles, recorded once: both sides are on the tape.
TEST(Expression, TurnsByAnyAngle) {
  Expression::tape() = {};
  const Expression x = Expression::make_input(), y = Expression::make_input(),
                   z = Expression::make_input();
  const Vec3<Expression> r(x, y, z);
  const Quat<Expression> q = exp_quat(r);
  const Vec3<Expression> back = log_quat(Quat<Expression>{-q.w, -q.x, -q.y, -q.z});
  std::vector<double> values;
  for (const double size : {0.0, 1e-9, 1e-4, 0.9e-3, 1.1e-3, 0.5, 3.0}) {
    const Vec3d expected = size * Vec3d(0.6, 0.0, -0.8);
    const double input[] = {expected[0], expected[1], expected[2]};
    Expression::tape().evaluate(input, values);
    const Quat<double> turn = exp_quat(expected);
    EXPECT_NEAR(values[q.w.node()], turn.w, 1e-15);
    EXPECT_NEAR(values[q.x.node()], turn.x, 1e-15);
    EXPECT_NEAR(values[q.z.node()], turn.z, 1e-15);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(values[back[k].node()], expected[k], 1e-14) << size;
  }
}

}  // namespace
}  // namespace stance::kernel
