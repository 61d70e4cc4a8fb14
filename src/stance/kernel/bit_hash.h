#pragma once

// A hash of bits, to tell whether two runs did exactly the same. Four words at a time, so that a
// row of channels costs little; not for security.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace stance::kernel {

class BitHash {
 public:
  void add(std::uint64_t word) { mix(lanes_[next_++ & 3], word); }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(std::span<const double> values) {
    add(static_cast<std::uint64_t>(values.size()));
    std::size_t k = 0;
    for (; k + 4 <= values.size(); k += 4)
      for (std::size_t lane = 0; lane < 4; ++lane)
        mix(lanes_[lane], std::bit_cast<std::uint64_t>(values[k + lane]));
    for (; k < values.size(); ++k) add(values[k]);
  }

  std::uint64_t value() const {
    std::uint64_t out = next_;
    for (const std::uint64_t lane : lanes_) mix(out, lane);
    return out;
  }

 private:
  static void mix(std::uint64_t& lane, std::uint64_t word) {
    lane = (lane ^ word) * 0x9e3779b97f4a7c15ull;
    lane ^= lane >> 29;
  }

  std::array<std::uint64_t, 4> lanes_ = {1, 2, 3, 4};
  std::uint64_t next_ = 0;
};

}  // namespace stance::kernel
