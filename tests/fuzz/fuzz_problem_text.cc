// Any bytes at all as a Siconos .dat file: never a crash, a hang, a leak, an exception that is not
// stance::Error, or a problem that a solver could not take.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "stance/io/siconos_dat.h"
#include "stance/kernel/error.h"
#include "stance/solver/residual.h"

namespace {

void demand(bool fine, const char* what) {
  if (fine) return;
  std::fprintf(stderr, "fuzz_problem_text: %s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stance;
  try {
    const solver::ContactProblem problem =
        io::parse_siconos_dat({reinterpret_cast<const char*>(data), size}, "fuzz.dat");
    demand(problem.q.size() == problem.blocks.size(), "q and blocks differ in size");
    demand(problem.W.num_rows() == problem.num_blocks(), "W and blocks differ in size");
    // reads all of it
    if (find_fault(problem).empty()) {
      const std::vector<solver::Vec3d> p(problem.num_blocks(), solver::Vec3d(1.0, 0.1, 0.1));
      (void)calc_residual(problem, p);
    }
  } catch (const Error& error) {
    demand(std::string_view(error.what()).starts_with("fuzz.dat"), "an error without its file");
  }
  return 0;
}
