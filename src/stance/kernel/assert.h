#pragma once

// The two macros of the code base. STANCE_ASSERT guards assumptions of the code itself and
// vanishes in release builds; STANCE_DEMAND stays and is for contracts whose breach would
// corrupt results silently (sizes, indices at the public interface).

#include <cstdio>
#include <cstdlib>

namespace stance::kernel {

[[noreturn]] inline void fail(const char* kind, const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: %s failed: %s\n", file, line, kind, condition);
  std::abort();
}

}  // namespace stance::kernel

#define STANCE_DEMAND(condition) \
  ((condition) ? void(0) : ::stance::kernel::fail("demand", #condition, __FILE__, __LINE__))

#ifdef NDEBUG
#define STANCE_ASSERT(condition) void(0)
#else
#define STANCE_ASSERT(condition) \
  ((condition) ? void(0) : ::stance::kernel::fail("assert", #condition, __FILE__, __LINE__))
#endif
