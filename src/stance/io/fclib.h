#pragma once

// FCLIB's HDF5 files; see contact_problem.h.

#include <string>

#include "stance/solver/contact_problem.h"

namespace stance::io {

solver::ContactProblem read_fclib(const std::string& file);
void write_fclib(const solver::ContactProblem& problem, const std::string& file);

solver::ContactSolution read_fclib_solution(const std::string& file);
void write_fclib_solution(const solver::ContactSolution& solution, const std::string& file);

}  // namespace stance::io
