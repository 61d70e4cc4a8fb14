#include "stance/solver/strategies.h"

#include <algorithm>
#include <iterator>

namespace stance::solver {

// ---- grades -------------------------------------------------------------------------------------

bool GradePlan::see(int count, double estimate) {
  if (count >= how_.early_sweeps)
    precision_ = std::clamp(how_.local_part * estimate, how_.finest, how_.coarsest);
  if (count == 1 && settles_)
    target_ = std::clamp(how_.nearer * estimate, how_.margin * tolerance_, tolerance_);
  if (target_ < tolerance_) left_ = 1.0;
  if (estimate < tolerance_ && enough_ == 0) enough_ = 2 * count + how_.more_sweeps;
  return left_ * estimate < target_ || (estimate < tolerance_ && count >= enough_);
}

void GradePlan::learn(double estimate, double graded) {
  // what opens counts for less in a grade than in an estimate, which may then be the smaller one
  constexpr double kMost = 1e3;
  if (estimate > target_ || graded >= tolerance_)
    left_ = std::clamp(how_.cautious * graded / estimate, left_, kMost);
}

// ---- acceleration -------------------------------------------------------------------------------

void Acceleration::start(const SolveParameters& how, int num_blocks, bool is_on) {
  how_ = &how;
  is_on_ = is_on, is_due_ = false;
  if (is_on) anderson_.start(num_blocks);
  from_.resize(num_blocks), sound_.resize(num_blocks);
  cycle_ = num_blocks > how.many_blocks ? how.sweeps_a_proposal : 1;
  swept_ = rest_ = 0, next_rest_ = how.shortest_rest;
  last_ = trusted_ = INFINITY;
}

void Acceleration::before_sweep(std::span<const Vec3d> p) {
  if (is_on_ && rest_ == 0 && swept_ == 0) std::copy(p.begin(), p.end(), from_.begin());
}

void Acceleration::after_sweep() {
  swept_ = rest_ == 0 ? swept_ + 1 : 0;
  is_due_ = is_on_ && swept_ == cycle_;
  if (is_due_) swept_ = 0;
}

void Acceleration::take_back(std::span<Vec3d> p) {
  std::copy(sound_.begin(), sound_.end(), p.begin());
  anderson_.restart();
  last_ = INFINITY;
  rest_ = next_rest_;
  next_rest_ *= 2;
}

bool Acceleration::propose(double estimate, std::span<Vec3d> p) {
  if (!is_due_) {
    if (rest_ > 0) --rest_;
    return false;
  }
  std::copy(p.begin(), p.end(), sound_.begin());
  last_ = estimate;
  if (estimate < how_->trusted * trusted_) {
    trusted_ = estimate;
    next_rest_ = how_->shortest_rest;
  }
  anderson_.propose(from_, sound_, p);
  return true;
}

void Acceleration::forget() {
  if (is_on_) anderson_.restart();
  last_ = INFINITY;
  swept_ = 0;
}

// ---- Newton's method ----------------------------------------------------------------------------

namespace {

using Start = NewtonPlan::Start;

// Ways to try it, one after the other, with more or less added to W.
constexpr NewtonPlan::Attempt kLargeAttempts[] = {
    {Start::kHere, {EquationKind::kAlartCurnier, 1e-5}},
    {Start::kEarly, {EquationKind::kAlartCurnier, 1e-3}},
    {Start::kHere, {EquationKind::kFischerBurmeister, 1e-5}},
    {Start::kZero, {EquationKind::kAlartCurnier, 1e-3}},
    {Start::kEarly, {EquationKind::kFischerBurmeister, 1e-7}},
    {Start::kHere, {EquationKind::kAlartCurnier, 1e-8}},
    {Start::kZero, {EquationKind::kFischerBurmeister, 1e-5}},
};
// Of robots: redundant contacts of a grasp that are about to slip need long strides, and what the
// last step left behind is the best start, for the solver and for the hand that feels the answer.
// What those do not reach in a few steps they seldom reach at all: then along the path.
constexpr double kBold = 3.0, kPath = 0.1;
constexpr NewtonPlan::Attempt kHandyAttempts[] = {
    {Start::kWarm, {EquationKind::kAlartCurnier, 1e-8, kBold}, 24},
    {Start::kWarm, {EquationKind::kAlartCurnier, 1e-8, kBold, kPath}, 90},
    {Start::kHere, {EquationKind::kAlartCurnier, 1e-5, kBold}, 60},
    {Start::kWarm, {EquationKind::kAlartCurnier, 1e-3, kBold}, 60},
    {Start::kHere, {EquationKind::kFischerBurmeister, 1e-9}, 60},
    {Start::kHere, {EquationKind::kAlartCurnier, 1e-3, kBold}, 60},
    {Start::kZero, {EquationKind::kAlartCurnier, 1e-5, kBold}, 60},
    {Start::kEarly, {EquationKind::kFischerBurmeister, 1e-9}, 60},
    {Start::kHere, {EquationKind::kAlartCurnier, 1e-8, kBold}, 60},
    {Start::kZero, {EquationKind::kFischerBurmeister, 1e-7}, 60},
};
constexpr NewtonPlan::Attempt kAttempts[] = {
    {Start::kEarly, {EquationKind::kFischerBurmeister, 1e-9}},
    {Start::kHere, {EquationKind::kAlartCurnier, 1e-10}},
    {Start::kZero, {EquationKind::kFischerBurmeister, 1e-7}},
    {Start::kEarly, {EquationKind::kFischerBurmeister, 1e-5}},
    {Start::kHere, {EquationKind::kAlartCurnier, 1e-7}},
    {Start::kHere, {EquationKind::kFischerBurmeister, 1e-9}},
    {Start::kZero, {EquationKind::kFischerBurmeister, 1e-5}},
};

}  // namespace

NewtonPlan::NewtonPlan(const SolveParameters& how, bool is_used, int num_blocks,
                       double step_in_sweeps)
    : how_(how),
      is_used_(is_used),
      is_handy_(step_in_sweeps <= how.handy),
      is_large_(!is_handy_ && num_blocks > how.many_blocks),
      num_blocks_(num_blocks),
      next_(!is_used    ? INFINITY
            : is_handy_ ? how.early_sweeps
            : is_large_ ? how.look
                        : how.fewest_sweeps),
      early_at_(how.early_sweeps) {}

bool NewtonPlan::is_due(int count, double best, double target, Sweeps& sweeps) {
  if (count < next_) return false;
  if (cost_ == 0.0) {
    const NewtonProblem* problem = sweeps.newton_problem();
    next_ = problem ? count + how_.look : INFINITY;
    if (!problem) return false;
    cost_ = problem->step_cost() / std::max(sweeps.sweep_cost(), 1.0);
    if (is_large_) next_ = std::max(next_, 2.0 * cost_);
    look(count, best);
    return is_handy_;
  }
  const int since = count - looked_at_;
  if (is_large_ && best > how_.far && since < how_.far_look) return false;
  // how many more sweeps, if they go on as since the last look; those that have long been where
  // they should be, and are not, see nothing of what is wrong
  double more = 0.0;
  if (best >= before_ || before_ <= target)
    more = INFINITY;
  else if (best > target)
    more = since * std::log(best / target) / std::log(before_ / best);
  if (more >= how_.mostly_steps * cost_) return true;
  next_ = count + how_.look;
  look(count, best);
  return false;
}

int NewtonPlan::begin_try(int count) {
  // of robots, one try soon after the other; once all ways were in vain, as with others
  next_ = is_handy_ && tries_ < static_cast<int>(std::size(kHandyAttempts))
              ? count + how_.fewest_sweeps
              : 2.0 * count;
  if (is_large_) return how_.most_large_steps;
  if (is_handy_) return kHandyAttempts[tries_ % std::size(kHandyAttempts)].most_steps;
  return static_cast<int>(std::clamp<double>(count / cost_, how_.fewest_steps, how_.most_steps));
}

const NewtonPlan::Attempt& NewtonPlan::next_attempt() {
  int number = tries_++;
  if (is_large_) return kLargeAttempts[number % std::size(kLargeAttempts)];
  if (is_handy_) return kHandyAttempts[number % std::size(kHandyAttempts)];
  if (num_blocks_ > how_.few_blocks && number < 2) number = 1 - number;
  return kAttempts[number % std::size(kAttempts)];
}

void NewtonPlan::start_again(int count) {
  if (next_ < INFINITY) next_ = count + (is_large_ ? 2.0 * cost_ : how_.fewest_sweeps);
  look(count, INFINITY);
  tries_ = 0, early_at_ = count + how_.early_sweeps;
}

// ---- patience -----------------------------------------------------------------------------------

bool Patience::see(double estimate) {
  best_ = std::min(best_, estimate);
  if (--left_ != 0) return false;
  const bool is_stuck = best_ > how_.stuck * best_before_;
  best_before_ = best_;
  left_ = how_.patience;
  if (is_stuck && !has_restarted_) return true;
  if (is_stuck) relaxation_ = relaxation_ == 1.0 ? how_.relaxed : 1.0;
  return false;
}

void Patience::start_again() {
  has_restarted_ = true;
  best_ = best_before_ = INFINITY;
  left_ = how_.patience;
}

}  // namespace stance::solver
