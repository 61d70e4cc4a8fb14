#pragma once

// The parts of Solver::solve, each of which decides about one thing: when to grade, when to
// accelerate, when to try Newton's method, when to start again.

#include <cmath>

#include "stance/solver/anderson.h"
#include "stance/solver/newton.h"
#include "stance/solver/solve_parameters.h"
#include "stance/solver/sweeps.h"

namespace stance::solver {

// When sweeps are worth a grade, and how well each contact is solved on the way there.
class GradePlan {
 public:
  GradePlan(const SolveParameters& how, double tolerance, bool settles)
      : how_(how),
        tolerance_(tolerance),
        settles_(settles),
        precision_(how.finest),
        target_(tolerance),
        left_(how.left) {}

  // Takes in what sweep number `count` saw; true when a grade is due.
  bool see(int count, double estimate);
  // What that grade was.
  void learn(double estimate, double graded);

  double precision() const { return precision_; }  // of the next sweep
  double target() const { return target_; }        // of the estimate

 private:
  const SolveParameters& how_;
  double tolerance_;
  bool settles_;
  double precision_, target_;
  int enough_ = 0;  // sweeps after which the tolerance will do
  double left_;     // of an estimate, in the grade after it
};

// Proposals of where sweeps lead, and what becomes of those that led astray. Keeps its memory.
class Acceleration {
 public:
  void start(const SolveParameters& how, int num_blocks, bool is_on);

  void before_sweep(std::span<const Vec3d> p);
  void after_sweep();

  // Whether the last proposal made things worse; then p goes back to before it, and some plain
  // sweeps follow.
  bool is_astray(double estimate) const { return is_due_ && estimate > how_->rejected * last_; }
  void take_back(std::span<Vec3d> p);

  // Writes a proposal into p and returns true when one is due.
  bool propose(double estimate, std::span<Vec3d> p);

  // p came from elsewhere; or everything starts from nothing.
  void forget();
  void start_again() { forget(), rest_ = 0; }

 private:
  const SolveParameters* how_ = nullptr;
  bool is_on_ = false, is_due_ = false;
  int cycle_ = 1;  // sweeps a proposal
  int swept_ = 0;  // since the last proposal
  int rest_ = 0, next_rest_ = 0;
  double last_ = INFINITY;     // estimate of the last proposal, infinite when there is none
  double trusted_ = INFINITY;  // estimate when the rests were shortest last
  Anderson anderson_;
  std::vector<Vec3d> from_, sound_;
};

// When Newton's method is worth a try, in sweeps, and in which way.
class NewtonPlan {
 public:
  // `step_in_sweeps`: what a step costs, where that is known beforehand.
  NewtonPlan(const SolveParameters& how, bool is_used, int num_blocks, double step_in_sweeps);

  // Where a try starts: from the impulses that the solve began with, from early ones, which no
  // sweep has driven into a corner, from none at all, from where the sweeps are.
  enum class Start { kWarm, kEarly, kZero, kHere };
  struct Attempt {
    Start start;
    NewtonOptions newton;
    int most_steps = 0;  // of robots
  };

  // Whether p after sweep number `count` is to be kept as the early impulses.
  bool is_early(int count) const { return is_used_ && count == early_at_; }

  // Asked after every sweep but those that went astray.
  bool is_due(int count, double best, double target, Sweeps& sweeps);

  // The next way to try it, and how many steps it may take: sweeps and Newton's method get about as
  // much time each. The next try waits for twice as many sweeps.
  const Attempt& next_attempt();
  int begin_try(int count);
  bool is_in_vain() const { return tries_ >= (is_handy_ ? how_.handy_in_vain : how_.in_vain); }

  // All ways were in vain: more sweeps cost as much again and find nothing.
  bool is_hopeless(int count) const { return is_handy_ && count >= how_.handy_sweeps; }

  void start_again(int count);  // what sweeps have reached is gone

 private:
  void look(int count, double best) { looked_at_ = count, before_ = best; }

  const SolveParameters& how_;
  bool is_used_;
  bool is_handy_;  // a step costs so few sweeps that it is tried at once
  bool is_large_;
  int num_blocks_;
  double next_, cost_ = 0.0;  // sweeps: of the next look or try, of one step
  int tries_ = 0, early_at_;
  int looked_at_ = 0;
  double before_ = INFINITY;  // estimate at the last look
};

// What to do with sweeps that go in circles: another start, once, or smaller steps.
class Patience {
 public:
  explicit Patience(const SolveParameters& how) : how_(how), left_(how.patience) {}

  // Takes in what a sweep saw; true when it is time to start from nothing.
  bool see(double estimate);
  bool may_start_again() const { return !has_restarted_; }
  void start_again();

  double best() const { return best_; }
  double relaxation() const { return relaxation_; }

 private:
  const SolveParameters& how_;
  bool has_restarted_ = false;
  double relaxation_ = 1.0, best_ = INFINITY, best_before_ = INFINITY;
  int left_;
};

}  // namespace stance::solver
