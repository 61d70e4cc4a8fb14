#pragma once

// A stopwatch with laps: how long each of n stages took in all. For whoever wants to know; those
// who work hold a pointer to it that is null otherwise, so that nothing looks at a clock.

#include <array>
#include <chrono>
#include <cstdint>

namespace stance::kernel {

template <int n>
class LapTimer {
 public:
  struct Stage {
    std::int64_t laps = 0;
    std::int64_t nanoseconds = 0;
  };

  // From now on; what passes between the end of a lap and this counts for nobody.
  void start() { last_ = Clock::now(); }

  // Since the start or the end of the last lap: that was stage k.
  void end_lap(int k) {
    const Clock::time_point now = Clock::now();
    stages_[k].nanoseconds +=
        std::chrono::duration_cast<std::chrono::nanoseconds>(now - last_).count();
    ++stages_[k].laps;
    last_ = now;
  }

  const std::array<Stage, n>& stages() const { return stages_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_{};
  std::array<Stage, n> stages_{};
};

}  // namespace stance::kernel
