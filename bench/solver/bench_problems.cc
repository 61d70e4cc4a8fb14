#include "solver/bench_problems.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "stance/io/contact_problem.h"
#include "stance/kernel/error.h"

#include "solver/heap_problem.h"

namespace stance::bench {
namespace {

namespace fs = std::filesystem;

struct Heap {
  const char* name;
  std::uint64_t seed;
  HeapOptions options;
};
constexpr Heap kHeaps[] = {
    {"heap-12", 1, {.bodies = 5, .contacts = 12}},
    {"heap-40", 2, {.bodies = 15, .contacts = 40}},
    {"heap-40-masses", 3, {.bodies = 15, .contacts = 40, .mass_ratio = 1e4}},
    {"heap-40-steep", 4, {.bodies = 15, .contacts = 40, .mass_ratio = 1.0, .mu = 1.5}},
    {"heap-200", 5, {.bodies = 60, .contacts = 200}},
};

bool is_problem(const fs::path& path) {
  return path.extension() == ".dat" || path.extension() == ".hdf5" || path.extension() == ".h5";
}

// Without the endings, of which there may be two.
std::string make_name(fs::path path) {
  path = path.filename();
  while (is_problem(path)) path = path.stem();
  return path.string();
}

void load(const fs::path& path, std::vector<BenchProblem>& problems) {
  if (!fs::is_directory(path)) {
    problems.push_back({make_name(path), io::read_contact_problem(path.string())});
    return;
  }
  const std::size_t before = problems.size();
  for (const auto& entry : fs::directory_iterator(path))
    if (entry.is_regular_file() && is_problem(entry.path())) load(entry.path(), problems);
  if (problems.size() == before)
    throw Error(
        fmt::format("{}: there is no .dat, .hdf5 or .h5 file in this folder", path.string()));
}

// Empty where there is none.
fs::path find_public_folder() {
  const char* shared = std::getenv("STANCE_SHARED");
  const fs::path root = shared ? shared : STANCE_SOURCE_DIR "/../shared";
  for (const char* below : {"data/fc3d", "fc3d"})
    if (fs::is_directory(root / below)) return root / below;
  return {};
}

}  // namespace

std::vector<BenchProblem> load_bench_problems(const std::vector<std::string>& paths) {
  std::vector<BenchProblem> problems;
  for (const std::string& path : paths) load(path, problems);
  if (paths.empty()) {
    if (const fs::path folder = find_public_folder(); !folder.empty()) load(folder, problems);
    for (const Heap& heap : kHeaps)
      problems.push_back({heap.name, make_heap_problem(heap.seed, heap.options)});
  }
  std::sort(problems.begin(), problems.end(), [](const BenchProblem& a, const BenchProblem& b) {
    const int m = a.problem.num_blocks(), n = b.problem.num_blocks();
    return m != n ? m < n : a.name < b.name;
  });
  return problems;
}

}  // namespace stance::bench
