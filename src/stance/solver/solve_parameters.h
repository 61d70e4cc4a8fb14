#pragma once

// Every number that the solver's strategies go by, and why it is what it is. They were found by
// measurement (README.md) and serve for all scenes; a step never changes them.

#include "stance/solver/local_law.h"

namespace stance::solver {

struct SolveParameters {
  // ---- impulses of the last step (Solver::serve_again) ----

  // Held still down to this part of the tolerance: nearly as good as rounding allows.
  double still = 1e-7;
  // What a stronger method finds counts only when the residual falls below this part of the one
  // before: a little is not worth the way that sweeps have come.
  double worthwhile = 0.1;

  // ---- when sweeps are graded (GradePlan) ----

  // Settling: so much nearer than the start, but no farther than Newton's method aims at, that part
  // of the tolerance (for the way into the cones), with at most twice the sweeps that the tolerance
  // took and these.
  double nearer = 0.1, margin = 0.01;
  int more_sweeps = 4;
  // How well contacts are solved: to so much of what sweeps still change, between these two.
  double local_part = 0.01, finest = kExact, coarsest = 1e-3;
  // What a sweep sees before each change is more than what it leaves behind, mostly by the first
  // factor; a grade that shows otherwise puts it right, with the second as a margin.
  double left = 0.6, cautious = 1.1;

  // ---- Anderson's acceleration (Acceleration) ----

  // With more blocks than this a proposal costs about as much as a sweep, and is as good with so
  // many sweeps in between.
  int many_blocks = 64, sweeps_a_proposal = 3;
  // A proposal may make things worse by this factor. Beyond it, it is taken back and so many plain
  // sweeps follow, twice as many after the next, until the estimate has fallen by `trusted`.
  double rejected = 2.0;
  int shortest_rest = 4;
  double trusted = 0.1;

  // ---- Newton's method (NewtonPlan) ----

  // Sweeps before it is thought of, and steps of a try: as many as cost what the sweeps did, within
  // these bounds.
  int fewest_sweeps = 12, fewest_steps = 25, most_steps = 60;
  // How fast sweeps are is looked at every so often; it is tried if it should be cheaper with as
  // many steps as it mostly takes.
  int look = 8, mostly_steps = 6;
  // Of many blocks and far from the solution, it takes many more steps, and sweeps are judged over
  // a longer stretch.
  double far = 1e-4;
  int far_look = 64, most_large_steps = 120;
  // Where one step costs at most so many sweeps, as with robots, whose sweeps are dear, it is tried
  // as soon as there is an early start: a humanoid with a beam in its hands, pulled about, takes
  // 0.18 ms a step instead of 0.29 with 12 sweeps before the first look. So many tries in vain are
  // borne before a start from nothing, which takes the answer far away from the last one.
  double handy = 40.0;
  int handy_in_vain = 5;
  // By then all ways were tried from both starts, and more sweeps find nothing: of 404 hard
  // problems one was solved later.
  int handy_sweeps = 600;
  // Sweeps after which a start for Fischer and Burmeister's form is kept: it gets caught when
  // started where sweeps have crawled to.
  int early_sweeps = 3;
  // Up to so many blocks the first try is from there; with more, sweeps come near the solution, and
  // the first is from where they are.
  int few_blocks = 16;

  // ---- sweeps that get nowhere (Patience) ----

  // So many must bring the estimate below `stuck` of what it was, lest they start from nothing,
  // once, or be relaxed, or so many tries of Newton's method be in vain: after a blow, impulses of
  // the last step only mislead.
  int patience = 250, in_vain = 2;
  double stuck = 0.5, relaxed = 0.5;
};

inline constexpr SolveParameters kUsualParameters{};

}  // namespace stance::solver
