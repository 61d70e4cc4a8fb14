#pragma once

// Fingerprints of bytes: a short one against torn writes, a long one that names a file's content.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace stance::kernel {

// CRC-32C (Castagnoli's polynomial, for which processors have an instruction), going on from the
// value of the bytes before.
std::uint32_t calc_crc32c(std::span<const std::byte> bytes, std::uint32_t before = 0);

// SHA-256 (FIPS 180-4), as `sha256sum` prints it.
class Sha256 {
 public:
  void add(std::string_view bytes);
  std::string hex();  // of all bytes added; the end

 private:
  void take_block(const unsigned char* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> rest_{};
  std::uint64_t size_ = 0;  // bytes so far
};

std::string calc_sha256(std::string_view bytes);

// Of a file's content; throws stance::Error when it cannot be read.
std::string calc_file_sha256(const std::string& file);

}  // namespace stance::kernel
