#pragma once

// The device's own thread: ticks of its loop on an absolute clock.

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "stance/haptics/device_loop.h"

namespace stance::haptics {

class DeviceThread {
 public:
  // Starts at once. The exchange must outlive it.
  DeviceThread(std::unique_ptr<Device> device, const LoopOptions& options, Exchange& exchange);
  ~DeviceThread();

  // Whether the system gave it real-time scheduling, in a sentence.
  const std::string& scheduling() const { return scheduling_; }
  // What is wrong with the device, if anything; from any thread.
  std::string trouble() const;
  std::uint64_t ticks() const { return ticks_.load(std::memory_order_relaxed); }
  std::uint64_t late() const { return late_.load(std::memory_order_relaxed); }  // by a period

 private:
  void run();

  std::unique_ptr<Device> device_;
  double period_;
  DeviceLoop loop_;
  std::string scheduling_;
  std::atomic<bool> should_stop_{false};
  std::atomic<std::uint64_t> ticks_{0}, late_{0};
  mutable std::mutex mutex_;  // of trouble_; the loop never waits for it
  std::string trouble_;
  std::thread thread_;
};

}  // namespace stance::haptics
