#pragma once

// The text format of Siconos' local friction problems; see contact_problem.h.

#include <string>
#include <string_view>

#include "stance/solver/contact_problem.h"

namespace stance::io {

solver::ContactProblem read_siconos_dat(const std::string& file);
solver::ContactProblem parse_siconos_dat(std::string_view text, const std::string& file);
void write_siconos_dat(const solver::ContactProblem& problem, const std::string& file);

}  // namespace stance::io
