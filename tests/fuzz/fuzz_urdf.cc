// Any bytes at all as a robot description: never a crash, a hang, a leak, an exception that is not
// stance::Error, or a model with numbers that are not finite.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "stance/io/urdf.h"

#include "io/finite_robot.h"

namespace {

void demand(bool fine, const std::string& what) {
  if (fine) return;
  std::fprintf(stderr, "fuzz_urdf: %s\n", what.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stance;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const io::UrdfReport report = io::check_urdf_text(text, "fuzz.urdf", {});
  demand(report.robot.has_value() == report.errors.empty(), "a robot and errors, or neither");
  if (report.robot) {
    const std::string bad = io::testing::find_non_finite(*report.robot);
    demand(bad.empty(), "not a finite number: " + bad);
    return 0;
  }
  // what is refused is refused by an exception that says why
  try {
    io::parse_urdf(text, "fuzz.urdf", {});
    demand(false, "errors, yet a robot");
  } catch (const Error& error) {
    demand(*error.what() != '\0', "an error without words");
  }
  return 0;
}
