// FCLIB files whose data sets hold anything, or are not there: never a crash, a hang, a leak, or an
// exception that is not stance::Error.
//
// The bytes are a recipe for a file that HDF5 itself writes, so that the reader behind it is tried:
// raw bytes would try the HDF5 library. A recipe is a list of data sets, each
//   PATH COUNT VALUE*      the path by its number in kPaths, the count and the values one byte each
// and a value stands for a number of kValues.

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "stance/io/contact_problem.h"
#include "stance/io/hdf5_file.h"
#include "stance/kernel/error.h"
#include "stance/solver/residual.h"

namespace {

using stance::io::Hdf5File;

constexpr const char* kPaths[] = {"/fclib_local/spacedim",
                                  "/fclib_local/W/m",
                                  "/fclib_local/W/n",
                                  "/fclib_local/W/nz",
                                  "/fclib_local/W/p",
                                  "/fclib_local/W/i",
                                  "/fclib_local/W/x",
                                  "/fclib_local/vectors/q",
                                  "/fclib_local/vectors/mu",
                                  "/stance/law",
                                  "/stance/rows",
                                  "/stance/mu_rolling",
                                  "/stance/bound",
                                  "/stance/normal",
                                  "/fclib_global/spacedim",
                                  "/fclib_global/M/m",
                                  "/fclib_global/M/n",
                                  "/fclib_global/M/nz",
                                  "/fclib_global/M/p",
                                  "/fclib_global/M/i",
                                  "/fclib_global/M/x",
                                  "/fclib_global/H/m",
                                  "/fclib_global/H/n",
                                  "/fclib_global/H/nz",
                                  "/fclib_global/H/p",
                                  "/fclib_global/H/i",
                                  "/fclib_global/H/x",
                                  "/fclib_global/G/m",
                                  "/fclib_global/G/n",
                                  "/fclib_global/G/nz",
                                  "/fclib_global/G/p",
                                  "/fclib_global/G/i",
                                  "/fclib_global/G/x",
                                  "/fclib_global/vectors/f",
                                  "/fclib_global/vectors/w",
                                  "/fclib_global/vectors/mu",
                                  "/fclib_global/vectors/b",
                                  "/fclib_local/V/m",
                                  "/fclib_local",
                                  "/solution/r",
                                  "/solution/u"};

// 0 to 199 are themselves, less 20; the rest are strange.
double find_value(std::uint8_t byte) {
  constexpr double kStrange[] = {0.5,           0.1,  1e-300, 1e300, 1e10, 2147483647.0,
                                 -2147483648.0, 1e-9, -0.0,   3e6,   1e6,  0.3};
  if (byte < 200) return byte - 20.0;
  if (byte == 255) return std::numeric_limits<double>::quiet_NaN();
  if (byte == 254) return std::numeric_limits<double>::infinity();
  return kStrange[byte % std::size(kStrange)];
}

void demand(bool fine, const std::string& what) {
  if (fine) return;
  std::fprintf(stderr, "fuzz_problem_hdf5: %s\n", what.c_str());
  std::abort();
}

bool is_whole(const std::vector<double>& values) {
  for (const double x : values)
    if (!(x >= -2147483648.0 && x <= 2147483647.0) || x != static_cast<int>(x)) return false;
  return true;
}

void write_file(const std::uint8_t* data, std::size_t size, const std::string& file) {
  Hdf5File out(file, Hdf5File::Mode::kCreate);
  for (std::size_t at = 0; at + 1 < size;) {
    const std::string path = kPaths[data[at] % std::size(kPaths)];
    const std::size_t count = std::min<std::size_t>(data[at + 1], size - at - 2);
    std::vector<double> values;
    for (std::size_t k = 0; k < count; ++k) values.push_back(find_value(data[at + 2 + k]));
    at += 2 + count;
    try {
      if (is_whole(values))
        out.write(path, std::vector<int>(values.begin(), values.end()));
      else
        out.write(path, values);
    } catch (const stance::Error&) {
      // a path that is there already
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stance;
  // in memory where the system has such a folder
  static const std::string file = [] {
    const std::string name = "stance_fuzz_" + std::to_string(getpid()) + ".hdf5";
    return (access("/dev/shm", W_OK) == 0 ? "/dev/shm/" : "/tmp/") + name;
  }();
  static const int at_exit = std::atexit([] { std::remove(file.c_str()); });
  (void)at_exit;
  write_file(data, size, file);
  try {
    const solver::ContactProblem problem = io::read_contact_problem(file);
    demand(find_fault(problem).empty(), "a problem with a fault");
    const std::vector<solver::Vec3d> p(problem.num_blocks());
    (void)calc_residual(problem, p);  // reads all of it
  } catch (const Error& error) {
    demand(std::string_view(error.what()).starts_with(file), "an error without its file");
  }
  try {
    const solver::ContactSolution solution = io::read_contact_solution(file);
    demand(solution.p.size() == solution.u.size(), "impulses without velocities");
  } catch (const Error& error) {
    demand(std::string_view(error.what()).starts_with(file), "an error without its file");
  }
  return 0;
}
