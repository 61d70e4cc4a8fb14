// The clock of the live simulation, and its account of how late steps began.

#include "stance/view/pacer.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace stance::view {
namespace {

// Time passes only here: a machine whose sleeps end to the nanosecond.
class HandClock final : public Clock {
 public:
  std::int64_t now() override { return now_; }
  std::int64_t used() override { return used_; }
  void sleep_until(std::int64_t at) override { now_ = std::max(now_, at); }

  void work(std::int64_t ns) { now_ += ns, used_ += ns; }
  void lose(std::int64_t ns) { now_ += ns; }  // the processor was taken away

 private:
  std::int64_t now_ = 1'000, used_ = 0;
};

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

// At any speed a step begins when it is due, whatever the steps before it took.
TEST(Pacer, StepsBeginWhenTheyAreDue) {
  for (const std::int64_t period : {1'000'000, 2'000'000, 10'000'000}) {
    HandClock clock;
    Pacer pacer(clock);
    pacer.restart();
    const std::int64_t from = clock.now();
    for (int k = 1; k <= 1000; ++k) {
      clock.work(k % 7 * 100'000);
      pacer.wait(period);
      EXPECT_EQ(clock.now(), from + k * period);
    }
    EXPECT_EQ(pacer.lateness().worst, 0);
    EXPECT_EQ(pacer.lateness().longest, 600'000);
  }
}

// A step that works for 5 ms of its 1 ms is to blame for those that follow until it is made up for.
TEST(Pacer, BlamesTheStepThatWorkedTooLong) {
  HandClock clock;
  Pacer pacer(clock);
  pacer.restart();
  for (int k = 0; k < 20; ++k) {
    if (k == 5) clock.work(5'000'000);
    pacer.wait(1'000'000);
  }
  const Lateness& late = pacer.lateness();
  EXPECT_EQ(late.longest, 5'000'000);
  EXPECT_EQ(late.longest_at, 6);
  EXPECT_EQ(late.worst, 4'000'000);
  EXPECT_EQ(late.too_late[Lateness::kWork], 3);  // by 4, 3 and 2 ms
  EXPECT_EQ(late.too_late[Lateness::kTaken], 0);
}

// Time that passes without the processor being used is not the step's fault.
TEST(Pacer, BlamesTheMachineForTimeThatWasTakenAway) {
  HandClock clock;
  Pacer pacer(clock);
  pacer.restart();
  for (int k = 0; k < 20; ++k) {
    if (k == 5) clock.lose(5'000'000);
    pacer.wait(1'000'000);
  }
  const Lateness& late = pacer.lateness();
  EXPECT_EQ(late.too_late[Lateness::kWork], 0);
  EXPECT_EQ(late.too_late[Lateness::kTaken], 3);
}

// After the clock ran away by more than 50 ms there is no race to catch up with it.
TEST(Pacer, LetsLostTimeGo) {
  HandClock clock;
  Pacer pacer(clock);
  pacer.restart();
  clock.lose(120'000'000);
  pacer.wait(1'000'000);
  const std::int64_t from = clock.now();
  for (int k = 0; k < 10; ++k) pacer.wait(1'000'000);
  EXPECT_EQ(clock.now() - from, 10'000'000);
}

// The one on the wall sleeps until then, and counts only what is worked for.
TEST(WallClock, SleepsAndCountsWork) {
  Clock& clock = wall_clock();
  const std::int64_t used = clock.used(), at = clock.now() + 2'000'000;
  clock.sleep_until(at);
  EXPECT_GE(clock.now(), at);
  while (clock.used() - used < 1'000'000) {
  }
  EXPECT_GE(clock.now(), at);
}

}  // namespace
}  // namespace stance::view
