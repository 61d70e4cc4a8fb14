#pragma once

// A bounded queue from one thread to one other, without locks.

#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

namespace stance::view {

template <class T>
class SpscQueue {
 public:
  explicit SpscQueue(std::size_t places) : items_(places + 1) {}

  // By the one who puts in; false, and `item` as it was, when there is no room.
  bool push(T& item) {
    const std::size_t at = head_.load(std::memory_order_relaxed), next = (at + 1) % items_.size();
    if (next == tail_.load(std::memory_order_acquire)) return false;
    items_[at] = std::move(item);
    head_.store(next, std::memory_order_release);
    return true;
  }

  // By the one who takes out; false when there is none.
  bool pop(T& item) {
    const std::size_t at = tail_.load(std::memory_order_relaxed);
    if (at == head_.load(std::memory_order_acquire)) return false;
    item = std::move(items_[at]);
    tail_.store((at + 1) % items_.size(), std::memory_order_release);
    return true;
  }

 private:
  std::vector<T> items_;
  alignas(64) std::atomic<std::size_t> head_{0};
  alignas(64) std::atomic<std::size_t> tail_{0};
};

}  // namespace stance::view
