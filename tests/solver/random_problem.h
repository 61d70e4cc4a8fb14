#pragma once

// Seeded contact problems: heaps of loose bodies, as the benchmarks take them, and single blocks.

#include "stance/kernel/random.h"
#include "stance/solver/solve.h"

#include "solver/heap_problem.h"

namespace stance::test {

using ProblemOptions = bench::HeapOptions;

solver::ContactProblem make_problem(std::uint64_t seed, const ProblemOptions& options = {});

// A problem of one block.
solver::ContactProblem make_single(const solver::Block& block, const kernel::Mat3d& W,
                                   const kernel::Vec3d& q);

// Makes the first six of its contacts other laws: bilateral, limits, dry friction, spin.
void mix_laws(solver::ContactProblem& problem);

// What the solver says, from these impulses on.
struct Answer {
  std::vector<kernel::Vec3d> p;
  solver::SolveStatus status;
};
Answer solve(const solver::ContactProblem& problem, const solver::SolveOptions& options = {},
             std::vector<kernel::Vec3d> start = {});
solver::SolveOptions to(double tolerance);
inline Answer solve(const solver::ContactProblem& problem, double tolerance) {
  return solve(problem, to(tolerance));
}

// A random positive definite 3x3 matrix, its eigenvalues within `spread` of each other.
kernel::Mat3d make_inverse_inertia(kernel::Random& random, double spread);

}  // namespace stance::test
