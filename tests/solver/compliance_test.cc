// Problems in which something gives way: against dense matrices and an iteration of their own, and
// from rigid to springs.

#include "stance/solver/compliance.h"

#include <numeric>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <gtest/gtest.h>

#include "solver/compliant_problem.h"
#include "solver/random_problem.h"
#include "support/random_forest.h"

namespace stance::solver {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::add_random_compliance;
using test::add_random_group;
using test::Answer;
using test::calc_distance;
using test::flatten;
using test::iterate_reference;
using test::make_all_laws;
using test::make_dense;
using test::make_rigid;
using test::solve;

constexpr double kTolerance = 1e-11;

// ---- the data -----------------------------------------------------------------------------------

TEST(Compliance, IsADenseMatrix) {
  for (int seed = 0; seed < 20; ++seed) {
    const ContactProblem problem = make_all_laws(seed);
    const int n = problem.num_blocks();
    Compliance C;
    EXPECT_TRUE(C.is_empty());
    add_random_compliance(problem.blocks, seed, 1.0, C);
    ASSERT_EQ(find_fault(C, n), "");
    const MatrixXd dense = make_dense(C, n);
    EXPECT_LT((dense - dense.transpose()).norm(), 1e-15 * dense.norm());
    kernel::Random random(seed);
    std::vector<Vec3d> p(n), u(n);
    for (Vec3d& x : p) x = Vec3d(Vector3d(test::make_vector(random, 3, 1.0)));
    for (int i = 0; i < n; ++i) C.act(i, p[i], u);
    const VectorXd expected = dense * flatten(p);
    EXPECT_LT((flatten(u) - expected).norm(), 1e-14 * expected.norm());
    int coupled = 0, soft = 0;
    for (int i = 0; i < n; ++i) {
      EXPECT_LT((C.multiply_row(i, p).eigen() - expected.segment<3>(3 * i)).norm(), 1e-13);
      const Eigen::Matrix3d own = dense.block<3, 3>(3 * i, 3 * i);
      EXPECT_EQ(C.own_part(i).eigen(), own);
      soft += C.has(i), coupled += C.is_coupled(i);
      EXPECT_EQ(C.has(i), own.norm() > 0.0);
    }
    EXPECT_EQ(coupled, n / 2);
    EXPECT_GT(soft, coupled + 1);
    // W + C: every entry of both, columns ascending
    ContactProblem soft_problem = problem;
    soft_problem.C = C;
    BlockMatrix room;
    const BlockMatrix& total = find_total(soft_problem, room);
    EXPECT_EQ(&find_total(problem, room), &problem.W);
    find_total(soft_problem, room);
    EXPECT_LT((make_dense(total) - make_dense(problem.W) - dense).norm(), 1e-15 * dense.norm());
    for (int i = 0; i < n; ++i)
      EXPECT_EQ(total.column[total.diagonal[i]], i) << "the diagonal is always present";
  }
}

TEST(Compliance, IsRefusedWhereItMeansNothing) {
  const ContactProblem sound = [] {
    ContactProblem problem = make_all_laws(1);
    add_random_compliance(problem.blocks, 1, 1.0, problem.C);
    return problem;
  }();
  ASSERT_EQ(find_fault(sound), "");
  const auto fault = [&](auto&& break_it) {
    ContactProblem problem = sound;
    break_it(problem.C);
    return find_fault(problem);
  };
  const auto says = [&](const char* word, auto&& break_it) {
    const std::string what = fault(break_it);
    EXPECT_NE(what.find(word), std::string::npos) << what;
  };
  says("symmetric", [](Compliance& C) { C.entry[1].c[0].set(2, C.entry[1](2, 0) + 0.1); });
  says("semidefinite", [](Compliance& C) {
    for (int k = 0; k < 3; ++k) C.entry[0].c[k].set(k, -0.2);
  });
  says("finite", [](Compliance& C) { C.entry[2].c[0].set(0, NAN); });
  says("negative", [](Compliance& C) { C.own.back().set(0, -1e-9); });
  says("not finite", [](Compliance& C) { C.own.back().set(0, INFINITY); });
  says("member", [](Compliance& C) { C.member[0] = 99; });
  says("two groups", [](Compliance& C) { C.member[3] = C.member[0]; });
  says("sizes", [](Compliance& C) { C.entry.pop_back(); });
  says("more than", [](Compliance& C) { C.set_own(50, {}); });
}

// ---- against the reference ----------------------------------------------------------------------

// Every law in one problem; the answer of the fixed point on dense matrices is the solver's.
TEST(CompliantSolve, FindsWhatADenseFixedPointFinds) {
  int soft = 0;
  for (int seed = 0; seed < 25; ++seed) {
    ContactProblem problem = make_all_laws(seed);
    add_random_compliance(problem.blocks, seed, 0.5, problem.C);
    for (int i = 0; i < problem.num_blocks(); ++i) {
      Vec3d own;
      for (int r = 0; r < count_rows(problem.blocks[i]); ++r) own.set(r, 0.2);
      problem.C.set_own(i, own);  // one answer only
    }
    const Answer answer = solve(problem, kTolerance);
    ASSERT_TRUE(answer.status.is_converged) << "seed " << seed;
    EXPECT_LT(calc_residual(problem, answer.p).relative, kTolerance);
    const VectorXd reference = iterate_reference(problem, 200000);
    EXPECT_LT((flatten(answer.p) - reference).norm(), 1e-8 * reference.norm()) << "seed " << seed;
    // and C matters: the rigid answer is another
    ContactProblem rigid = problem;
    rigid.C.clear();
    soft += calc_distance(solve(rigid, kTolerance).p, answer.p) > 0.1 * reference.norm();
  }
  EXPECT_GT(soft, 20);
}

// W + C as W: the same sweeps on the same numbers.
TEST(CompliantSolve, IsTheRigidProblemOfTheSum) {
  for (int seed = 0; seed < 50; ++seed) {
    ContactProblem problem = make_all_laws(seed, 1000.0);
    add_random_compliance(problem.blocks, seed, std::pow(10.0, seed % 5 - 3), problem.C);
    const ContactProblem rigid = make_rigid(problem);
    const Answer a = solve(problem, 1e-10), b = solve(rigid, 1e-10);
    ASSERT_TRUE(a.status.is_converged && b.status.is_converged) << "seed " << seed;
    EXPECT_LT(calc_residual(rigid, a.p).relative, 2e-10) << "seed " << seed;
    EXPECT_LT(calc_residual(problem, b.p).relative, 2e-10) << "seed " << seed;
    const Residual soft = calc_residual(problem, a.p), stiff = calc_residual(rigid, a.p);
    EXPECT_NEAR(soft.complementarity, stiff.complementarity, 1e-11);
    std::vector<Vec3d> u(problem.num_blocks()), v(u);
    calc_velocities(problem, a.p, u), calc_velocities(rigid, a.p, v);
    EXPECT_LT(calc_distance(u, v), 1e-12 * (1.0 + flatten(u).norm()));
  }
}

// Large problems take other ways: sparse matrices, acceleration in rounds.
TEST(CompliantSolve, SolvesLargeHeapsOnPads) {
  for (int seed = 0; seed < 4; ++seed) {
    ContactProblem problem =
        test::make_problem(seed, {.bodies = 60, .contacts = 160, .mass_ratio = 100.0});
    kernel::Random random(seed);
    for (int first = 0; first < 160; first += 20) {
      std::vector<int> members(12);
      std::iota(members.begin(), members.end(), first);
      add_random_group(problem.blocks, members, 0.1, first % 40 == 0, random, problem.C);
    }
    const Answer answer = solve(problem, 1e-9);
    EXPECT_TRUE(answer.status.is_converged) << "seed " << seed;
    EXPECT_LT(calc_residual(make_rigid(problem), answer.p).relative, 2e-9) << "seed " << seed;
  }
}

// ---- from rigid to springs ----------------------------------------------------------------------

// With C falling to nothing the answer goes to the rigid one, as fast as C does.
TEST(CompliantSolve, GoesToTheRigidAnswer) {
  for (int seed = 0; seed < 20; ++seed) {
    ContactProblem problem =
        test::make_problem(seed, {.bodies = 8, .contacts = 6, .mass_ratio = 1.0, .mu = 0.2});
    const Answer rigid = solve(problem, 1e-13);
    const auto distance = [&](double scale) {
      ContactProblem soft = problem;
      add_random_compliance(soft.blocks, seed, scale, soft.C);
      return calc_distance(solve(soft, 1e-13).p, rigid.p);
    };
    const double far = distance(1e-4), near = distance(1e-6);
    EXPECT_GT(far, 1e-8) << "seed " << seed;
    EXPECT_LT(near, 0.0105 * far + 1e-11) << "seed " << seed;
    EXPECT_LT(distance(1e-12), 1e-10) << "seed " << seed;
    EXPECT_LT(distance(0.0), 1e-11) << "seed " << seed;
  }
}

// Redundant rigid contacts have many answers with the same velocities; a little compliance chooses
// one of them, and the velocities of the bodies stay.
TEST(CompliantSolve, LeavesVelocitiesOfRedundantContactsAlone) {
  for (int seed = 0; seed < 20; ++seed) {
    ContactProblem problem =
        test::make_problem(seed, {.bodies = 2, .contacts = 12, .mass_ratio = 1.0, .mu = 0.1});
    const Answer rigid = solve(problem, 1e-10);
    ContactProblem soft = problem;
    add_random_compliance(soft.blocks, seed, 1e-6, soft.C);
    const Answer answer = solve(soft, 1e-10);
    ASSERT_TRUE(rigid.status.is_converged && answer.status.is_converged) << "seed " << seed;
    std::vector<Vec3d> u(12), v(12);
    calc_velocities(problem, rigid.p, u), calc_velocities(problem, answer.p, v);
    EXPECT_LT(calc_distance(u, v), 1e-3 * (1.0 + flatten(u).norm())) << "seed " << seed;
  }
}

// Pads so soft that bodies hardly matter: every point is a spring that slides where it must.
// p = -q / c in the normal, clipped to the disc of friction across it.
TEST(CompliantSolve, GoesToSprings) {
  for (int seed = 0; seed < 20; ++seed) {
    ContactProblem problem = test::make_problem(seed, {.bodies = 4, .contacts = 10, .mu = 0.4});
    kernel::Random random(seed);
    std::vector<double> c(10);
    for (double& x : c) x = random.uniform(0.5, 2.0);
    int pressed = 0, sliding = 0;
    const auto distance = [&](double scale) {
      ContactProblem soft = problem;
      for (int i = 0; i < 10; ++i)
        soft.C.set_own(i, Vec3d(scale * c[i], scale * c[i], scale * c[i]));
      const Answer answer = solve(soft, 1e-13);
      EXPECT_TRUE(answer.status.is_converged) << "seed " << seed;
      double worst = 0.0;
      for (int i = 0; i < 10; ++i) {
        const Vector3d q = problem.q[i].eigen();
        const double normal = std::max(-q[0], 0.0) / c[i], limit = 0.4 * normal;
        const double length = std::hypot(q[1], q[2]) / c[i];
        const double part = length > limit ? limit / length : 1.0;
        pressed += normal > 0.0, sliding += normal > 0.0 && part < 1.0;
        const Vector3d spring(normal, -part * q[1] / c[i], -part * q[2] / c[i]);
        worst = std::max(worst, (scale * answer.p[i].eigen() - spring).norm());
      }
      return worst;
    };
    const double stiffer = distance(1e4), softer = distance(1e6);
    EXPECT_LT(stiffer, 1e-2) << "seed " << seed;
    EXPECT_LT(softer, 0.02 * stiffer + 1e-8) << "seed " << seed;
    EXPECT_GT(pressed, 0);
    EXPECT_GT(sliding, 0);
  }
}

// A pad that is pressed and sticks everywhere, dense over all of its nodes: p = -C^-1 q.
TEST(CompliantSolve, PressesAPadLikeItsStiffness) {
  for (int seed = 0; seed < 20; ++seed) {
    ContactProblem problem = test::make_problem(seed, {.bodies = 1, .contacts = 8, .mu = 2.0});
    std::vector<int> members(8);
    std::iota(members.begin(), members.end(), 0);
    kernel::Random random(seed);
    const double scale = 1e8;
    add_random_group(problem.blocks, members, scale, false, random, problem.C);
    for (int i = 0; i < 8; ++i) problem.C.set_own(i, Vec3d(0.1 * scale, 0.1 * scale, 0.1 * scale));
    const MatrixXd C = make_dense(problem.C, 8);
    VectorXd wanted(24);
    for (int i = 0; i < 8; ++i)
      wanted.segment<3>(3 * i) =
          Vector3d(random.uniform(0.5, 1.0), random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5)) /
          scale;
    const VectorXd q = -C * wanted;
    for (int i = 0; i < 8; ++i) problem.q[i] = Vec3d(Vector3d(q.segment<3>(3 * i)));
    const Answer answer = solve(problem, 1e-13);
    ASSERT_TRUE(answer.status.is_converged) << "seed " << seed;
    const VectorXd by_factor = C.ldlt().solve(-q);
    EXPECT_LT((flatten(answer.p) - by_factor).norm(), 1e-6 * by_factor.norm()) << "seed " << seed;
  }
}

// One row that gives way, over many steps, is a spring without mass in series: implicit Euler on
// m x'' = -k x - d x', whose energy falls as that method's does.
TEST(CompliantSolve, IsASpringOfItsStiffness) {
  const double m = 2.0, k = 300.0, d = 1.5, h = 1e-2;
  ContactProblem problem = test::make_single({.law = Law::kBilateral, .rows = 1}, {}, {});
  problem.W.block[0].c[0].set(0, 1.0 / m);
  problem.C.set_own(0, Vec3d(1.0 / (h * h * k + h * d), 0.0, 0.0));
  double x = 0.1, v = 0.0;
  Eigen::Vector2d expected(x, v);
  Eigen::Matrix2d step;  // (x, v) after a step of implicit Euler
  step << 1.0, -h, h * k, m + h * d;
  const Eigen::Matrix2d before = Eigen::Vector2d(1.0, m).asDiagonal();
  for (int n = 0; n < 500; ++n) {
    // p = -h (k (x + h v') + d v'), so v' + p / (h^2 k + h d) + x h k / (h^2 k + h d) = 0
    problem.q[0] = Vec3d(v + x * h * k / (h * h * k + h * d), 0.0, 0.0);
    const Answer answer = solve(problem, 1e-14);
    v += answer.p[0][0] / m;
    x += h * v;
    expected = step.inverse() * before * expected;
    ASSERT_NEAR(x, expected[0], 1e-13);
    ASSERT_NEAR(v, expected[1], 1e-12);
  }
  EXPECT_LT(std::abs(x), 0.05);
}

// A drive that gives way and has a limit: a box row with compliance.
TEST(CompliantSolve, IsADriveWithALimit) {
  ContactProblem problem = test::make_single({.law = Law::kBox, .rows = 1, .bound = 0.3}, {}, {});
  problem.W.block[0].c[0].set(0, 0.5);
  problem.C.set_own(0, Vec3d(2.0, 0.0, 0.0));
  for (const double q : {-3.0, -0.7, -0.1, 0.0, 0.4, 0.74, 0.76, 5.0}) {
    problem.q[0] = Vec3d(q, 0.0, 0.0);
    EXPECT_NEAR(solve(problem, kTolerance).p[0][0], std::clamp(-q / 2.5, -0.3, 0.3), 1e-12) << q;
  }
}

}  // namespace
}  // namespace stance::solver
