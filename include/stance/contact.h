#pragma once

// Contact problems on their own: impulses in exact Coulomb cones on a Delassus operator, read from
// files or made by hand, solved, and graded outside the solver that produced the answer.

#include "stance/error.h"
#include "stance/io/contact_problem.h"
#include "stance/math.h"
#include "stance/solver/body_problem.h"
#include "stance/solver/contact_problem.h"
#include "stance/solver/residual.h"
#include "stance/solver/solve.h"
#include "stance/version.h"

namespace stance {

using solver::ContactProblem;
using solver::Solver;

namespace detail {
inline const kernel::LibraryCheck contact_check(kHeaders);
}

}  // namespace stance
