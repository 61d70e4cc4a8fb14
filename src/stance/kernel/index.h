#pragma once

#include <compare>

namespace stance::kernel {

// An int that knows what it counts: a BodyIndex does not pass for a FrameIndex.
// It reads as a plain int so that arrays can be indexed with it.
template <class Tag>
class Index {
 public:
  constexpr Index() = default;
  constexpr explicit Index(int value) : value_(value) {}

  constexpr operator int() const { return value_; }
  constexpr bool valid() const { return value_ >= 0; }
  constexpr auto operator<=>(const Index&) const = default;

 private:
  int value_ = -1;
};

}  // namespace stance::kernel
