#pragma once

// Solves a contact problem: accelerated Gauss-Seidel sweeps, and Newton's method on all blocks
// where these are slow.

#include "stance/solver/anderson.h"
#include "stance/solver/contact_problem.h"
#include "stance/solver/gauss_seidel.h"
#include "stance/solver/newton.h"
#include "stance/solver/residual.h"

namespace stance::solver {

struct SolveOptions {
  double tolerance = 1e-8;  // of Residual::relative
  int max_sweeps = 100000;
  bool accelerate = true;  // Anderson's method on the sweeps
  bool use_newton = true;  // allocates, unlike the sweeps
  // Where the start is near a solution already, some sweeps more to come ten times nearer: in a
  // scene at rest what is left over is the next step's error, and would stay at the tolerance for
  // ever.
  bool settle = false;
  // A start with a residual below this part of the tolerance is taken as it is. Less than the
  // tolerance, lest errors add up where things rest.
  double settled = 1e-4;
  // A start that obeys the laws to the tolerance is made exact where nothing slides
  // (Sweeps::hold_still).
  bool hold_still = false;
  bool (*should_stop)(void*) = nullptr;  // asked once a sweep; to stop early with what there is
  void* stop_argument = nullptr;
};

enum class SolveMethod { kGaussSeidel, kNewton };  // what brought the answer

const char* solve_method_name(SolveMethod method);

struct SolveStatus {
  bool is_converged = false;
  StartGrade start = StartGrade::kFar;  // what the impulses to start from were worth
  int sweeps = 0;
  int still_steps = 0;  // of Sweeps::hold_still
  int newton_steps = 0;
  SolveMethod method = SolveMethod::kGaussSeidel;
  Residual residual;  // of the impulses returned, graded from scratch
};

// Work space that may serve many problems, one after the other.
class Solver {
 public:
  // `p` is the start (warm, or zero) and the answer; always admissible, converged or not.
  [[nodiscard]] SolveStatus solve(const ContactProblem& problem, const SolveOptions& options,
                                  std::span<Vec3d> p);
  [[nodiscard]] SolveStatus solve(Sweeps& sweeps, const SolveOptions& options, std::span<Vec3d> p);

 private:
  bool try_still(Sweeps& sweeps, const SolveOptions& options, std::span<Vec3d> p,
                 SolveStatus& status);
  bool try_newton(Sweeps& sweeps, const SolveOptions& options, int attempt, int most_steps,
                  double aim, std::span<Vec3d> p, SolveStatus& status);

  GaussSeidel gauss_seidel_;
  Anderson anderson_;
  Newton newton_;
  std::vector<Vec3d> from_, sound_, early_, outside_, inside_;
};

}  // namespace stance::solver
