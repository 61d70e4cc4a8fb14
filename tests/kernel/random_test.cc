// The seeded generator: the published sequence, so that seeds mean the same everywhere.

#include "stance/kernel/random.h"

#include <gtest/gtest.h>

namespace stance::kernel {
namespace {

// First outputs of SplitMix64 from the seed 1234567, as Vigna's reference code prints them.
TEST(Random, IsSplitMix64) {
  Random random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317ull);
  EXPECT_EQ(random.next(), 3203168211198807973ull);
  EXPECT_EQ(random.next(), 9817491932198370423ull);
}

TEST(Random, UniformFillsItsInterval) {
  Random random(1);
  double low = 1.0, high = 0.0, sum = 0.0;
  constexpr int kDraws = 10000;
  for (int n = 0; n < kDraws; ++n) {
    const double x = random.uniform(-2.0, 3.0);
    ASSERT_GE(x, -2.0);
    ASSERT_LT(x, 3.0);
    low = std::min(low, x), high = std::max(high, x), sum += x;
  }
  EXPECT_LT(low, -1.99);
  EXPECT_GT(high, 2.99);
  // mean 0.5, standard deviation of the mean 5 / sqrt(12 n) = 0.0144: five of these
  EXPECT_NEAR(sum / kDraws, 0.5, 0.072);
}

TEST(Random, IntegersReachEveryValueAndNoOther) {
  Random random(2);
  int seen[5] = {};
  for (int n = 0; n < 1000; ++n) {
    const int k = random.integer(5);
    ASSERT_GE(k, 0);
    ASSERT_LT(k, 5);
    ++seen[k];
  }
  for (int count : seen) EXPECT_GT(count, 100);
}

}  // namespace
}  // namespace stance::kernel
