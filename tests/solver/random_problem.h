#pragma once

// Seeded contact problems of loose bodies: W = J M^-1 J^T of random points and normals, singular as
// soon as bodies touch in more than two points.

#include "stance/kernel/random.h"
#include "stance/solver/contact_problem.h"

namespace stance::test {

struct ProblemOptions {
  int bodies = 5;
  int contacts = 12;
  double mass_ratio = 1.0;  // between the heaviest and the lightest
  double mu = -1.0;         // of all contacts; negative: random from 0 to 1
};

solver::ContactProblem make_problem(std::uint64_t seed, const ProblemOptions& options = {});

// A problem of one block.
solver::ContactProblem make_single(const solver::Block& block, const kernel::Mat3d& W,
                                   const kernel::Vec3d& q);

// A random positive definite 3x3 matrix, its eigenvalues within `spread` of each other.
kernel::Mat3d make_inverse_inertia(kernel::Random& random, double spread);

}  // namespace stance::test
