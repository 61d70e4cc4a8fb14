#pragma once

// A thread for what takes a while: reading scenes, finishing recordings.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace stance::view {

class Worker {
 public:
  using Job = std::function<void()>;  // must not throw

  Worker() : thread_([this] { work(); }) {}
  ~Worker() { stop(); }

  // One after the other, in this order. False when too many wait already.
  bool post(Job job, std::size_t most = 32) {
    {
      const std::lock_guard lock(mutex_);
      if (jobs_.size() >= most) return false;
      jobs_.push_back(std::move(job));
    }
    is_there_.notify_one();
    return true;
  }

  // Once all jobs are done.
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      is_done_ = true;
    }
    is_there_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

 private:
  void work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      is_there_.wait(lock, [this] { return is_done_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      const Job job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
    }
  }

  std::mutex mutex_;
  std::condition_variable is_there_;
  std::deque<Job> jobs_;
  bool is_done_ = false;
  std::thread thread_;
};

}  // namespace stance::view
