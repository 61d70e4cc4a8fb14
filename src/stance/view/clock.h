#pragma once

// The clock that a live simulation keeps to: the one on the wall, or in tests one that is turned by
// hand, so that what they find does not depend on how busy the machine is.

#include <cstdint>

namespace stance::view {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t now() = 0;   // ns, from some time on
  virtual std::int64_t used() = 0;  // ns of a processor's time that the calling thread has used
  virtual void sleep_until(std::int64_t at) = 0;  // ns, as now()
};

Clock& wall_clock();  // CLOCK_MONOTONIC

}  // namespace stance::view
