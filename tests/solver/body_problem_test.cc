// The space of bodies and the matrix W are two views of one problem.

#include <numeric>

#include <gtest/gtest.h>

#include "stance/solver/body_sweeps.h"
#include "stance/solver/matrix_newton.h"
#include "stance/solver/solve.h"

#include "solver/body_checks.h"
#include "solver/random_body_problem.h"
#include "support/random_forest.h"

namespace stance::solver {
namespace {

using test::CoordinateData;
using test::make_body_problem;
using test::make_free_bodies;
using test::make_mixed_bodies;
using test::make_whole;

TEST(BodyProblem, SweepsAsTheExplicitMatrixDoes) {
  for (int seed = 0; seed < 30; ++seed) {
    CoordinateData data;
    const BodyProblem problem = make_body_problem(seed, data);
    const ContactProblem same = make_whole(problem);
    ASSERT_EQ(find_fault(same), "");
    SCOPED_TRACE(seed);
    BodySweeps sweeps;
    test::expect_same_sweeps(problem, same, 1.0, 1e-11, sweeps);
  }
}

TEST(BodyProblem, IsSolved) {
  for (int seed = 0; seed < 50; ++seed) {
    CoordinateData data;
    const BodyProblem problem = make_body_problem(seed, data);
    SCOPED_TRACE(seed);
    BodySweeps sweeps;
    Solver solver;
    const std::vector<Vec3d> p = test::expect_solved(problem, sweeps, solver);
    const ContactProblem same = make_whole(problem);
    EXPECT_LT(calc_residual(same, p).relative, 2e-10) << "seed " << seed;
  }
}

TEST(ContactLanes, LeaveTheVelocitiesOfTheirImpulses) {
  for (int seed = 0; seed < 30; ++seed) {
    const BodyProblem problem = make_mixed_bodies(seed);
    const int n = problem.num_blocks();
    const ContactProblem same = make_whole(problem);
    BodySweeps sweeps;
    sweeps.start(problem);
    std::vector<Vec3d> p(n);
    sweeps.place(p);
    for (int k = 0; k < 6; ++k) {
      const SweepReport report = sweeps.sweep(p, k == 3 ? 0.5 : 1.0, k == 2 ? 1e-3 : kExact);
      double impulse2 = 0.0;
      for (int i = 0; i < n; ++i) {
        const Vec3d u = same.q[i] + same.W.multiply_row(i, p);
        ASSERT_LT(norm(sweeps.swept_velocity(i) - u), 1e-11) << "seed " << seed << " block " << i;
        impulse2 += dot(p[i], p[i]);
        const Block& block = problem.blocks[i];
        if (block.law != Law::kContact) continue;
        EXPECT_LE(std::hypot(p[i][1], p[i][2]), block.mu * p[i][0] * (1.0 + 1e-15));
      }
      EXPECT_NEAR(report.impulse, std::sqrt(impulse2), 1e-12 * report.impulse);
      if (k != 4) continue;
      for (Vec3d& x : p) x = 0.5 * x;
      sweeps.place(p);
    }
  }
}

// The laws of a contact held one at a time and four at a time are the same: what one finds, the
// other leaves alone.
TEST(ContactLanes, RestWhereEveryLawHolds) {
  int rested = 0;
  for (int seed = 0; seed < 30; ++seed) {
    const BodyProblem problem = make_mixed_bodies(seed);
    const int n = problem.num_blocks();
    const ContactProblem same = make_whole(problem);
    SolveOptions options;
    options.tolerance = 1e-12;
    Solver solver;
    std::vector<Vec3d> p(n);
    ASSERT_TRUE(solver.solve(same, options, p).is_converged) << "seed " << seed;
    const std::vector<Vec3d> before = p;
    // a contact by itself may have several answers, and sweeps then take another than Newton's
    std::vector<Vec3d> one_by_one = p;
    GaussSeidel dense;
    dense.start(same);
    if (dense.sweep(one_by_one, 1.0, kExact).change > 1e-6) continue;
    ++rested;
    BodySweeps sweeps;
    sweeps.start(problem);
    sweeps.place(p);
    const SweepReport report = sweeps.sweep(p, 1.0, kExact);
    EXPECT_LT(report.change, 1e-11 * (report.impulse + report.velocity)) << "seed " << seed;
    EXPECT_LT(sweeps.grade(p).relative, 1e-11) << "seed " << seed;
    for (int i = 0; i < n; ++i) ASSERT_LT(norm(p[i] - before[i]), 1e-9) << "seed " << seed;

    std::fill(p.begin(), p.end(), Vec3d());
    sweeps.start(problem);
    ASSERT_TRUE(solver.solve(sweeps, options, p).is_converged) << "seed " << seed;
    EXPECT_LT(calc_residual(same, p).relative, 2e-12) << "seed " << seed;
  }
  EXPECT_GT(rested, 25);
}

// Six unknowns a body or three a point: the same system of equations.
TEST(BodyNewton, GoesWhereTheMatrixGoes) {
  for (int seed = 0; seed < 20; ++seed) {
    const BodyProblem problem = make_free_bodies(seed, 3 + 2 * seed);
    const int n = problem.num_blocks();
    ASSERT_TRUE(BodyNewton::can_serve(problem));
    const ContactProblem same = make_whole(problem);
    MatrixNewton whole;
    whole.start(same, same.W);
    BodyNewton bodies;
    bodies.start(problem);
    kernel::Random random(seed);
    std::vector<Vec3d> p(n), u(n), v(n), a(n), b(n);
    for (Vec3d& x : p) x = Vec3d(Eigen::Vector3d(test::make_vector(random, 3, 1.0)));
    whole.calc_velocities(p, u), bodies.calc_velocities(p, v);
    EXPECT_NEAR(calc_relative_residual(problem.blocks, problem.q, p, v),
                calc_residual(same, p).relative, 1e-12);
    for (const EquationKind kind :
         {EquationKind::kFischerBurmeister, EquationKind::kAlartCurnier}) {
      for (int i = 0; i < n; ++i) {
        EXPECT_LT(norm(u[i] - v[i]), 1e-11);
        EXPECT_LT(norm(whole.own_part(i) - bodies.own_part(i)), 1e-12);
      }
      const std::vector<NewtonRow> rows = test::make_rows(kind, problem.blocks, whole, p, u);
      ASSERT_TRUE(whole.solve(rows, 1e-3, a) && bodies.solve(rows, 1e-3, b)) << "seed " << seed;
      double size = 0.0;
      for (int i = 0; i < n; ++i) size = std::max(size, norm(a[i]));
      for (int i = 0; i < n; ++i) ASSERT_LT(norm(a[i] - b[i]), 1e-9 * size) << "seed " << seed;
    }
  }
}

// Rows in use only, what needs no system solved on the spot: the same steps as with all of W, for
// every law, bodies and joints together.
TEST(DenseNewton, GoesWhereTheMatrixGoes) {
  int alone = 0;
  for (int seed = 0; seed < 40; ++seed) {
    CoordinateData data;
    const BodyProblem problem = make_body_problem(seed, data);
    const int n = problem.num_blocks();
    const ContactProblem same = make_whole(problem);
    MatrixNewton whole;
    whole.start(same, same.W);
    DenseNewton from_bodies, from_matrix;
    NodeMotions work;
    from_bodies.start(problem, work);
    from_matrix.start(same);
    kernel::Random random(seed);
    const std::vector<Vec3d> p = test::draw_impulses(problem.blocks, random);
    std::vector<Vec3d> u(n);
    whole.calc_velocities(p, u);
    for (const EquationKind kind :
         {EquationKind::kFischerBurmeister, EquationKind::kAlartCurnier}) {
      const std::vector<NewtonRow> rows = test::make_rows(kind, problem.blocks, whole, p, u);
      for (const NewtonRow& row : rows) {
        double part = 0.0;
        for (int c = 0; c < 3; ++c) part += norm(row.A.c[c]);
        alone += part == 0.0;
      }
      std::vector<Vec3d> a(n), b(n), v(n);
      ASSERT_TRUE(whole.solve(rows, 1e-3, a)) << "seed " << seed;
      double size = 0.0;
      for (int i = 0; i < n; ++i) size = std::max(size, norm(a[i]));
      for (DenseNewton* dense : {&from_bodies, &from_matrix}) {
        dense->calc_velocities(p, v);
        ASSERT_TRUE(dense->solve(rows, 1e-3, b)) << "seed " << seed;
        for (int i = 0; i < n; ++i) {
          EXPECT_LT(norm(u[i] - v[i]), 1e-11) << "seed " << seed;
          EXPECT_LT(norm(whole.own_part(i) - dense->own_part(i)), 1e-12) << "seed " << seed;
          EXPECT_LT(norm(a[i] - b[i]), 1e-9 * size) << "seed " << seed;
        }
      }
    }
  }
  EXPECT_GT(alone, 100);
}

// Against Eigen's factor, for every remainder of its panels of four; and a matrix without a pivot.
TEST(DenseSystem, SolvesWhatCanBeSolved) {
  kernel::Random random(5);
  DenseSystem system;
  for (int n = 0; n <= 70; ++n) {
    Eigen::MatrixXd A(n, n);
    Eigen::VectorXd b(n);
    system.start(n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) system.row(i)[j] = A(i, j) = random.uniform(-1.0, 1.0);
      system.right(i) = b[i] = random.uniform(-1.0, 1.0);
    }
    ASSERT_TRUE(system.solve()) << n;
    if (n == 0) continue;
    const Eigen::Map<const Eigen::VectorXd> x(system.solution().data(), n);
    EXPECT_LT((A * x - b).norm(), 1e-11 * (1.0 + x.norm())) << n;
    system.start(n);
    for (int i = 0; i < n; ++i) {
      std::fill_n(system.row(i), n, i == n / 2 ? 0.0 : A(i, i));
      system.right(i) = 1.0;
    }
    EXPECT_FALSE(system.solve()) << n;
  }
}

// An answer that is known, u = 0 for impulses inside of their cones, and pushed off a little.
TEST(BodyProblem, IsHeldStillWhereNothingSlides) {
  for (int seed = 0; seed < 50; ++seed) {
    CoordinateData data;
    BodyProblem problem = make_body_problem(seed, data);
    SCOPED_TRACE(seed);
    kernel::Random random(seed);
    const std::vector<Vec3d> p = test::press_inside(problem, random);
    test::expect_held_still(problem, make_whole(problem).W, p, random);
  }
}

TEST(BodyProblem, IsLeftAloneWhereSomethingSlides) {
  int slides = 0;
  for (int seed = 0; seed < 50; ++seed) {
    CoordinateData data;
    const BodyProblem problem = make_body_problem(seed, data);
    BodySweeps sweeps;
    sweeps.start(problem);
    std::vector<Vec3d> p(12);
    SolveOptions options;
    Solver solver;
    ASSERT_TRUE(solver.solve(sweeps, options, p).is_converged);
    bool is_sliding = false;
    for (int i = 0; i < 12; ++i) {
      const Vec3d u = sweeps.swept_velocity(i);
      is_sliding = is_sliding || (problem.blocks[i].law == Law::kContact && p[i][0] > 1e-3 &&
                                  problem.blocks[i].mu > 0.0 && std::hypot(u[1], u[2]) > 1e-3);
    }
    if (!is_sliding) continue;
    ++slides;
    const std::vector<Vec3d> before = p;
    EXPECT_EQ(sweeps.hold_still(p, 1e-8, 1e-15), 0) << "seed " << seed;
    for (int i = 0; i < 12; ++i) EXPECT_EQ(norm(p[i] - before[i]), 0.0) << "seed " << seed;
  }
  EXPECT_GT(slides, 25);
}

TEST(BodyProblem, AStartThatIsExactIsTakenAsItIs) {
  CoordinateData data;
  const BodyProblem problem = make_body_problem(4, data);
  BodySweeps sweeps;
  sweeps.start(problem);
  std::vector<Vec3d> p(12);
  SolveOptions options;
  options.tolerance = 1e-13;
  Solver solver;
  ASSERT_TRUE(solver.solve(sweeps, options, p).is_converged);
  const auto solve_again = [&](double tolerance) {
    sweeps.start(problem);
    options.tolerance = tolerance;
    std::vector<Vec3d> again = p;
    return solver.solve(sweeps, options, again);
  };
  EXPECT_EQ(solve_again(1e-8).start, StartGrade::kSettled);
  EXPECT_EQ(solve_again(1e-8).sweeps, 0);
  EXPECT_EQ(solve_again(1e-12).start, StartGrade::kNear);
  p[0] += Vec3d(0.01, 0.0, 0.0);
  EXPECT_EQ(solve_again(1e-8).start, StartGrade::kFar);
}

}  // namespace
}  // namespace stance::solver
