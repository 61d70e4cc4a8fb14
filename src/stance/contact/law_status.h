#pragma once

// What solving a group by some law came to.

#include "stance/solver/solve.h"

namespace stance::contact {

// Every law is graded twice: by its own equations, which say whether it was solved, and against the
// exact law, which says what it costs to use another one.
struct LawStatus {
  solver::SolveStatus solve;  // converged: the law's own equations; residual: of the exact law
  double residual = 0.0;      // of the law's own equations, relative like Residual::relative
};

}  // namespace stance::contact
