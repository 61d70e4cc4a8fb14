#include "stance/solver/solve.h"

#include <algorithm>
#include <cmath>

#include "stance/kernel/assert.h"

namespace stance::solver {

const char* solve_method_name(SolveMethod method) {
  switch (method) {
    case SolveMethod::kStart: return "start";
    case SolveMethod::kHoldStill: return "hold_still";
    case SolveMethod::kGaussSeidel: return "gauss_seidel";
    case SolveMethod::kNewton: return "newton";
  }
  return "";
}

void SolveStatistics::add(const SolveStatistics& other) {
  sweeps += other.sweeps, still_steps += other.still_steps;
  newton_steps += other.newton_steps, newton_tries += other.newton_tries;
  grades += other.grades, proposals += other.proposals, taken_back += other.taken_back;
  restarts += other.restarts, relaxed_sweeps += other.relaxed_sweeps;
}

SolveStatus Solver::solve(const ContactProblem& problem, const SolveOptions& options,
                          std::span<Vec3d> p) {
  gauss_seidel_.start(problem);
  return solve(gauss_seidel_, options, p);
}

SolveStatus Solver::solve(Sweeps& sweeps, const SolveOptions& options, std::span<Vec3d> p) {
  STANCE_DEMAND(static_cast<int>(p.size()) == sweeps.size());
  SolveStatus status;
  Run run{sweeps, options, p, status};
  status.is_converged = serve_again(run) || sweep_to_the_end(run);
  if (status.is_converged) return status;
  // a sweep makes of whatever was proposed last what the laws allow
  sweeps.sweep(p, 1.0, kExact);
  status.residual = sweeps.grade(p);
  status.is_converged = status.residual.relative < options.tolerance;
  return status;
}

// Impulses of the last step that still obey every law, or nearly.
bool Solver::serve_again(Run& run) {
  const SolveOptions& options = run.options;
  run.sweeps.place(run.p);
  run.status.start = run.sweeps.grade_start(
      run.p, options.tolerance, options.settled * options.tolerance, run.status.residual);
  if (run.status.start == StartGrade::kSettled) {
    run.status.method = SolveMethod::kStart;
    return true;
  }
  return run.status.start == StartGrade::kNear && options.hold_still && try_still(run);
}

// Holds still what p nearly holds. Much better, or p is as it was.
bool Solver::try_still(Run& run) {
  const SolveOptions& options = run.options;
  const SolveParameters& how = *options.parameters;
  SolveStatus& status = run.status;
  before_.assign(run.p.begin(), run.p.end());
  status.still_steps =
      run.sweeps.hold_still(run.p, options.tolerance, how.still * options.tolerance);
  if (status.still_steps == 0) return false;
  const double before = status.residual.relative;
  const StartGrade end = run.sweeps.grade_start(
      run.p, options.tolerance, options.settled * options.tolerance, status.residual);
  if (end == StartGrade::kSettled ||
      (end == StartGrade::kNear && status.residual.relative < how.worthwhile * before)) {
    status.method = SolveMethod::kHoldStill;
    return true;
  }
  std::copy(before_.begin(), before_.end(), run.p.begin());
  run.sweeps.place(run.p);
  return false;
}

// Sweeps, with all that makes them faster, until they are good enough or there have been too many.
bool Solver::sweep_to_the_end(Run& run) {
  const SolveOptions& options = run.options;
  const SolveParameters& how = *options.parameters;
  SolveStatus& status = run.status;
  const int n = run.sweeps.size();
  before_.resize(n);
  double least = INFINITY;  // estimate, of which before_ keeps what the sweep made of it
  warm_.assign(run.p.begin(), run.p.end());
  acceleration_.start(how, n, options.accelerate);
  GradePlan grades(how, options.tolerance, options.settle);
  NewtonPlan newton(how, options.use_newton, n,
                    run.sweeps.newton_cost() / std::max(run.sweeps.sweep_cost(), 1.0));
  Patience patience(how);
  while (status.sweeps < options.max_sweeps && !newton.is_hopeless(status.sweeps)) {
    const double estimate = sweep_once(run, patience.relaxation(), grades.precision());
    if (estimate < least) least = estimate, before_.assign(run.p.begin(), run.p.end());
    if (newton.is_early(status.sweeps)) early_.assign(run.p.begin(), run.p.end());
    if (grades.see(status.sweeps, estimate) && is_good_enough(estimate, grades, run)) return true;
    if (options.should_stop && options.should_stop(options.stop_argument)) break;
    if (patience.see(estimate)) {
      start_again(newton, patience, run);
    } else if (acceleration_.is_astray(estimate)) {
      acceleration_.take_back(run.p);
      run.sweeps.place(run.p);
      ++status.taken_back;
    } else if (newton.is_due(status.sweeps, patience.best(), grades.target(), run.sweeps)) {
      if (try_newton(newton, run)) return true;
      if (newton.is_in_vain() && patience.may_start_again()) {
        start_again(newton, patience, run);
        continue;
      }
      run.sweeps.place(run.p);
      acceleration_.forget();
    } else if (acceleration_.propose(estimate, run.p)) {
      run.sweeps.project_and_place(run.p);
      ++status.proposals;
    }
  }
  // the last proposal may have led anywhere
  if (least < INFINITY) std::copy(before_.begin(), before_.end(), run.p.begin());
  run.sweeps.place(run.p);
  return false;
}

// Returns how far from the laws the sweep found p, as a part of the scale.
double Solver::sweep_once(Run& run, double relaxation, double precision) {
  acceleration_.before_sweep(run.p);
  const SweepReport report = run.sweeps.sweep(run.p, relaxation, precision);
  acceleration_.after_sweep();
  ++run.status.sweeps;
  run.status.relaxed_sweeps += relaxation != 1.0;
  const double scale = std::max({run.sweeps.free_speed(), report.impulse, report.velocity});
  return scale > 0.0 ? report.change / scale : 0.0;
}

bool Solver::is_good_enough(double estimate, GradePlan& grades, Run& run) {
  SolveStatus& status = run.status;
  status.residual = run.sweeps.grade(run.p);
  ++status.grades;
  grades.learn(estimate, status.residual.relative);
  if (!(status.residual.relative < run.options.tolerance)) return false;
  status.method = SolveMethod::kGaussSeidel;
  return true;
}

void Solver::start_again(NewtonPlan& newton, Patience& patience, Run& run) {
  std::fill(run.p.begin(), run.p.end(), Vec3d());
  run.sweeps.place(run.p);
  acceleration_.start_again();
  newton.start_again(run.status.sweeps);
  patience.start_again();
  ++run.status.restarts;
}

// Newton's method from p on. Converged, or p is as it was or much better.
bool Solver::try_newton(NewtonPlan& plan, Run& run) {
  const SolveOptions& options = run.options;
  const SolveParameters& how = *options.parameters;
  Sweeps& sweeps = run.sweeps;
  SolveStatus& status = run.status;
  const int most_steps = plan.begin_try(status.sweeps);
  const NewtonPlan::Attempt& attempt = plan.next_attempt();
  NewtonProblem& problem = *sweeps.newton_problem();
  const double before = sweeps.grade(run.p).relative;
  outside_.assign(run.p.begin(), run.p.end());
  if (attempt.start == NewtonPlan::Start::kEarly)
    std::copy(early_.begin(), early_.end(), outside_.begin());
  if (attempt.start == NewtonPlan::Start::kWarm)
    std::copy(warm_.begin(), warm_.end(), outside_.begin());
  if (attempt.start == NewtonPlan::Start::kZero)
    std::fill(outside_.begin(), outside_.end(), Vec3d());
  newton_.start(problem);
  ++status.newton_tries;
  status.newton_steps += newton_.run(attempt.newton, problem, most_steps, options.tolerance,
                                     how.margin * options.tolerance, options.should_stop,
                                     options.stop_argument, outside_);

  // back into the cones, by the projection or by a sweep, whichever leaves less
  inside_ = outside_;
  sweeps.project(inside_);
  Residual graded = sweeps.grade(inside_);
  sweeps.place(outside_);
  sweeps.sweep(outside_, 1.0, kExact);
  if (const Residual swept = sweeps.grade(outside_); swept.relative < graded.relative) {
    graded = swept;
    inside_.swap(outside_);
  }
  if (!(graded.relative < how.worthwhile * before)) return false;
  std::copy(inside_.begin(), inside_.end(), run.p.begin());
  sweeps.place(run.p);  // velocities are asked for afterwards
  status.residual = graded;
  status.method = SolveMethod::kNewton;
  return graded.relative < options.tolerance;
}

}  // namespace stance::solver
