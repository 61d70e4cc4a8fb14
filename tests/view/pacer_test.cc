// The clock of the live simulation, and its account of how late steps began.

#include "stance/view/pacer.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace stance::view {
namespace {

void work_for(std::int64_t ns) {
  const std::int64_t until = read_clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;
  while (read_clock_ns(CLOCK_THREAD_CPUTIME_ID) < until) {
  }
}

// Every lateness lies in the bucket whose edges are around it, and those are within an eighth.
TEST(Lateness, BucketsHoldWhatTheirEdgesSay) {
  for (std::int64_t us = 0; us < 3'000'000; us += 1 + us / 50) {
    const std::size_t k = Lateness::find_bucket(1000 * us);
    EXPECT_LT(static_cast<double>(us), Lateness::find_edge(k)) << us;
    if (k == 0) continue;
    const double below = Lateness::find_edge(k - 1);
    EXPECT_GE(static_cast<double>(us), below) << us;
    EXPECT_LE(Lateness::find_edge(k), std::max(below + 1.0, 1.126 * below)) << us;
  }
}

TEST(Lateness, QuantilesAreWithinAnEighth) {
  Lateness late;
  for (int us = 1; us <= 1000; ++us) late.add(1000 * us, Lateness::kSleep);
  EXPECT_GE(late.quantile(0.5), 500.0);
  EXPECT_LE(late.quantile(0.5), 563.0);
  EXPECT_GE(late.quantile(0.999), 999.0);
  EXPECT_EQ(late.steps, 1000);
}

// A step that works for 5 ms of its 1 ms is to blame for those that follow until it is made up for.
TEST(Pacer, BlamesTheStepThatWorkedTooLong) {
  Pacer pacer;
  pacer.restart();
  for (int k = 0; k < 20; ++k) {
    if (k == 5) work_for(5'000'000);
    pacer.wait(1'000'000);
  }
  const Lateness& late = pacer.lateness();
  EXPECT_GE(late.longest, 5'000'000);
  EXPECT_GE(late.worst, 4'000'000);
  EXPECT_GE(late.too_late[Lateness::kWork], 3);
}

// Time that passes without the processor being used is not the step's fault.
TEST(Pacer, BlamesTheMachineForTimeThatWasTakenAway) {
  Pacer pacer;
  pacer.restart();
  for (int k = 0; k < 20; ++k) {
    if (k == 5) Pacer::sleep_until(now_ns() + 5'000'000);
    pacer.wait(1'000'000);
  }
  const Lateness& late = pacer.lateness();
  EXPECT_EQ(late.too_late[Lateness::kWork], 0);
  EXPECT_GE(late.too_late[Lateness::kTaken], 3);
}

// After the clock ran away by more than 50 ms there is no race to catch up with it.
TEST(Pacer, LetsLostTimeGo) {
  Pacer pacer;
  pacer.restart();
  Pacer::sleep_until(now_ns() + 120'000'000);
  pacer.wait(1'000'000);
  const std::int64_t from = now_ns();
  for (int k = 0; k < 10; ++k) pacer.wait(1'000'000);
  EXPECT_GE(now_ns() - from, 9'000'000);
}

}  // namespace
}  // namespace stance::view
