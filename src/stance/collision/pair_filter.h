#pragma once

// Which pairs of geometries may meet: a symmetric matrix of bits, looked at after the boxes
// overlap.

#include <cstdint>
#include <vector>

namespace stance::collision {

class PairFilter {
 public:
  PairFilter() = default;
  explicit PairFilter(int count)
      : words_((count + 63) / 64), bits_(static_cast<std::size_t>(count) * words_, ~0ull) {
    // no pairs with what does not exist
    if (count % 64 != 0)
      for (int a = 0; a < count; ++a)
        bits_[static_cast<std::size_t>(a + 1) * words_ - 1] = (1ull << count % 64) - 1;
  }

  bool allows(int a, int b) const { return row(a)[b >> 6] >> (b & 63) & 1; }
  const std::uint64_t* row(int a) const { return &bits_[static_cast<std::size_t>(a) * words_]; }
  void disable(int a, int b) { clear(a, b), clear(b, a); }

 private:
  void clear(int a, int b) {
    bits_[static_cast<std::size_t>(a) * words_ + (b >> 6)] &= ~(1ull << (b & 63));
  }

  int words_ = 0;
  std::vector<std::uint64_t> bits_;
};

}  // namespace stance::collision
