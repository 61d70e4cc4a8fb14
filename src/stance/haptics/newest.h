#pragma once

// A slot from one thread to another: the newest value wins. Three places; the writer has one, the
// reader has one, the third lies in between. No locks, no waiting, no memory.

#include <array>
#include <atomic>
#include <cstdint>

namespace stance::haptics {

template <class T>
class Newest {
 public:
  // By the one thread that writes.
  void write(const T& value) {
    places_[back_] = value;
    back_ = between_.exchange(back_ | kFresh, std::memory_order_acq_rel) & kPlace;
  }

  // By the one thread that reads: the newest value, and whether it is one not seen before.
  bool read(const T*& value) {
    bool is_fresh = false;
    if (between_.load(std::memory_order_relaxed) & kFresh) {
      front_ = between_.exchange(front_, std::memory_order_acq_rel) & kPlace;
      is_fresh = true;
    }
    value = &places_[front_];
    return is_fresh;
  }

 private:
  static constexpr std::uint8_t kFresh = 4, kPlace = 3;

  std::array<T, 3> places_{};
  std::uint8_t back_ = 0, front_ = 1;  // of the writer, of the reader
  std::atomic<std::uint8_t> between_{2};
};

}  // namespace stance::haptics
