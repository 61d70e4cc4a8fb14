#pragma once

// Keeps steps to the clock: absolute times, so that errors do not add up. Who is late catches up,
// but not by more than 50 ms: after that time is let go.

#include <time.h>

#include <array>
#include <cmath>
#include <cstdint>

namespace stance::view {

inline std::int64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{1000000000} * t.tv_sec + t.tv_nsec;
}

// How late steps began, in buckets of powers of two microseconds.
struct Lateness {
  std::array<std::int64_t, 24> count{};
  std::int64_t worst = 0;                // ns
  std::int64_t steps = 0, overruns = 0;  // overruns: the step before took longer than its time

  void add(std::int64_t ns) {
    int bucket = 0;
    for (std::int64_t us = ns / 1000; us > 0 && bucket < 23; us >>= 1) ++bucket;
    ++count[static_cast<std::size_t>(bucket)];
    if (ns > worst) worst = ns;
  }
  // us below which this share of the steps began, rounded up to a power of two.
  double quantile(double share) const {
    std::int64_t all = 0, sum = 0;
    for (const std::int64_t n : count) all += n;
    for (std::size_t k = 0; k < count.size(); ++k) {
      sum += count[k];
      if (static_cast<double>(sum) >= share * static_cast<double>(all)) return std::exp2(k);
    }
    return 0.0;
  }
};

class Pacer {
 public:
  static constexpr std::int64_t kMostLate = 50'000'000;  // ns

  void restart() { next_ = now_ns(); }

  // Waits until the next step is due, `period` ns after the one before.
  void wait(std::int64_t period) {
    next_ += period;
    std::int64_t now = now_ns();
    if (now - next_ > kMostLate) next_ = now;
    ++lateness_.steps;
    if (now < next_) {
      sleep_until(next_);
      now = now_ns();
    } else {
      ++lateness_.overruns;
    }
    lateness_.add(now > next_ ? now - next_ : 0);
  }

  static void sleep_until(std::int64_t at) {
    const timespec t{at / 1000000000, at % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) != 0) {
    }
  }

  const Lateness& lateness() const { return lateness_; }

 private:
  std::int64_t next_ = 0;
  Lateness lateness_;
};

}  // namespace stance::view
