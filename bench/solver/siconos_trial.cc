#include "solver/siconos_trial.h"

#include <algorithm>
#include <cstring>

#include "stance/solver/residual.h"

namespace stance::bench {
namespace {

constexpr double kStart = 1.0;     // s to load the libraries and read the file
constexpr double kPatience = 3.0;  // times what a better set-up took
constexpr double kShorter = 0.3;   // of the limit, for every set-up after the first

double grade(const solver::ContactProblem& problem, const std::vector<double>& flat) {
  std::vector<solver::Vec3d> p;
  for (std::size_t k = 0; k + 2 < flat.size(); k += 3)
    p.emplace_back(flat[k], flat[k + 1], flat[k + 2]);
  return calc_residual(problem, p).relative;
}

// One set-up; keeps it in `best` if it is better than what was.
void try_setup(const SiconosSetup& setup, const solver::ContactProblem& problem,
               const std::string& file, double tolerance, double limit, SiconosTrial& best) {
  SiconosProcess process;
  // up to two solves before it answers
  const double enough = best.is_solved ? 2e-6 * kPatience * best.us : limit;
  process.set_timeout(kStart + std::min(limit, enough));
  if (!process.start(STANCE_PEER_SICONOS, setup, tolerance, file)) return;
  const auto impulses = process.impulses(problem.num_blocks());
  if (!impulses) return;
  const double residual = grade(problem, *impulses);
  const bool is_solved = residual < tolerance;
  const bool is_better = is_solved ? !best.is_solved || process.first_us() < best.us
                                   : !best.residual || residual < *best.residual;
  if (!is_better) return;
  best.setup = std::string(setup.storage) + " " + setup.tweak;
  best.is_solved = is_solved;
  best.residual = residual;
  best.us = process.first_us();
  best.iterations = process.iterations();
  best.process = std::move(process);
}

}  // namespace

bool has_siconos() { return STANCE_PEER_SICONOS[0] != '\0'; }

std::vector<SiconosTrial> try_siconos(const solver::ContactProblem& problem,
                                      const std::string& file, double tolerance, double limit,
                                      Progress& progress) {
  std::vector<SiconosTrial> trials;
  for (const char* solver : kSiconosSolvers) {
    SiconosTrial& trial = trials.emplace_back();
    trial.solver = solver;
    bool is_first = true;
    for (const SiconosSetup& setup : kSiconosSetups) {
      if (std::strcmp(setup.solver, solver) != 0) continue;
      progress.advance();
      if (std::strcmp(setup.storage, "dense") == 0 && problem.num_blocks() > kMostDenseContacts)
        continue;
      try_setup(setup, problem, file, tolerance, is_first ? limit : kShorter * limit, trial);
      is_first = false;
    }
    if (!trial.is_solved) trial.process.stop();
  }
  return trials;
}

}  // namespace stance::bench
