#include "stance/solver/solve.h"

#include <algorithm>
#include <cmath>

#include "stance/kernel/assert.h"

namespace stance::solver {
namespace {

constexpr double kStill = 1e-7;  // of the tolerance: nearly as good as rounding allows
// Settling: so much nearer than the start, but no farther than Newton's method aims at (for the way
// into the cones), with at most twice the sweeps that the tolerance took and these.
constexpr double kNearer = 0.1, kMargin = 0.01;
constexpr int kMoreSweeps = 4;
// How well contacts are solved: to so much of what sweeps still change, the coarsest being
constexpr double kLocalPart = 0.01, kCoarsest = 1e-3;
// What a sweep sees before each change is more than what it leaves behind, mostly by this factor;
// a grade that shows otherwise puts it right.
constexpr double kLeft = 0.6, kCautious = 1.1;
// Proposals cost about as much as a sweep, and are as good with some sweeps in between.
constexpr int kSweepsAProposal = 3;
constexpr double kRejected = 2.0;  // a proposal may make things so much worse
constexpr int kShortestRest = 4;   // plain sweeps after a rejection, twice as
                                   // many after the next,
constexpr double kTrusted = 0.1;   // until the estimate has fallen by this
constexpr int kFewestSweeps = 12;  // before Newton's method is thought of
constexpr int kFewestNewtonSteps = 25, kMostNewtonSteps = 60;
// Of many blocks: a look at how fast sweeps are, every so often; then Newton's method if it should
// be cheaper with as many steps as it mostly takes. Far from the solution it takes many more, and
// sweeps are judged over a longer stretch.
constexpr int kManyBlocks = 64, kLook = 8, kFarLook = 64, kMostlySteps = 6, kMostLargeSteps = 120;
constexpr double kFar = 1e-4;
constexpr int kEarlySweeps =
    3;  // sweeps after which a start for Fischer and Burmeister's form is kept
constexpr double kWorthwhile = 0.1;
// Sweeps that must halve the estimate, lest they start from nothing, once, or be relaxed; and tries
// of Newton's method after which they start from nothing, too: after a blow, impulses of the last
// step only mislead.
constexpr int kPatience = 250, kInVain = 2;
constexpr double kRelaxed = 0.5;

// Ways to try Newton's method, one after the other: from early impulses, which no sweep has driven
// into a corner, from none at all, from where the sweeps are; with more or less added to W.
enum class Start { kEarly, kZero, kHere };
struct Attempt {
  Start start;
  NewtonOptions newton;
};
constexpr Attempt kLargeAttempts[] = {
    {Start::kHere, {EquationKind::kAlartCurnier, 1e-5}},
    {Start::kEarly, {EquationKind::kAlartCurnier, 1e-3}},
    {Start::kHere, {EquationKind::kFischerBurmeister, 1e-5}},
    {Start::kZero, {EquationKind::kAlartCurnier, 1e-3}},
    {Start::kEarly, {EquationKind::kFischerBurmeister, 1e-7}},
    {Start::kHere, {EquationKind::kAlartCurnier, 1e-8}},
    {Start::kZero, {EquationKind::kFischerBurmeister, 1e-5}},
};
constexpr int kFewBlocks = 16;
constexpr Attempt kAttempts[] = {
    {Start::kEarly, {EquationKind::kFischerBurmeister, 1e-9}},
    {Start::kHere, {EquationKind::kAlartCurnier, 1e-10}},
    {Start::kZero, {EquationKind::kFischerBurmeister, 1e-7}},
    {Start::kEarly, {EquationKind::kFischerBurmeister, 1e-5}},
    {Start::kHere, {EquationKind::kAlartCurnier, 1e-7}},
    {Start::kHere, {EquationKind::kFischerBurmeister, 1e-9}},
    {Start::kZero, {EquationKind::kFischerBurmeister, 1e-5}},
};

// When Newton's method is worth a try, in sweeps.
class NewtonPlan {
 public:
  NewtonPlan(bool is_used, bool is_large)
      : is_large_(is_large),
        next_(!is_used   ? INFINITY
              : is_large ? kLook
                         : kFewestSweeps) {}

  // Asked after every sweep but those that went astray.
  bool is_due(int count, double best, double target, Sweeps& sweeps) {
    if (count < next_) return false;
    if (cost_ == 0.0) {
      const NewtonProblem* problem = sweeps.newton_problem();
      next_ = problem ? count + kLook : INFINITY;
      if (!problem) return false;
      cost_ = problem->step_cost() / std::max(sweeps.sweep_cost(), 1.0);
      if (is_large_) next_ = std::max(next_, 2.0 * cost_);
      look(count, best);
      return false;
    }
    const int since = count - looked_at_;
    if (is_large_ && best > kFar && since < kFarLook) return false;
    // how many more sweeps, if they go on as since the last look; those that have long been where
    // they should be, and are not, see nothing of what is wrong
    double more = 0.0;
    if (best >= before_ || before_ <= target)
      more = INFINITY;
    else if (best > target)
      more = since * std::log(best / target) / std::log(before_ / best);
    if (more >= kMostlySteps * cost_) return true;
    next_ = count + kLook;
    look(count, best);
    return false;
  }

  // Sweeps and Newton's method get about as much time each.
  int most_steps(int count) const {
    return is_large_ ? kMostLargeSteps
                     : static_cast<int>(
                           std::clamp<double>(count / cost_, kFewestNewtonSteps, kMostNewtonSteps));
  }
  void wait(int count) { next_ = 2.0 * count; }  // after a try in vain
  void restart(int count) {                      // what sweeps have reached is gone
    if (next_ < INFINITY) next_ = count + (is_large_ ? 2.0 * cost_ : kFewestSweeps);
    look(count, INFINITY);
  }

 private:
  void look(int count, double best) { looked_at_ = count, before_ = best; }

  bool is_large_;
  double next_, cost_ = 0.0;  // sweeps: of the next look or try, of one step
  int looked_at_ = 0;
  double before_ = INFINITY;  // estimate at the last look
};

}  // namespace

const char* solve_method_name(SolveMethod method) {
  return method == SolveMethod::kNewton ? "newton" : "gauss_seidel";
}

SolveStatus Solver::solve(const ContactProblem& problem, const SolveOptions& options,
                          std::span<Vec3d> p) {
  gauss_seidel_.start(problem);
  return solve(gauss_seidel_, options, p);
}

SolveStatus Solver::solve(Sweeps& sweeps, const SolveOptions& options, std::span<Vec3d> p) {
  const int n = sweeps.size();
  STANCE_DEMAND(static_cast<int>(p.size()) == n);
  SolveStatus status;
  sweeps.place(p);
  const double settled = options.settled * options.tolerance;
  status.start = sweeps.grade_start(p, options.tolerance, settled, status.residual);
  if (status.start == StartGrade::kSettled ||
      (status.start == StartGrade::kNear && options.hold_still &&
       try_still(sweeps, options, p, status))) {
    status.is_converged = true;
    return status;
  }
  if (options.accelerate) anderson_.start(n);
  from_.resize(n), sound_.resize(n);
  double last = INFINITY;  // estimate of the last proposal, infinite when there is none
  const bool is_large = n > kManyBlocks;
  const int cycle = is_large ? kSweepsAProposal : 1;
  int swept = 0;  // since the last proposal
  int rest = 0, next_rest = kShortestRest;
  double trusted = INFINITY;  // estimate when the rests were shortest last
  NewtonPlan plan(options.use_newton, is_large);
  int attempts = 0, early_at = kEarlySweeps;
  // sweeps that get nowhere go in circles: another start or smaller steps get out of them
  bool has_restarted = false;
  double relaxation = 1.0, best = INFINITY, best_before = INFINITY;
  int patience = kPatience;
  double precision = kExact;
  double target = options.tolerance;  // of the estimate
  int enough = 0;                     // sweeps after which the tolerance will do
  double left = kLeft;                // of an estimate, in the grade after it

  const auto start_again = [&] {
    has_restarted = true;
    std::fill(p.begin(), p.end(), Vec3d());
    sweeps.place(p);
    if (options.accelerate) anderson_.restart();
    plan.restart(status.sweeps);
    attempts = 0, early_at = status.sweeps + kEarlySweeps;
    last = best = best_before = INFINITY;
    patience = kPatience;
    rest = swept = 0;
  };

  while (status.sweeps < options.max_sweeps) {
    if (options.accelerate && rest == 0 && swept == 0) std::copy(p.begin(), p.end(), from_.begin());
    const SweepReport report = sweeps.sweep(p, relaxation, precision);
    ++status.sweeps;
    swept = rest == 0 ? swept + 1 : 0;
    const bool accelerates = options.accelerate && swept == cycle;
    if (accelerates) swept = 0;
    if (options.use_newton && status.sweeps == early_at) early_.assign(p.begin(), p.end());
    const double scale = std::max({sweeps.free_speed(), report.impulse, report.velocity});
    const double estimate = scale > 0.0 ? report.change / scale : 0.0;
    if (status.sweeps >= kEarlySweeps)
      precision = std::clamp(kLocalPart * estimate, kExact, kCoarsest);
    if (status.sweeps == 1 && options.settle)
      target = std::clamp(kNearer * estimate, kMargin * options.tolerance, options.tolerance);
    if (target < options.tolerance) left = 1.0;
    if (estimate < options.tolerance && enough == 0) enough = 2 * status.sweeps + kMoreSweeps;
    if (left * estimate < target || (estimate < options.tolerance && status.sweeps >= enough)) {
      status.residual = sweeps.grade(p);
      if (estimate > target)
        left = std::clamp(kCautious * status.residual.relative / estimate, left, 1.0);
      status.is_converged = status.residual.relative < options.tolerance;
      if (status.is_converged) {
        status.method = SolveMethod::kGaussSeidel;
        return status;
      }
    }
    if (options.should_stop && options.should_stop(options.stop_argument)) break;
    best = std::min(best, estimate);
    if (--patience == 0) {
      const bool is_stuck = best > 0.5 * best_before;
      best_before = best;
      patience = kPatience;
      if (is_stuck && !has_restarted) {
        start_again();
        continue;
      }
      if (is_stuck) relaxation = relaxation == 1.0 ? kRelaxed : 1.0;
    }

    if (accelerates && estimate > kRejected * last) {
      // the last proposal led astray: back to before it, and some plain sweeps
      std::copy(sound_.begin(), sound_.end(), p.begin());
      sweeps.place(p);
      anderson_.restart();
      last = INFINITY;
      rest = next_rest;
      next_rest *= 2;
    } else if (plan.is_due(status.sweeps, best, target, sweeps)) {
      const int most = plan.most_steps(status.sweeps);
      plan.wait(status.sweeps);
      if (try_newton(sweeps, options, attempts++, most, kMargin * options.tolerance, p, status))
        return status;
      if (attempts >= kInVain && !has_restarted) {
        start_again();
        continue;
      }
      sweeps.place(p);
      if (options.accelerate) anderson_.restart();
      last = INFINITY;
      swept = 0;
    } else if (accelerates) {
      std::copy(p.begin(), p.end(), sound_.begin());
      last = estimate;
      if (estimate < kTrusted * trusted) {
        trusted = estimate;
        next_rest = kShortestRest;
      }
      anderson_.propose(from_, sound_, p);
      sweeps.project_and_place(p);
    } else if (rest > 0) {
      --rest;
    }
  }
  // a sweep makes of whatever was proposed last what the laws allow
  sweeps.sweep(p, 1.0, kExact);
  status.residual = sweeps.grade(p);
  status.is_converged = status.residual.relative < options.tolerance;
  return status;
}

// Holds still what p nearly holds. Much better, or p is as it was.
bool Solver::try_still(Sweeps& sweeps, const SolveOptions& options, std::span<Vec3d> p,
                       SolveStatus& status) {
  sound_.assign(p.begin(), p.end());
  status.still_steps = sweeps.hold_still(p, options.tolerance, kStill * options.tolerance);
  if (status.still_steps == 0) return false;
  const double before = status.residual.relative;
  const StartGrade end = sweeps.grade_start(p, options.tolerance,
                                            options.settled * options.tolerance, status.residual);
  if (end == StartGrade::kSettled ||
      (end == StartGrade::kNear && status.residual.relative < kWorthwhile * before))
    return true;
  std::copy(sound_.begin(), sound_.end(), p.begin());
  sweeps.place(p);
  return false;
}

// Newton's method from p on. Converged, or p is as it was or much better.
bool Solver::try_newton(Sweeps& sweeps, const SolveOptions& options, int attempt, int most_steps,
                        double aim, std::span<Vec3d> p, SolveStatus& status) {
  NewtonProblem& problem = *sweeps.newton_problem();
  const double before = sweeps.grade(p).relative;
  // sweeps come near the solution of many blocks, and get caught on the way to that of few
  if (sweeps.size() > kFewBlocks && sweeps.size() <= kManyBlocks && attempt < 2)
    attempt = 1 - attempt;
  const bool is_large = sweeps.size() > kManyBlocks;
  const Attempt& how = is_large ? kLargeAttempts[attempt % std::size(kLargeAttempts)]
                                : kAttempts[attempt % std::size(kAttempts)];
  outside_.assign(p.begin(), p.end());
  if (how.start == Start::kEarly) std::copy(early_.begin(), early_.end(), outside_.begin());
  if (how.start == Start::kZero) std::fill(outside_.begin(), outside_.end(), Vec3d());
  newton_.start(problem);
  status.newton_steps += newton_.run(how.newton, problem, most_steps, options.tolerance, aim,
                                     options.should_stop, options.stop_argument, outside_);

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
  // a little is not worth the way that the sweeps have come
  if (!(graded.relative < kWorthwhile * before)) return false;
  std::copy(inside_.begin(), inside_.end(), p.begin());
  sweeps.place(p);  // velocities are asked for afterwards
  status.residual = graded;
  status.method = SolveMethod::kNewton;
  return status.is_converged = graded.relative < options.tolerance;
}

}  // namespace stance::solver
