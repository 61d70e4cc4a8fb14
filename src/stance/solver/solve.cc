#include "stance/solver/solve.h"

#include <algorithm>
#include <cmath>

#include "stance/kernel/assert.h"

namespace stance::solver {
namespace {

constexpr double kRejected = 2.0;  // a proposal may make things so much worse
constexpr int kShortestRest = 4;   // plain sweeps after a rejection, twice as
                                   // many after the next,
constexpr double kTrusted = 0.1;   // until the estimate has fallen by this
constexpr int kFewestSweeps = 60;  // before Newton's method is tried
constexpr int kFewestNewtonSteps = 25, kMostNewtonSteps = 60;
constexpr double kWorthwhile = 0.1;
constexpr int kPatience = 500;  // sweeps that must halve the estimate, lest they be relaxed
constexpr double kRelaxed = 0.5;

// How many sweeps one step of Newton's method costs, by times measured on the problems of
// docs/benchmarks.md: a sweep 4 ns per block of W and 40 per block of rows, a dense factor 24
// flops in a nanosecond, a sparse one as much as its fill makes it.
double estimate_newton_cost(const ContactProblem& problem) {
  const double n = problem.num_blocks(), entries = 9.0 * problem.W.block.size();
  const double sweep = 4.0 * problem.W.block.size() + 40.0 * n;
  const double dense = std::pow(3.0 * n, 3.0) / 24.0, sparse = 0.6 * std::pow(entries, 1.5);
  return std::max(1.0, (Newton::is_dense(problem) ? dense : sparse) / std::max(sweep, 1.0));
}

double calc_norm(std::span<const Vec3d> a) {
  double sum = 0.0;
  for (const Vec3d& x : a) sum += dot(x, x);
  return std::sqrt(sum);
}

}  // namespace

const char* solve_method_name(SolveMethod method) {
  return method == SolveMethod::kNewton ? "newton" : "gauss_seidel";
}

SolveStatus Solver::solve(const ContactProblem& problem, const SolveOptions& options,
                          std::span<Vec3d> p) {
  const int n = problem.num_blocks();
  STANCE_DEMAND(static_cast<int>(p.size()) == n);
  gauss_seidel_.start(problem);
  if (options.accelerate) anderson_.start(n);
  from_.resize(n), sound_.resize(n);
  const double free_speed = calc_norm(problem.q);
  SolveStatus status;
  double last = INFINITY;  // estimate of the last proposal, infinite when there is none
  int rest = 0, next_rest = kShortestRest;
  double trusted = INFINITY;  // estimate when the rests were shortest last
  // sweeps and Newton's method get about as much time each
  const double newton_cost = estimate_newton_cost(problem);
  double newton_at = std::max<double>(kFewestSweeps, 4.0 * newton_cost);
  // sweeps that get nowhere go in circles: smaller steps get out of them
  double relaxation = 1.0, best = INFINITY, best_before = INFINITY;
  int patience = kPatience;

  while (status.sweeps < options.max_sweeps) {
    const bool accelerates = options.accelerate && rest == 0;
    if (accelerates) std::copy(p.begin(), p.end(), from_.begin());
    const SweepReport report = gauss_seidel_.sweep(problem, p, relaxation);
    ++status.sweeps;
    const double scale = std::max({free_speed, report.impulse, report.velocity});
    const double estimate = scale > 0.0 ? report.change / scale : 0.0;
    if (estimate < options.tolerance) {
      status.residual = calc_residual(problem, p);
      status.is_converged = status.residual.relative < options.tolerance;
      if (status.is_converged) {
        status.method = SolveMethod::kGaussSeidel;
        return status;
      }
    }
    if (options.should_stop && options.should_stop(options.stop_argument)) break;
    best = std::min(best, estimate);
    if (--patience == 0) {
      if (best > 0.5 * best_before) relaxation = relaxation == 1.0 ? kRelaxed : 1.0;
      best_before = best;
      patience = kPatience;
    }

    if (accelerates && estimate > kRejected * last) {
      // the last proposal led astray: back to before it, and some plain sweeps
      std::copy(sound_.begin(), sound_.end(), p.begin());
      anderson_.restart();
      last = INFINITY;
      rest = next_rest;
      next_rest *= 2;
    } else if (options.use_newton && status.sweeps >= newton_at) {
      const int most = static_cast<int>(
          std::clamp<double>(status.sweeps / newton_cost, kFewestNewtonSteps, kMostNewtonSteps));
      newton_at = 2.0 * status.sweeps;
      if (try_newton(problem, options, most, p, status)) return status;
      if (options.accelerate) anderson_.restart();
      last = INFINITY;
    } else if (accelerates) {
      std::copy(p.begin(), p.end(), sound_.begin());
      last = estimate;
      if (estimate < kTrusted * trusted) {
        trusted = estimate;
        next_rest = kShortestRest;
      }
      anderson_.propose(from_, sound_, p);
      project_impulses(problem, p);
    } else if (rest > 0) {
      --rest;
    }
  }
  // a sweep makes of whatever was proposed last what the laws allow
  gauss_seidel_.sweep(problem, p, 1.0);
  status.residual = calc_residual(problem, p);
  status.is_converged = status.residual.relative < options.tolerance;
  return status;
}

// Newton's method from p on. Converged, or p is as it was or much better.
bool Solver::try_newton(const ContactProblem& problem, const SolveOptions& options, int most_steps,
                        std::span<Vec3d> p, SolveStatus& status) {
  const double before = calc_residual(problem, p).relative;
  double residual = before;
  outside_.assign(p.begin(), p.end());
  newton_.start(problem);
  status.newton_steps += newton_.run(problem, most_steps, options.tolerance, options.should_stop,
                                     options.stop_argument, outside_, residual);

  // back into the cones, by the projection or by a sweep, whichever leaves less
  inside_ = outside_;
  project_impulses(problem, inside_);
  Residual graded = calc_residual(problem, inside_);
  gauss_seidel_.sweep(problem, outside_, 1.0);
  if (const Residual swept = calc_residual(problem, outside_); swept.relative < graded.relative) {
    graded = swept;
    inside_.swap(outside_);
  }
  // a little is not worth the way that the sweeps have come
  if (!(graded.relative < kWorthwhile * before)) return false;
  std::copy(inside_.begin(), inside_.end(), p.begin());
  status.residual = graded;
  status.method = SolveMethod::kNewton;
  return status.is_converged = graded.relative < options.tolerance;
}

}  // namespace stance::solver
