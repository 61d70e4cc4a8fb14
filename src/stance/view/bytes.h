#pragma once

// Numbers into bytes, little-endian as docs/protocol.md says (and as every machine is that Stance
// is built for).

#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

namespace stance::view {

static_assert(std::endian::native == std::endian::little);

using Bytes = std::vector<std::byte>;

template <class T>
void put(Bytes& out, T value) {
  static_assert(std::is_arithmetic_v<T>);
  const std::size_t at = out.size();
  out.resize(at + sizeof value);
  std::memcpy(out.data() + at, &value, sizeof value);
}

template <class T>
void put_at(Bytes& out, std::size_t at, T value) {
  std::memcpy(out.data() + at, &value, sizeof value);
}

template <class T>
T get_at(const std::byte* bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes + at, sizeof value);
  return value;
}

}  // namespace stance::view
