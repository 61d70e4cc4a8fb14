#pragma once

// Seeded contact problems of loose bodies: W = J M^-1 J^T of random points and normals, singular as
// soon as bodies touch in more than two points. The benchmarks and the tests use the same ones.

#include <cstdint>

#include "stance/solver/contact_problem.h"

namespace stance::bench {

struct HeapOptions {
  int bodies = 5;
  int contacts = 12;
  double mass_ratio = 1.0;  // between the heaviest and the lightest
  double mu = -1.0;         // of all contacts; negative: random from 0 to 1
};

solver::ContactProblem make_heap_problem(std::uint64_t seed, const HeapOptions& options = {});

}  // namespace stance::bench
