#pragma once

// The law `lcp`: the same problem with pyramids for cones, by Lemke's method (A5, S1).

#include "stance/contact/law_status.h"
#include "stance/solver/body_sweeps.h"

namespace stance::contact {

// Impulses of the faceted problem. It counts as solved when its own complementarity holds to the
// tolerance; graded against the exact cones, the residual shows what the facets cost. `sweeps` has
// been started with the problem; `p` is where the last step was and the answer. When Lemke's method
// fails, p stays as it was, in the cones, and the status says so. Allocates: a law for comparison.
[[nodiscard]] LawStatus solve_lcp(const solver::BodyProblem& problem, int facets, double tolerance,
                                  solver::BodySweeps& sweeps, std::span<kernel::Vec3d> p);

}  // namespace stance::contact
