#pragma once

// Problems in which something gives way, their dense form, and an answer to them by other means.

#include <Eigen/Core>

#include "stance/kernel/random.h"
#include "stance/solver/solve.h"

#include "solver/random_problem.h"

namespace stance::test {

// Adds a random positive semidefinite matrix over the blocks of a group, of a rank below its size
// where `is_thin`, with zeros in the rows that blocks do not use.
void add_random_group(std::span<const solver::Block> blocks, std::span<const int> members,
                      double scale, bool is_thin, kernel::Random& random, solver::Compliance& C);

// Two pads, one of them thin, a block in a group by itself, and rows that give way on their own.
void add_random_compliance(std::span<const solver::Block> blocks, std::uint64_t seed, double scale,
                           solver::Compliance& C);

// Contacts, bilateral rows, limits, dry friction and spin on random bodies.
solver::ContactProblem make_all_laws(std::uint64_t seed, double mass_ratio = 10.0);

// The same problem without C: W + C is its W.
solver::ContactProblem make_rigid(const solver::ContactProblem& problem);

Eigen::MatrixXd make_dense(const solver::Compliance& C, int num_blocks);
Eigen::MatrixXd make_dense(const solver::BlockMatrix& W);
Eigen::VectorXd flatten(std::span<const kernel::Vec3d> x);
double calc_distance(std::span<const kernel::Vec3d> a, std::span<const kernel::Vec3d> b);

// De Saxce's fixed point p = P(p - rho (u + mu |u_T| n)) on dense matrices, rho below 1 / |W + C|:
// slow, and nothing of the solver is in it.
Eigen::VectorXd iterate_reference(const solver::ContactProblem& problem, int most);

}  // namespace stance::test
