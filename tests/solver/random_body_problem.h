#pragma once

// Seeded problems in the space of bodies and coordinates.

#include <deque>

#include "stance/kernel/random.h"
#include "stance/solver/body_problem.h"

namespace stance::test {

// The coordinates' side of a problem, which it does not own.
struct CoordinateData {
  std::deque<std::vector<double>> arrays;
  double* make(int size) { return arrays.emplace_back(size, 0.0).data(); }
};

// Trees of one to three nodes and up to five coordinates whose responses come from one positive
// definite matrix each; twelve blocks.
solver::BodyProblem make_body_problem(std::uint64_t seed, CoordinateData& data);

// Free bodies, some of which touch: every one its neighbours in a ring, and a few others.
solver::BodyProblem make_free_bodies(std::uint64_t seed, int count);

// Contacts of free bodies are swept four at a time, beside blocks that are not; several points of a
// pair, pairs with the world, and mu = 0 among them.
solver::BodyProblem make_mixed_bodies(std::uint64_t seed);

// The same problem with its matrix.
solver::ContactProblem make_whole(const solver::BodyProblem& problem);

}  // namespace stance::test
