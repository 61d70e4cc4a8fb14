// Any text at all as a scene: never a crash, a hang, a leak, or an exception that is not
// stance::Error; what is read can be stepped, or says why not.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "stance/io/scene.h"
#include "stance/kernel/error.h"
#include "stance/run/simulation.h"

namespace {

void demand(bool fine, const char* what) {
  if (fine) return;
  std::fprintf(stderr, "fuzz_scene: %s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stance;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // thousands of bodies are legal and slow
  if (size > 20000 || text.find("copies") != std::string_view::npos) return 0;
  try {
    run::Simulation run(io::parse_scene(text, "fuzz.yaml"));
    demand(run.spec().step > 0.0 && std::isfinite(run.spec().duration), "times that are none");
    for (int k = 0; k < 3; ++k) (void)run.step();
    for (const double value : run.state().q) demand(std::isfinite(value), "a place that is none");
  } catch (const Error& error) {
    demand(*error.what() != '\0', "an error without words");
  }
  return 0;
}
