#pragma once

// Solves a contact problem: accelerated Gauss-Seidel sweeps, and Newton's method on all blocks
// where these are slow.

#include "stance/solver/contact_problem.h"
#include "stance/solver/gauss_seidel.h"
#include "stance/solver/newton.h"
#include "stance/solver/residual.h"
#include "stance/solver/solve_parameters.h"
#include "stance/solver/strategies.h"

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
  const SolveParameters* parameters = &kUsualParameters;  // must outlive the solve
};

// What brought the answer: impulses as they came, held still, swept, or Newton's.
enum class SolveMethod { kStart, kHoldStill, kGaussSeidel, kNewton };

const char* solve_method_name(SolveMethod method);

// What a solve took.
struct SolveStatistics {
  int sweeps = 0;
  int still_steps = 0;   // of Sweeps::hold_still
  int newton_steps = 0;  // of all tries,
  int newton_tries = 0;
  int grades = 0;     // of answers of sweeps, from scratch
  int proposals = 0;  // of the acceleration,
  int taken_back = 0;
  int restarts = 0;        // from nothing
  int relaxed_sweeps = 0;  // that went only a part of the way

  void add(const SolveStatistics& other);
};

struct SolveStatus : SolveStatistics {
  bool is_converged = false;
  StartGrade start = StartGrade::kFar;  // what the impulses to start from were worth
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
  // One solve: what it is about and how far it has come.
  struct Run {
    Sweeps& sweeps;
    const SolveOptions& options;
    std::span<Vec3d> p;
    SolveStatus& status;
  };

  // The strategies, in the order in which they are asked; true when p is the answer.
  bool serve_again(Run& run);
  bool try_still(Run& run);
  bool sweep_to_the_end(Run& run);
  bool try_newton(NewtonPlan& plan, Run& run);

  double sweep_once(Run& run, double relaxation, double precision);
  bool is_good_enough(double estimate, GradePlan& grades, Run& run);
  void start_again(NewtonPlan& newton, Patience& patience, Run& run);

  GaussSeidel gauss_seidel_;
  Acceleration acceleration_;
  Newton newton_;
  std::vector<Vec3d> before_, warm_, early_, outside_, inside_;
};

}  // namespace stance::solver
