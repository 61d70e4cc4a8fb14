#include "stance/view/clock.h"

#include <time.h>

namespace stance::view {
namespace {

std::int64_t read(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return std::int64_t{1000000000} * t.tv_sec + t.tv_nsec;
}

class WallClock final : public Clock {
 public:
  std::int64_t now() override { return read(CLOCK_MONOTONIC); }
  std::int64_t used() override { return read(CLOCK_THREAD_CPUTIME_ID); }
  void sleep_until(std::int64_t at) override {
    const timespec t{at / 1000000000, at % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) != 0) {
    }
  }
};

}  // namespace

Clock& wall_clock() {
  static WallClock clock;
  return clock;
}

}  // namespace stance::view
