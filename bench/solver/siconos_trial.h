#pragma once

// Siconos' solvers on one problem: each tries its set-ups, and the fastest that answers counts.

#include <optional>
#include <string>
#include <vector>

#include "stance/solver/contact_problem.h"

#include "peers/siconos_client.h"
#include "progress.h"

namespace stance::bench {

struct SiconosTrial {
  std::string solver;
  std::string setup;               // "block hybrid", the best one
  bool is_solved = false;          // to the tolerance, by our residual
  std::optional<double> residual;  // by calc_residual; nothing when there was no answer in time
  double us = 0.0;                 // of the best set-up: one solve, later the best batch
  int iterations = 0;
  SiconosProcess process;  // of the best set-up, while is_solved
};

// Whether Siconos was built at all.
bool has_siconos();

// Has `file`, a .dat file that holds the same problem, solved by every solver. The first set-up of
// a solver is killed after `limit` seconds, the others after 0.3 of that, or once they have taken
// three times as long as a better one.
std::vector<SiconosTrial> try_siconos(const solver::ContactProblem& problem,
                                      const std::string& file, double tolerance, double limit,
                                      Progress& progress);

}  // namespace stance::bench
