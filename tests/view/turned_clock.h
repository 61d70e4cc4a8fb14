#pragma once

// A clock that the test turns, for a simulation on a thread of its own: time stands while the
// thread works, and goes on from one of its sleeps to the next.

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>

#include "stance/view/clock.h"

namespace stance::view::testing {

class TurnedClock final : public Clock {
 public:
  std::int64_t now() override {
    const std::lock_guard lock(mutex_);
    return now_;
  }
  std::int64_t used() override { return 0; }
  void sleep_until(std::int64_t at) override {
    std::unique_lock lock(mutex_);
    if (is_released_) {
      now_ = at > now_ ? at : now_;
      return;
    }
    wakes_at_ = at, is_asleep_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return is_released_ || now_ >= at; });
    is_asleep_ = false;
    changed_.notify_all();
  }

  // Goes on by so many ns; returns when the thread sleeps beyond that.
  void turn(std::int64_t ns) {
    std::unique_lock lock(mutex_);
    const std::int64_t end = now_ + ns;
    for (;;) {
      if (!changed_.wait_for(lock, kPatience, [&] { return is_asleep_ && wakes_at_ > now_; }))
        throw std::runtime_error("the thread does not sleep");
      if (wakes_at_ > end) break;
      now_ = wakes_at_;
      changed_.notify_all();
    }
    now_ = end;
  }

  // Goes on by so many ns and waits for nobody.
  void nudge(std::int64_t ns) {
    const std::lock_guard lock(mutex_);
    now_ += ns;
    changed_.notify_all();
  }

  // From now on no sleep lasts.
  void release() {
    const std::lock_guard lock(mutex_);
    is_released_ = true;
    changed_.notify_all();
  }

 private:
  static constexpr auto kPatience = std::chrono::seconds(120);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t now_ = 1, wakes_at_ = 0;
  bool is_asleep_ = false, is_released_ = false;
};

}  // namespace stance::view::testing
