#pragma once

// Numbers and texts into bytes and back, little-endian (as every machine is that Stance is built
// for). What is read is never trusted: a reader that comes to an end throws.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "stance/kernel/error.h"

namespace stance::kernel {

static_assert(std::endian::native == std::endian::little);

inline void append_bytes(const void* from, std::size_t size, std::vector<std::byte>& out) {
  const std::size_t at = out.size();
  out.resize(at + size);
  if (size > 0) std::memcpy(out.data() + at, from, size);
}

// A number, or a struct of numbers without gaps.
template <class T>
requires std::is_trivially_copyable_v<T>
void append(const T& value, std::vector<std::byte>& out) {
  append_bytes(&value, sizeof value, out);
}

// Length (32 bits) and letters.
inline void append_text(std::string_view text, std::vector<std::byte>& out) {
  append(static_cast<std::uint32_t>(text.size()), out);
  append_bytes(text.data(), text.size(), out);
}

class ByteReader {
 public:
  // Messages begin with `what`: "the state".
  ByteReader(std::span<const std::byte> bytes, std::string_view what) : rest_(bytes), what_(what) {}

  std::span<const std::byte> take(std::uint64_t size) {
    if (size > rest_.size()) throw Error(std::string(what_) + " is damaged: it ends too early");
    const std::span<const std::byte> out = rest_.first(size);
    rest_ = rest_.subspan(size);
    return out;
  }
  template <class T>
  T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view take_text() {
    const auto text = take(take<std::uint32_t>());
    return {reinterpret_cast<const char*>(text.data()), text.size()};
  }
  std::size_t left() const { return rest_.size(); }

 private:
  std::span<const std::byte> rest_;
  std::string_view what_;
};

}  // namespace stance::kernel
