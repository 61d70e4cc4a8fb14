#include "machine.h"

#include <fstream>

#include <fmt/format.h>

namespace stance::bench {
namespace {

std::string find_processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

std::string describe_compiler() {
#if defined(__clang__)
  return fmt::format("clang++ {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

}  // namespace

std::string describe_machine() {
  return fmt::format("{}, {}, {}", find_processor(), describe_compiler(), STANCE_BUILD_FLAGS);
}

}  // namespace stance::bench
