#pragma once

// Whether a program, its headers, the library and the processor belong together. Headers of another
// version, or code compiled for another instruction set (which gives vectors another layout in
// memory), would read wrong numbers without a word.

#include <cstdint>

// The version of Stance: the one place that tells it (CMakeLists.txt reads it here).
#define STANCE_VERSION_MAJOR 0
#define STANCE_VERSION_MINOR 1
#define STANCE_VERSION_PATCH 0

namespace stance::kernel {

// A version, and the instruction set it was compiled for.
struct BuildInfo {
  std::int32_t major = 0, minor = 0, patch = 0;
  std::uint32_t features = 0;  // kAvx, ...
};

enum : std::uint32_t { kAvx = 1, kAvx2 = 2, kFma = 4, kAvx512 = 8, kBmi2 = 16 };

// Of these headers, and what the compiler was told it may use, here.
constexpr BuildInfo make_build_info() {
  BuildInfo out{STANCE_VERSION_MAJOR, STANCE_VERSION_MINOR, STANCE_VERSION_PATCH, 0};
#if defined(__AVX__)
  out.features |= kAvx;
#endif
#if defined(__AVX2__)
  out.features |= kAvx2;
#endif
#if defined(__FMA__)
  out.features |= kFma;
#endif
#if defined(__AVX512F__)
  out.features |= kAvx512;
#endif
#if defined(__BMI2__)
  out.features |= kBmi2;
#endif
  return out;
}

// Of the library.
BuildInfo find_library_build();

// What is wrong with a program or plugin that was built so, in a sentence; empty: nothing.
struct Misfit {
  char text[320] = "";
};
Misfit find_misfit(const BuildInfo& user);

// Ends the program with a sentence and exit code 3 when something is wrong. That the processor has
// what the library needs is checked even before, ahead of all static constructors.
struct LibraryCheck {
  explicit LibraryCheck(const BuildInfo& user);
};

}  // namespace stance::kernel
