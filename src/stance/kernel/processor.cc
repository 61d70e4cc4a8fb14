// This file alone is compiled for the plainest processor of the architecture, because it must run
// where the rest cannot: before any other code of ours, static constructors included, it checks
// that the processor has the instructions that the build was made for.

#include "stance/kernel/processor.h"

#include <string.h>
#include <unistd.h>

namespace stance::kernel {
namespace {

constexpr int kExit = 3;

void say(const char* text) {
  const ssize_t written = write(STDERR_FILENO, text, strlen(text));
  static_cast<void>(written);  // nobody to tell
}

}  // namespace

void end_unfit(const char* first, const char* second) {
  say("stance: "), say(first), say(second), say("\n");
  _exit(kExit);
}

#if defined(STANCE_BASELINE_X86_64_V3)

// Priority 101 is the first that programs may use.
__attribute__((constructor(101))) void check_processor() {
  __builtin_cpu_init();
  const char* missing = !__builtin_cpu_supports("avx2")   ? "AVX2"
                        : !__builtin_cpu_supports("fma")  ? "FMA"
                        : !__builtin_cpu_supports("bmi")  ? "BMI1"
                        : !__builtin_cpu_supports("bmi2") ? "BMI2"
                                                          : nullptr;
  if (!missing) return;
  say("stance: this processor does not have ");
  say(missing);
  say(", and this build needs it (x86-64-v3: Intel since Haswell, AMD since Excavator). Build it "
      "for this machine instead: cmake --preset release -DSTANCE_ARCH=native\n");
  _exit(kExit);
}

#else

void check_processor() {}

#endif

}  // namespace stance::kernel
