#pragma once

// Keeps steps to the clock: absolute times, so that errors do not add up. Who is late catches up,
// but not by more than 50 ms: after that time is let go.

#include <array>
#include <bit>
#include <cstdint>

#include "stance/view/clock.h"

namespace stance::view {

// How late steps began, and why.
struct Lateness {
  static constexpr std::int64_t kTooLate = 1'000'000;  // ns
  // Why steps began more than kTooLate late: something before them used the processor for longer
  // than its time; something before them should not have, but the processor was taken away
  // meanwhile (other threads, the host of a virtual machine); the sleep was over too late.
  enum Cause { kWork, kTaken, kSleep };

  std::array<std::int64_t, 200> count{};   // by find_bucket
  std::array<std::int64_t, 3> too_late{};  // by Cause
  std::int64_t worst = 0;                  // ns
  std::int64_t longest = 0;                // ns of processor time that a step took, all included
  std::int64_t longest_at = 0;             // which step that was
  std::int64_t steps = 0, overruns = 0;    // overruns: began when the one before was not over

  // Whole microseconds to 8, then eight buckets an octave.
  static std::size_t find_bucket(std::int64_t ns) {
    const auto us = static_cast<std::uint64_t>(ns < 0 ? 0 : ns / 1000);
    if (us < 8) return us;
    const int octave = std::bit_width(us) - 1;
    const std::size_t k = 8 * static_cast<std::size_t>(octave - 2) + ((us >> (octave - 3)) & 7);
    return k < 200 ? k : 199;
  }
  // us, that everything in a bucket is below.
  static double find_edge(std::size_t k) {
    if (k < 8) return static_cast<double>(k + 1);
    return static_cast<double>((9 + k % 8) << (k / 8 - 1));
  }

  void add(std::int64_t ns, Cause cause) {
    ++steps;
    ++count[find_bucket(ns)];
    if (ns > worst) worst = ns;
    if (ns > kTooLate) ++too_late[cause];
  }
  // us, less than which this share of the steps began late.
  double quantile(double share) const {
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < count.size(); ++k) {
      sum += count[k];
      if (static_cast<double>(sum) >= share * static_cast<double>(steps)) return find_edge(k);
    }
    return 0.0;
  }
};

class Pacer {
 public:
  static constexpr std::int64_t kMostLate = 50'000'000;  // ns

  explicit Pacer(Clock& clock) : clock_(clock) {}

  void restart() { next_ = clock_.now(), begin(); }

  // Waits until the next step is due, `period` ns after the one before.
  void wait(std::int64_t period) {
    next_ += period;
    std::int64_t now = clock_.now();
    const std::int64_t used = clock_.used() - used_;
    if (used > lateness_.longest)
      lateness_.longest = used, lateness_.longest_at = lateness_.steps + 1;
    if (now - next_ > kMostLate) next_ = now;
    // who is late stays so for the reason that began it
    const bool is_over = now < next_;
    if (is_over) {
      clock_.sleep_until(next_);
      now = clock_.now();
      cause_ = Lateness::kSleep;
    } else {
      ++lateness_.overruns;
      if (used > period)
        cause_ = Lateness::kWork;
      else if (!is_late_)
        cause_ = Lateness::kTaken;
    }
    is_late_ = now - next_ > period / 2;
    lateness_.add(now > next_ ? now - next_ : 0, cause_);
    begin();
  }

  const Lateness& lateness() const { return lateness_; }

 private:
  void begin() { used_ = clock_.used(); }

  Clock& clock_;
  std::int64_t next_ = 0, used_ = 0;
  bool is_late_ = false;
  Lateness::Cause cause_ = Lateness::kSleep;
  Lateness lateness_;
};

}  // namespace stance::view
