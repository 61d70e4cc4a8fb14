#include "stance/kernel/checksum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <vector>

#if defined(__SSE4_2__)
#include <nmmintrin.h>
#endif

#include <fmt/format.h>

#include "stance/kernel/error.h"

namespace stance::kernel {
namespace {

// ---- CRC-32C, eight bytes at a time -------------------------------------------------------------

using CrcTables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr CrcTables make_crc_tables() {
  CrcTables tables{};
  for (std::uint32_t n = 0; n < 256; ++n) {
    std::uint32_t c = n;
    for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ ((c & 1) ? 0x82f63b78u : 0u);
    tables[0][n] = c;
  }
  for (std::size_t t = 1; t < 8; ++t)
    for (std::size_t n = 0; n < 256; ++n)
      tables[t][n] = (tables[t - 1][n] >> 8) ^ tables[0][tables[t - 1][n] & 0xff];
  return tables;
}

constexpr CrcTables kCrc = make_crc_tables();

#if defined(__SSE4_2__)
std::uint32_t add_word(std::uint32_t crc, std::uint64_t word) {
  return static_cast<std::uint32_t>(_mm_crc32_u64(crc, word));
}
#else
std::uint32_t add_word(std::uint32_t crc, std::uint64_t word) {
  word ^= crc;
  crc = 0;
  for (int k = 0; k < 8; ++k) crc ^= kCrc[7 - k][(word >> (8 * k)) & 0xff];
  return crc;
}
#endif

// ---- SHA-256 ------------------------------------------------------------------------------------

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
std::array<std::uint32_t, 64> make_round_constants() {
  std::array<std::uint32_t, 64> out{};
  std::size_t count = 0;
  for (int n = 2; count < 64; ++n) {
    bool is_prime = true;
    for (int d = 2; d * d <= n; ++d) is_prime = is_prime && n % d != 0;
    if (!is_prime) continue;
    const long double root = std::cbrt(static_cast<long double>(n));
    out[count++] = static_cast<std::uint32_t>((root - std::floor(root)) * 4294967296.0L);
  }
  return out;
}

}  // namespace

std::uint32_t calc_crc32c(std::span<const std::byte> bytes, std::uint32_t before) {
  static_assert(std::endian::native == std::endian::little);
  std::uint32_t crc = ~before;
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    crc = add_word(crc, word);
  }
  for (; left > 0; ++at, --left)
    crc = (crc >> 8) ^ kCrc[0][(crc ^ static_cast<std::uint32_t>(*at)) & 0xff];
  return ~crc;
}

void Sha256::take_block(const unsigned char* block) {
  static const std::array<std::uint32_t, 64> kRound = make_round_constants();
  const auto turn = [](std::uint32_t x, int n) { return std::rotr(x, n); };
  std::array<std::uint32_t, 64> w{};
  for (int t = 0; t < 16; ++t)
    w[t] = std::uint32_t{block[4 * t]} << 24 | std::uint32_t{block[4 * t + 1]} << 16 |
           std::uint32_t{block[4 * t + 2]} << 8 | std::uint32_t{block[4 * t + 3]};
  for (int t = 16; t < 64; ++t) {
    const std::uint32_t s0 = turn(w[t - 15], 7) ^ turn(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const std::uint32_t s1 = turn(w[t - 2], 17) ^ turn(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (int t = 0; t < 64; ++t) {
    const std::uint32_t t1 =
        h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + kRound[t] + w[t];
    const std::uint32_t t2 =
        (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::uint32_t next[] = {a, b, c, d, e, f, g, h};
  for (int k = 0; k < 8; ++k) state_[k] += next[k];
}

void Sha256::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t at = size_ % 64, count = std::min(bytes.size(), 64 - at);
    std::memcpy(rest_.data() + at, bytes.data(), count);
    bytes.remove_prefix(count);
    size_ += count;
    if (size_ % 64 == 0) take_block(rest_.data());
  }
}

std::string Sha256::hex() {
  const std::uint64_t bits = 8 * size_;
  add(std::string_view("\x80", 1));
  while (size_ % 64 != 56) add(std::string_view("\0", 1));
  for (int k = 0; k < 8; ++k) rest_[56 + k] = static_cast<unsigned char>(bits >> (56 - 8 * k));
  take_block(rest_.data());
  std::string out;
  for (const std::uint32_t word : state_) out += fmt::format("{:08x}", word);
  return out;
}

std::string calc_sha256(std::string_view bytes) {
  Sha256 sum;
  sum.add(bytes);
  return sum.hex();
}

std::string calc_file_sha256(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw Error({file}, "the file cannot be read");
  Sha256 sum;
  std::vector<char> buffer(std::size_t{1} << 16);
  while (stream) {
    stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    sum.add({buffer.data(), static_cast<std::size_t>(stream.gcount())});
  }
  return sum.hex();
}

}  // namespace stance::kernel
