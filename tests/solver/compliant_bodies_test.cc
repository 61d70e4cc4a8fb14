// Problems in which something gives way, in the space of bodies, in Newton's method and with
// pyramids.

#include <gtest/gtest.h>

#include "stance/solver/body_sweeps.h"
#include "stance/solver/faceted.h"
#include "stance/solver/matrix_newton.h"
#include "stance/solver/solve.h"

#include "solver/body_checks.h"
#include "solver/compliant_problem.h"
#include "solver/random_body_problem.h"
#include "solver/random_problem.h"
#include "support/random_forest.h"

namespace stance::solver {
namespace {

using test::add_random_compliance;
using test::add_random_group;
using test::calc_distance;
using test::flatten;
using test::make_rigid;
using test::solve;

// ---- in the space of bodies ---------------------------------------------------------------------

TEST(CompliantBodies, SweepAsTheMatrixDoes) {
  for (int seed = 0; seed < 30; ++seed) {
    test::CoordinateData data;
    BodyProblem problem = test::make_body_problem(seed, data);
    add_random_compliance(problem.blocks, seed, 1.0, problem.C);
    const ContactProblem same = test::make_whole(problem);
    ASSERT_FALSE(same.C.is_empty());
    SCOPED_TRACE(seed);
    BodySweeps sweeps;
    const std::vector<Vec3d> p = test::expect_same_sweeps(problem, same, 0.5, 1e-10, sweeps);
    std::vector<Vec3d> u(12);
    calc_velocities(same, p, u);
    for (int i = 0; i < 12; ++i) EXPECT_LT(norm(sweeps.swept_velocity(i) - u[i]), 1e-11);
  }
}

TEST(CompliantBodies, AreSolved) {
  for (int seed = 0; seed < 50; ++seed) {
    test::CoordinateData data;
    BodyProblem problem = test::make_body_problem(seed, data);
    add_random_compliance(problem.blocks, seed, std::pow(10.0, seed % 5 - 3), problem.C);
    SCOPED_TRACE(seed);
    BodySweeps sweeps;
    Solver solver;
    std::vector<Vec3d> p = test::expect_solved(problem, sweeps, solver);
    EXPECT_LT(calc_residual(make_rigid(test::make_whole(problem)), p).relative, 2e-10);
    // the next problem of the same work space is rigid, and nothing is left of the last
    problem.C.clear();
    p = test::expect_solved(problem, sweeps, solver);
    EXPECT_LT(calc_residual(test::make_whole(problem), p).relative, 2e-10);
  }
}

// Contacts that give way are left out of the lanes of four, the others stay there.
TEST(CompliantBodies, AreSweptBesideTheLanes) {
  for (int seed = 0; seed < 12; ++seed) {
    BodyProblem problem = test::make_mixed_bodies(seed);
    const int n = problem.num_blocks();
    kernel::Random random(seed);
    const int members[] = {3, 10, 17, 24};
    add_random_group(problem.blocks, members, 0.3, false, random, problem.C);
    problem.C.set_own(40, Vec3d(0.1, 0.2, 0.2));
    ContactLanes lanes;
    lanes.start(problem);
    ASSERT_FALSE(lanes.is_empty());
    for (int i = 0; i < n; ++i) EXPECT_FALSE(lanes.has(i) && problem.C.has(i));
    SolveOptions options;
    options.tolerance = 1e-11;
    Solver solver;
    BodySweeps sweeps;
    sweeps.start(problem);
    std::vector<Vec3d> p(n);
    const SolveStatus status = solver.solve(sweeps, options, p);
    EXPECT_TRUE(status.is_converged) << "seed " << seed;
    const ContactProblem rigid = make_rigid(test::make_whole(problem));
    EXPECT_LT(calc_residual(rigid, p).relative, 2e-11) << "seed " << seed;
    for (int i = 0; i < n; ++i)
      EXPECT_LT(norm(sweeps.swept_velocity(i) - rigid.q[i] - rigid.W.multiply_row(i, p)), 1e-9);
  }
}

TEST(CompliantBodies, AreHeldStillWhereNothingSlides) {
  for (int seed = 0; seed < 50; ++seed) {
    test::CoordinateData data;
    BodyProblem problem = test::make_body_problem(seed, data);
    SCOPED_TRACE(seed);
    kernel::Random random(seed);
    const std::vector<Vec3d> p = test::press_inside(problem, random);
    add_random_compliance(problem.blocks, seed, 0.3, problem.C);
    test::expect_held_still(problem, make_rigid(test::make_whole(problem)).W, p, random);
  }
}

// ---- Newton's method and pyramids ---------------------------------------------------------------

// All forms of its linear system step as the dense one of W + C does.
TEST(CompliantNewton, StepsAsTheMatrixDoes) {
  for (int seed = 0; seed < 30; ++seed) {
    test::CoordinateData data;
    const bool is_free = seed % 2 == 0;
    BodyProblem problem =
        is_free ? test::make_free_bodies(seed, 9) : test::make_body_problem(seed, data);
    const int n = problem.num_blocks();
    if (is_free)
      for (int i = 0; i < n; i += 2) {
        const int member[] = {i};
        kernel::Random random(seed + i);
        add_random_group(problem.blocks, member, 0.5, false, random, problem.C);
        problem.C.set_own(i, Vec3d(0.1, 0.2, 0.3));
      }
    else
      add_random_compliance(problem.blocks, seed, 0.5, problem.C);
    const ContactProblem same = test::make_whole(problem), rigid = make_rigid(same);
    BlockMatrix room;
    NodeMotions work;
    MatrixNewton reference, matrix;
    reference.start(rigid, rigid.W), matrix.start(same, find_total(same, room));
    DenseNewton dense, from_bodies;
    dense.start(same), from_bodies.start(problem, work);
    BodyNewton bodies;
    std::vector<NewtonProblem*> all = {&matrix, &dense, &from_bodies};
    EXPECT_EQ(BodyNewton::can_serve(problem), is_free);
    if (is_free) bodies.start(problem), all.push_back(&bodies);
    kernel::Random random(seed);
    const std::vector<Vec3d> p = test::draw_impulses(problem.blocks, random);
    std::vector<Vec3d> u(n), v(n), a(n), b(n);
    reference.calc_velocities(p, u);
    for (const EquationKind kind :
         {EquationKind::kFischerBurmeister, EquationKind::kAlartCurnier}) {
      const std::vector<NewtonRow> rows = test::make_rows(kind, rigid.blocks, reference, p, u);
      ASSERT_TRUE(reference.solve(rows, 1e-3, a)) << "seed " << seed;
      for (NewtonProblem* form : all) {
        form->calc_velocities(p, v);
        EXPECT_LT(calc_distance(u, v), 1e-11) << "seed " << seed;
        for (int i = 0; i < n; ++i)
          EXPECT_LT(norm(form->own_part(i) - reference.own_part(i)), 1e-12) << "seed " << seed;
        ASSERT_TRUE(form->solve(rows, 1e-3, b)) << "seed " << seed;
        EXPECT_LT(calc_distance(a, b), 1e-9 * flatten(a).norm()) << "seed " << seed;
      }
    }
  }
}

// Without friction pyramids are cones.
TEST(CompliantFaceted, FindsTheExactAnswerWithoutFriction) {
  for (int seed = 0; seed < 10; ++seed) {
    ContactProblem problem = test::make_problem(seed, {.bodies = 4, .contacts = 8, .mu = 0.0});
    add_random_compliance(problem.blocks, seed, 0.5, problem.C);
    for (int i = 0; i < 8; ++i) problem.C.set_own(i, Vec3d(0.1, 0.1, 0.1));
    std::vector<Vec3d> p(8);
    ASSERT_TRUE(solve_faceted(problem, {}, p).is_solved) << "seed " << seed;
    EXPECT_LT(calc_distance(p, solve(problem, 1e-13).p), 1e-9) << "seed " << seed;
  }
}

}  // namespace
}  // namespace stance::solver
