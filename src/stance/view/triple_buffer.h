#pragma once

// The newest of something, from one thread to one other, without locks: what was not looked at in
// time is overwritten.

#include <atomic>

namespace stance::view {

template <class T>
class TripleBuffer {
 public:
  // By the one who writes: fill in, then publish.
  T& back() { return slots_[back_]; }
  void publish() { back_ = middle_.exchange(back_ | kNew, std::memory_order_acq_rel) & kIndex; }

  // By the one who reads: the newest, if there is one that was not taken yet; it stays as it is
  // until the next call.
  const T* take() {
    if (!(middle_.load(std::memory_order_relaxed) & kNew)) return nullptr;
    front_ = middle_.exchange(front_, std::memory_order_acq_rel) & kIndex;
    return &slots_[front_];
  }

 private:
  static constexpr int kIndex = 3, kNew = 4;
  T slots_[3];
  int back_ = 0, front_ = 1;
  std::atomic<int> middle_{2};
};

}  // namespace stance::view
