#pragma once

// Records on their way from one thread to one other, without locks and without memory: the step
// puts them in, a writer takes them out.

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

namespace stance::run {

// A record is a kind and bytes, kept in one piece at a multiple of eight bytes.
class RecordRing {
 public:
  explicit RecordRing(std::size_t bytes)
      : size_(std::bit_ceil(bytes)), bytes_(new std::byte[size_]) {}

  std::size_t largest() const { return size_ / 4; }  // bytes that a record may have

  // By the one who puts in: room for a record, to be filled and then committed; null when there is
  // none now.
  std::byte* reserve(std::uint32_t kind, std::size_t length) {
    const std::uint64_t need = kHead + (length + 7) / 8 * 8;
    next_ = head_.load(std::memory_order_relaxed);
    const std::uint64_t to_end = size_ - next_ % size_;
    const std::uint64_t skip = to_end < need ? to_end : 0;
    if (next_ + skip + need - known_tail_ > size_) {
      known_tail_ = tail_.load(std::memory_order_acquire);
      if (next_ + skip + need - known_tail_ > size_) return nullptr;
    }
    if (skip > 0) put_head(next_, kSkip, skip - kHead), next_ += skip;
    put_head(next_, kind, length);
    std::byte* to = bytes_.get() + next_ % size_ + kHead;
    next_ += need;
    return to;
  }
  void commit() {
    const std::uint64_t length = next_ - head_.load(std::memory_order_relaxed);
    head_.store(next_, std::memory_order_release);
    // the next record will be like this one: its lines, which the other thread read, come meanwhile
    for (std::uint64_t k = 0; k < length; k += 64)
      __builtin_prefetch(bytes_.get() + (next_ + k) % size_, 1);
  }

  // Both at once, by copying. False when there is no room now.
  bool push(std::uint32_t kind, std::span<const std::byte> bytes) {
    std::byte* to = reserve(kind, bytes.size());
    if (!to) return false;
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    commit();
    return true;
  }

  // By the one who takes out: f(kind, bytes) for all that is there. Returns whether there was any.
  template <class F>
  bool drain(F&& f) {
    const std::uint64_t head = head_.load(std::memory_order_acquire);
    std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    const bool any = tail != head;
    while (tail != head) {
      const std::byte* at = bytes_.get() + tail % size_;
      std::uint32_t words[2];
      std::memcpy(words, at, kHead);
      if (words[0] != kSkip) f(words[0], std::span<const std::byte>(at + kHead, words[1]));
      tail += kHead + (words[1] + 7ull) / 8 * 8;
    }
    tail_.store(tail, std::memory_order_release);
    return any;
  }

  // Bytes that wait.
  std::size_t used() const {
    return head_.load(std::memory_order_acquire) - tail_.load(std::memory_order_acquire);
  }

 private:
  static constexpr std::uint64_t kHead = 8;
  static constexpr std::uint32_t kSkip = 0xffffffffu;  // up to the end of the ring

  void put_head(std::uint64_t at, std::uint32_t kind, std::uint64_t length) {
    const std::uint32_t words[2] = {kind, static_cast<std::uint32_t>(length)};
    std::memcpy(bytes_.get() + at % size_, words, kHead);
  }

  const std::uint64_t size_;
  std::unique_ptr<std::byte[]> bytes_;
  // each on its own cache line: the two threads write one each
  alignas(64) std::atomic<std::uint64_t> head_{0};
  std::uint64_t known_tail_ = 0, next_ = 0;
  alignas(64) std::atomic<std::uint64_t> tail_{0};
};

}  // namespace stance::run
