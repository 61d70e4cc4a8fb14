#pragma once

// A slot from one thread to another: the newest value wins. Three places; the writer has one, the
// reader has one, the third lies in between. No locks, no waiting, no memory.

#include <array>
#include <atomic>
#include <cstdint>

namespace stance::kernel {

template <class T>
class Newest {
 public:
  // By the one thread that writes: fills in what back() gives, then publishes it.
  T& back() { return places_[back_]; }
  void publish() { back_ = between_.exchange(back_ | kFresh, std::memory_order_acq_rel) & kPlace; }
  void write(const T& value) { back() = value, publish(); }

  // By the one thread that reads: the newest value if it was not seen before, else null. It stays
  // as it is until the next call.
  const T* take() {
    if (!(between_.load(std::memory_order_relaxed) & kFresh)) return nullptr;
    front_ = between_.exchange(front_, std::memory_order_acq_rel) & kPlace;
    return &places_[front_];
  }
  // The same, or the one seen last; says whether it is new.
  bool read(const T*& value) {
    const bool is_fresh = take() != nullptr;
    value = &places_[front_];
    return is_fresh;
  }

 private:
  static constexpr std::uint8_t kFresh = 4, kPlace = 3;

  std::array<T, 3> places_{};
  std::uint8_t back_ = 0, front_ = 1;  // of the writer, of the reader
  std::atomic<std::uint8_t> between_{2};
};

}  // namespace stance::kernel
