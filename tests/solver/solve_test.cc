// The solver as a whole, on random heaps of loose bodies; every answer is graded from scratch.

#include "stance/solver/solve.h"

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "heap_counter.h"
#include "solver/random_problem.h"

namespace stance::solver {
namespace {

using test::Answer;
using test::solve;
using test::to;

constexpr double kTolerance = 1e-10;

// Row A12. Jammed heaps (32 contacts on 4 bodies) are among them.
TEST(Solve, ReachesItsToleranceOnRandomHeaps) {
  for (int seed = 0; seed < 200; ++seed) {
    test::ProblemOptions heap;
    heap.bodies = 1 + seed % 9;
    heap.contacts = 1 + seed % 40;
    const ContactProblem problem = test::make_problem(seed, heap);
    SolveOptions options = to(kTolerance);
    options.max_sweeps = 20000;
    const Answer answer = solve(problem, options);
    EXPECT_TRUE(answer.status.is_converged) << "seed " << seed;
    EXPECT_LT(calc_residual(problem, answer.p).relative, kTolerance) << "seed " << seed;
  }
}

// Plain sweeps, accelerated sweeps and Newton's method, each on its own, agree on velocities where
// they are unique: one contact per body, friction small enough.
TEST(Solve, AllWaysLeadToTheSameVelocities) {
  for (int seed = 0; seed < 30; ++seed) {
    const ContactProblem problem =
        test::make_problem(seed, {.bodies = 8, .contacts = 6, .mass_ratio = 1.0, .mu = 0.2});
    SolveOptions plain = to(1e-12), accelerated = to(1e-12);
    plain.accelerate = plain.use_newton = accelerated.use_newton = false;
    const Answer a = solve(problem, plain), b = solve(problem, accelerated);
    ASSERT_TRUE(a.status.is_converged && b.status.is_converged);
    // Newton's method from a rough start
    std::vector<Vec3d> p(problem.num_blocks());
    GaussSeidel sweeps;
    sweeps.start(problem);
    for (int k = 0; k < 3; ++k) sweeps.sweep(p, 1.0, kExact);
    for (int i = 0; i < problem.num_blocks(); ++i)
      EXPECT_LT(norm(a.p[i] - b.p[i]), 1e-9) << "seed " << seed;
    for (const EquationKind kind :
         {EquationKind::kFischerBurmeister, EquationKind::kAlartCurnier}) {
      std::vector<Vec3d> r = p;
      Newton newton;
      MatrixNewton whole;
      whole.start(problem, problem.W);
      newton.start(whole);
      newton.run({kind, 1e-10}, whole, 50, 1e-12, 1e-14, nullptr, nullptr, r);
      ASSERT_LT(calc_residual(problem, r).relative, 1e-12) << "seed " << seed;
      for (int i = 0; i < problem.num_blocks(); ++i)
        EXPECT_LT(norm(a.p[i] - r[i]), 1e-9) << "seed " << seed;
    }
  }
}

// Row A14: whenever it stops, the impulses are in their cones.
TEST(Solve, IsAdmissibleWheneverItStops) {
  for (int seed = 0; seed < 40; ++seed)
    for (int sweeps = 1; sweeps < 30; sweeps += 3) {
      const ContactProblem problem = test::make_problem(seed, {.bodies = 3, .contacts = 20});
      SolveOptions options = to(1e-14);
      options.max_sweeps = sweeps;
      const Answer answer = solve(problem, options);
      double size = 0.0;
      for (const Vec3d& p : answer.p) size = std::max(size, norm(p));
      EXPECT_LE(calc_residual(problem, answer.p).cone_violation, 1e-15 * size)
          << "seed " << seed << ", " << sweeps << " sweeps";
    }
}

TEST(Solve, StopsWhenAsked) {
  const ContactProblem problem = test::make_problem(1, {.bodies = 3, .contacts = 40});
  SolveOptions options = to(1e-300);
  int calls = 0;
  options.should_stop = [](void* count) { return ++*static_cast<int*>(count) == 5; };
  options.stop_argument = &calls;
  const Answer answer = solve(problem, options);
  EXPECT_FALSE(answer.status.is_converged);
  EXPECT_EQ(answer.status.sweeps, 5);
}

// Row A13: a warm start from the solution of a nearby problem saves most of the sweeps.
TEST(Solve, WarmStartSavesSweeps) {
  int cold = 0, warm = 0;
  for (int seed = 0; seed < 30; ++seed) {
    ContactProblem problem = test::make_problem(seed, {.bodies = 6, .contacts = 15});
    const Answer before = solve(problem, to(1e-8));
    EXPECT_LE(solve(problem, to(1e-8), before.p).status.sweeps, 2);
    for (Vec3d& q : problem.q) q = 1.0001 * q;
    cold += solve(problem, to(1e-8)).status.sweeps;
    warm += solve(problem, to(1e-8), before.p).status.sweeps;
  }
  EXPECT_LT(warm, 0.6 * cold);
}

// The acceleration is worth its place.
TEST(Solve, AccelerationSavesSweeps) {
  int plain = 0, accelerated = 0;
  for (int seed = 0; seed < 20; ++seed) {
    const ContactProblem problem = test::make_problem(seed, {.bodies = 6, .contacts = 30});
    SolveOptions options = to(1e-8);
    options.use_newton = false;
    accelerated += solve(problem, options).status.sweeps;
    options.accelerate = false;
    plain += solve(problem, options).status.sweeps;
  }
  EXPECT_LT(accelerated, 0.5 * plain);
}

// Hostile ones: mass ratio 1e6, no friction, much friction, every contact twice.
TEST(Solve, CopesWithHostileProblems) {
  for (int seed = 0; seed < 20; ++seed) {
    for (const double mu : {0.0, 10.0}) {
      const ContactProblem problem =
          test::make_problem(seed, {.bodies = 4, .contacts = 8, .mass_ratio = 1e6, .mu = mu});
      const Answer answer = solve(problem, to(1e-8));
      EXPECT_TRUE(answer.status.is_converged) << "seed " << seed << ", mu " << mu;
    }
    // the same contacts twice: W of rank half its size, the same velocities
    const ContactProblem once = test::make_problem(seed, {.bodies = 8, .contacts = 6, .mu = 0.2});
    std::vector<Entry> entries;
    ContactProblem twice;
    for (int copy = 0; copy < 2; ++copy) {
      twice.q.insert(twice.q.end(), once.q.begin(), once.q.end());
      twice.blocks.insert(twice.blocks.end(), once.blocks.begin(), once.blocks.end());
    }
    for (int i = 0; i < 12; ++i)
      for (int k = once.W.row_start[i % 6]; k < once.W.row_start[i % 6 + 1]; ++k)
        for (int j = once.W.column[k]; j < 12; j += 6)
          for (int c = 0; c < 3; ++c)
            for (int r = 0; r < 3; ++r)
              entries.push_back({3 * i + r, 3 * j + c, once.W.block[k](r, c)});
    twice.W = make_block_matrix(12, entries);
    const Answer a = solve(once, to(1e-12)), b = solve(twice, to(1e-12));
    ASSERT_TRUE(a.status.is_converged && b.status.is_converged) << "seed " << seed;
    for (int i = 0; i < 6; ++i) EXPECT_LT(norm(a.p[i] - b.p[i] - b.p[i + 6]), 1e-9);
  }
}

// Laws mixed in one problem: contacts, limits, dry friction, a bilateral block, spin.
TEST(Solve, SolvesAllLawsInOneLoop) {
  for (int seed = 0; seed < 50; ++seed) {
    ContactProblem problem = test::make_problem(seed, {.bodies = 6, .contacts = 12});
    test::mix_laws(problem);
    const Answer answer = solve(problem, to(1e-9));
    EXPECT_TRUE(answer.status.is_converged) << "seed " << seed;
    EXPECT_EQ(answer.p[1][1], 0.0);
    EXPECT_LE(std::abs(answer.p[2][0]), 0.05);
  }
}

// A bilateral problem is a linear one.
TEST(Solve, BilateralBlocksAreALinearSystem) {
  ContactProblem problem = test::make_problem(3, {.bodies = 8, .contacts = 4});
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(12, 12);
  Eigen::VectorXd q(12);
  for (int i = 0; i < 4; ++i) {
    problem.blocks[i].law = Law::kBilateral;
    q.segment<3>(3 * i) = problem.q[i].eigen();
    for (int k = problem.W.row_start[i]; k < problem.W.row_start[i + 1]; ++k)
      W.block<3, 3>(3 * i, 3 * problem.W.column[k]) = problem.W.block[k].eigen();
  }
  const Eigen::VectorXd expected = W.partialPivLu().solve(-q);
  const Answer answer = solve(problem, to(1e-13));
  for (int i = 0; i < 4; ++i)
    EXPECT_LT((answer.p[i].eigen() - expected.segment<3>(3 * i)).norm(), 1e-10);
}

// The counts of the strategies are theirs: what is switched off does nothing, and what is asked for
// by its parameters happens.
TEST(Solve, CountsWhatItTook) {
  const ContactProblem problem = test::make_problem(1, {.bodies = 3, .contacts = 40});
  SolveOptions options = to(1e-300);
  options.max_sweeps = 400;
  options.use_newton = options.accelerate = false;
  const SolveStatus plain = solve(problem, options).status;
  EXPECT_EQ(plain.sweeps, 400);
  EXPECT_EQ(plain.proposals, 0);
  EXPECT_EQ(plain.newton_tries, 0);
  EXPECT_EQ(plain.grades, 0);
  options.accelerate = true;
  const SolveStatus accelerated = solve(problem, options).status;
  EXPECT_GT(accelerated.proposals, 100);
  EXPECT_LE(accelerated.proposals + accelerated.taken_back, 400);
  options.use_newton = true;
  const SolveStatus newton = solve(problem, options).status;
  EXPECT_GT(newton.newton_tries, 0);
  EXPECT_GE(newton.newton_steps, newton.newton_tries);
  // a new start after the first try in vain, and relaxed sweeps once patience is short
  SolveParameters how;
  options.parameters = &how;
  how.in_vain = 1;
  EXPECT_EQ(solve(problem, options).status.restarts, 1);
  options.use_newton = false;
  how.patience = 20;
  const SolveStatus impatient = solve(problem, options).status;
  EXPECT_EQ(impatient.restarts, 1);
  EXPECT_GT(impatient.relaxed_sweeps, 0);
  SolveStatistics sum = impatient;
  sum.add(newton);
  EXPECT_EQ(sum.sweeps, 800);
  EXPECT_EQ(sum.newton_tries, newton.newton_tries);
  EXPECT_EQ(sum.relaxed_sweeps, impatient.relaxed_sweeps + newton.relaxed_sweeps);
}

// Parameters are heeded: far from their defaults, one problem or the other is solved differently.
TEST(Solve, ListensToItsParameters) {
  const auto count = [](auto&& change) {
    unsigned sum = 0;
    for (int seed = 0; seed < 12; ++seed) {
      const ContactProblem problem = test::make_problem(
          seed, {.bodies = 4 + 5 * (seed % 4), .contacts = 20 + 20 * (seed % 5)});
      SolveOptions options = to(1e-9);
      options.max_sweeps = 600;
      SolveParameters how;
      change(how);
      options.parameters = &how;
      const SolveStatus status = solve(problem, options).status;
      sum = 31 * sum +
            static_cast<unsigned>(status.sweeps + 7 * status.newton_steps + 3 * status.proposals);
    }
    return sum;
  };
  const unsigned usual = count([](SolveParameters&) {});
  EXPECT_EQ(count([](SolveParameters&) {}), usual);
  const auto differs = [&](const char* name, auto&& change) {
    EXPECT_NE(count(change), usual) << name;
  };
  differs("left", [](SolveParameters& how) { how.left = 1.0; });
  differs("coarsest", [](SolveParameters& how) { how.coarsest = 0.5, how.local_part = 0.5; });
  differs("many_blocks", [](SolveParameters& how) { how.many_blocks = 10; });
  differs("sweeps_a_proposal", [](SolveParameters& how) { how.sweeps_a_proposal = 2; });
  differs("rejected", [](SolveParameters& how) { how.rejected = 1.01; });
  differs("fewest_sweeps", [](SolveParameters& how) { how.fewest_sweeps = 40; });
  differs("look", [](SolveParameters& how) { how.look = 30; });
  differs("mostly_steps", [](SolveParameters& how) { how.mostly_steps = 60; });
  differs("early_sweeps", [](SolveParameters& how) { how.early_sweeps = 9; });
  differs("few_blocks", [](SolveParameters& how) { how.few_blocks = 64; });
}

TEST(Solve, NothingToSolve) {
  EXPECT_TRUE(solve(ContactProblem()).status.is_converged);
  ContactProblem apart = test::make_problem(1);
  for (Vec3d& q : apart.q) q = Vec3d(1.0, 0.0, 0.0);
  const Answer answer = solve(apart);
  EXPECT_TRUE(answer.status.is_converged);
  for (const Vec3d& p : answer.p) EXPECT_EQ(norm(p), 0.0);
}

TEST(Solve, AsksForNoMemoryOnceWarm) {
  Solver solver;
  SolveOptions options = to(1e-8);
  options.use_newton = false;
  const ContactProblem large = test::make_problem(1, {.bodies = 6, .contacts = 30}),
                       small = test::make_problem(2, {.bodies = 4, .contacts = 10});
  std::vector<Vec3d> p(30), r(10);
  (void)solver.solve(large, options, p);
  EXPECT_EQ(bench::count_heap_calls([&] { (void)solver.solve(small, options, r); }), 0);
  std::fill(p.begin(), p.end(), Vec3d());
  EXPECT_EQ(bench::count_heap_calls([&] { (void)solver.solve(large, options, p); }), 0);
}

// The same problem gives the same bits, whatever the solver did before.
TEST(Solve, GivesTheSameBitsAgain) {
  const ContactProblem problem = test::make_problem(5, {.bodies = 6, .contacts = 30});
  const Answer first = solve(problem);
  Solver used;
  std::vector<Vec3d> p(10);
  (void)used.solve(test::make_problem(6, {.bodies = 4, .contacts = 10}), {}, p);
  p.assign(30, Vec3d());
  (void)used.solve(problem, {}, p);
  for (int i = 0; i < 30; ++i)
    for (int k = 0; k < 3; ++k) EXPECT_EQ(p[i][k], first.p[i][k]);
}

}  // namespace
}  // namespace stance::solver
