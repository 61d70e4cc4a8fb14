#include "stance/kernel/library_check.h"

#include <cstdio>

#include "stance/kernel/processor.h"

namespace stance::kernel {
namespace {

const char* name_set(std::uint32_t features) {
  if (features & kAvx512) return "AVX-512";
  if ((features & kAvx2) && (features & kFma)) return "AVX2 and FMA";
  if (features & kAvx) return "AVX";
  return "no AVX";
}

}  // namespace

BuildInfo find_library_build() { return make_build_info(); }

Misfit find_misfit(const BuildInfo& user) {
  const BuildInfo own = find_library_build();
  Misfit out;
  if (user.major != own.major || user.minor != own.minor || user.patch != own.patch)
    std::snprintf(out.text, sizeof out.text,
                  "it was compiled with the headers of Stance %d.%d.%d, and this library is Stance "
                  "%d.%d.%d; compile it again with the headers that belong to the library",
                  user.major, user.minor, user.patch, own.major, own.minor, own.patch);
  else if (user.features != own.features)
    std::snprintf(
        out.text, sizeof out.text,
        "it was compiled for another instruction set (%s) than this library (%s), so "
        "that vectors would differ in memory; link the CMake target stance::stance, which "
        "has the right flags, and leave out -march",
        name_set(user.features), name_set(own.features));
  return out;
}

LibraryCheck::LibraryCheck(const BuildInfo& user) {
  const Misfit misfit = find_misfit(user);
  check_processor();  // so that its file is linked, whose constructor did it already
  if (misfit.text[0]) end_unfit("this program cannot use the Stance library: ", misfit.text);
}

}  // namespace stance::kernel
