#pragma once

#include <string>
#include <vector>

#include "stance/solver/contact_problem.h"

namespace stance::bench {

struct BenchProblem {
  std::string name;
  solver::ContactProblem problem;
};

// The problems of files and of folders (their .dat, .hdf5 and .h5 files). Without any: the public
// problems, where they lie beside the repository or where STANCE_SHARED says, and some heaps made
// by code. In the order of their size. Throws stance::Error on what cannot be read.
std::vector<BenchProblem> load_bench_problems(const std::vector<std::string>& paths);

}  // namespace stance::bench
