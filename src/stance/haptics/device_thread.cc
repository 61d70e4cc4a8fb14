#include "stance/haptics/device_thread.h"

#include <pthread.h>
#include <sched.h>

#include <chrono>
#include <cstring>

namespace stance::haptics {
namespace {

using Clock = std::chrono::steady_clock;

// The thread that started a real-time one may not have the right to: then it stays as it is.
std::string ask_for_real_time(std::thread& thread) {
  sched_param param{};
  param.sched_priority = 80;
  const int error = pthread_setschedparam(thread.native_handle(), SCHED_FIFO, &param);
  if (error == 0) return "real-time (SCHED_FIFO, priority 80)";
  return std::string("not real-time: ") + std::strerror(error) +
         "; allow it by ulimit -r 80 or CAP_SYS_NICE";
}

}  // namespace

DeviceThread::DeviceThread(std::unique_ptr<Device> device, const LoopOptions& options,
                           Exchange& exchange)
    : device_(std::move(device)),
      period_(options.period),
      loop_(*device_, options, exchange),
      thread_([this] { run(); }) {
  scheduling_ = ask_for_real_time(thread_);
}

DeviceThread::~DeviceThread() {
  should_stop_ = true;
  thread_.join();
}

std::string DeviceThread::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

void DeviceThread::run() {
  const auto period =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(period_));
  const Clock::time_point began = Clock::now();
  Clock::time_point due = began;
  while (!should_stop_.load(std::memory_order_relaxed)) {
    std::this_thread::sleep_until(due);
    const Clock::time_point now = Clock::now();
    loop_.tick(std::chrono::duration<double>(now - began).count());
    const std::uint64_t ticks = ticks_.fetch_add(1, std::memory_order_relaxed);
    due += period;
    // what was missed is missed: ticks that run after each other at once help nobody
    if (Clock::now() > due + period) {
      late_.fetch_add(1, std::memory_order_relaxed);
      due = Clock::now() + period;
    }
    if (ticks % 128 == 0 && mutex_.try_lock()) {
      trouble_ = device_->trouble();
      mutex_.unlock();
    }
  }
}

}  // namespace stance::haptics
