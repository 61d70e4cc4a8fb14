#pragma once

// What problems in the space of bodies must do, rigid or compliant.

#include <span>
#include <vector>

#include "stance/kernel/random.h"
#include "stance/solver/body_sweeps.h"
#include "stance/solver/matrix_newton.h"
#include "stance/solver/solve.h"

namespace stance::test {

// Ten sweeps of both forms of a problem, the sixth by `sixth` of its length, go the same way to
// within `tolerance`; returns the impulses.
std::vector<kernel::Vec3d> expect_same_sweeps(const solver::BodyProblem& problem,
                                              const solver::ContactProblem& same, double sixth,
                                              double tolerance, solver::BodySweeps& sweeps);

// The solver finds an answer to 1e-10, whatever the work space had before; returns it.
std::vector<kernel::Vec3d> expect_solved(const solver::BodyProblem& problem,
                                         solver::BodySweeps& sweeps, solver::Solver& solver);

// Impulses in their cones, of a problem of which some contacts stick for good, and without q.
std::vector<kernel::Vec3d> press_inside(solver::BodyProblem& problem, kernel::Random& random);
// Those impulses are the answer (W as given), and pushed off a little they are found again.
void expect_held_still(solver::BodyProblem& problem, const solver::BlockMatrix& W,
                       std::vector<kernel::Vec3d> p, kernel::Random& random);

// In the rows that blocks use.
std::vector<kernel::Vec3d> draw_impulses(std::span<const solver::Block> blocks,
                                         kernel::Random& random);

// The equations of Newton's method at p and u.
std::vector<solver::NewtonRow> make_rows(solver::EquationKind kind,
                                         std::span<const solver::Block> blocks,
                                         const solver::NewtonProblem& newton,
                                         std::span<const kernel::Vec3d> p,
                                         std::span<const kernel::Vec3d> u);

}  // namespace stance::test
