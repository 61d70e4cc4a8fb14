// The judge itself: zero at solutions known in closed form, and the right amount elsewhere.

#include "stance/solver/residual.h"

#include <gtest/gtest.h>

#include "solver/random_problem.h"

namespace stance::solver {
namespace {

const Mat3d kUnit = Mat3d::identity();

Residual grade(double mu, const Vec3d& q, const Vec3d& p) {
  Block block;
  block.mu = mu;
  return calc_residual(test::make_single(block, kUnit, q), {&p, 1});
}

TEST(Residual, VanishesAtSolutions) {
  EXPECT_EQ(grade(0.5, {1.0, 2.0, 3.0}, {}).absolute, 0.0);                    // open
  EXPECT_LT(grade(0.5, {-1.0, 0.3, 0.4}, {1.0, -0.3, -0.4}).absolute, 1e-16);  // sticks
  EXPECT_LT(grade(0.5, {-1.0, 3.0, 4.0}, {1.0, -0.3, -0.4}).absolute, 1e-15);  // slides
}

// By hand: u = (-1, 3, 4), u_N + mu |u_T| = 1.5, z = (-1.5, -3, -4) and mu 5 > 1.5: z is projected
// to n = (2.5 - 1.5) / 1.25 = 0.8, (0.8, -0.24, -0.32).
TEST(Residual, OfNoImpulseAtAll) {
  const Residual r = grade(0.5, {-1.0, 3.0, 4.0}, {});
  EXPECT_NEAR(r.absolute, std::hypot(0.8, 0.4), 1e-15);
  EXPECT_NEAR(r.relative, 1.0 / std::sqrt(26.0), 1e-15);  // the gap: more than the map
  EXPECT_EQ(r.penetration_speed, 1.0);
  EXPECT_EQ(r.worst_block, 0);
}

// A gap that closes is no better for a large impulse elsewhere in the group: beside 1e5 N s, 8e-4
// m/s of approach once were below 1e-8.
TEST(Residual, LargeImpulsesExcuseNoApproach) {
  ContactProblem problem;
  problem.blocks.resize(2);
  problem.q = {{-0.1, 0.0, 0.0}, {-8e-4, 0.0, 0.0}};
  problem.W = make_block_matrix(2, std::vector<Entry>{{0, 0, 1e-6}, {3, 3, 1.0}});
  const std::vector<Vec3d> p = {{1e5, 0.0, 0.0}, {}};
  const Residual r = calc_residual(problem, p);
  EXPECT_EQ(r.gap_velocity, 8e-4);
  EXPECT_NEAR(r.impulse_error, 8e-4, 1e-15);
  EXPECT_LT(r.absolute / 1e5, 1e-8);
  EXPECT_NEAR(r.relative, 8e-4 / kGapScale, 1e-15);
}

// A contact that opens at 1e5 m/s hides nothing of another that closes: the gap of a row is held
// against its own speed, and what opens counts for 1 m/s in the scale of the natural map.
TEST(Residual, WhatOpensExcusesNothing) {
  ContactProblem problem;
  problem.blocks.resize(2);
  problem.blocks[1].mu = 0.5;
  problem.q = {{1e5, 0.0, 0.0}, {-1e-3, 0.3, 0.0}};
  problem.W = make_block_matrix(2, std::vector<Entry>{{0, 0, 1.0}, {3, 3, 1.0}, {4, 4, 1.0}});
  EXPECT_NEAR(calc_residual(problem, std::vector<Vec3d>(2)).relative, 1e-3, 1e-15);
  // friction that is a tenth short: an error along what slides, of no gap
  const std::vector<Vec3d> p = {{}, {1e-3, -0.45e-3, 0.0}};
  const Residual r = calc_residual(problem, p);
  EXPECT_EQ(r.gap_velocity, 0.0);
  EXPECT_GT(r.relative, 4e-5);
  EXPECT_LT(r.relative, 5e-5);
  const std::vector<Vec3d> u = {{1e5, 0.0, 0.0}, {0.0, 0.3 - 0.45e-3, 0.0}};
  EXPECT_NEAR(calc_relative_residual(problem.blocks, problem.q, p, u), r.relative, 1e-15);
}

TEST(Residual, NamesWhatIsWrong) {
  const Residual outside = grade(0.5, {-1.0, 0.0, 0.0}, {1.0, 0.9, 0.0});
  EXPECT_NEAR(outside.cone_violation, 0.4 / std::sqrt(1.25), 1e-15);
  const Residual late = grade(0.5, {1.0, 0.0, 0.0}, {0.1, 0.0, 0.0});  // pushes while it opens
  EXPECT_NEAR(late.complementarity, 0.11, 1e-15);
  const Residual lazy =
      grade(0.5, {-1.0, 2.0, 0.0}, {1.0, -0.2, 0.0});  // slides, pushes too little
  EXPECT_NEAR(lazy.dissipation, 0.5 * 1.8 - 0.2 * 1.8, 1e-15);
  const double nan = std::nan("");
  EXPECT_TRUE(std::isnan(grade(0.5, {-1.0, 0.0, 0.0}, {nan, 0.0, 0.0}).absolute));
}

TEST(Residual, OfOtherLaws) {
  const auto one = [](Law law, double bound, double q, double p) {
    Block block;
    block.law = law, block.rows = 1, block.bound = bound;
    const Vec3d impulse(p, 0.0, 0.0);
    const Mat3d W(Eigen::Matrix3d(Eigen::Vector3d(1, 0, 0).asDiagonal()));
    return calc_residual(test::make_single(block, W, {q, 0.0, 0.0}), {&impulse, 1}).absolute;
  };
  EXPECT_EQ(one(Law::kBilateral, 0.0, -1.0, 1.0), 0.0);
  EXPECT_EQ(one(Law::kBilateral, 0.0, -1.0, 0.25), 0.75);
  EXPECT_EQ(one(Law::kUnilateral, 0.0, -1.0, 1.0), 0.0);
  EXPECT_EQ(one(Law::kUnilateral, 0.0, 1.0, 0.0), 0.0);
  EXPECT_EQ(one(Law::kUnilateral, 0.0, 1.0, 0.5), 0.5);
  EXPECT_EQ(one(Law::kBox, 0.5, 2.0, -0.5), 0.0);
  EXPECT_EQ(one(Law::kBox, 0.5, 2.0, 0.5), 1.0);
  EXPECT_EQ(one(Law::kBox, 0.5, 0.2, -0.2), 0.0);
}

// Block storage is that of the dense matrix, asymmetric parts and left-out zeros included.
TEST(BlockMatrix, MultipliesAsTheDenseOneDoes) {
  kernel::Random random(7100);
  const int n = 7;
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(3 * n, 3 * n);
  std::vector<Entry> entries;
  for (int k = 0; k < 60; ++k) {
    const int r = random.integer(3 * n), c = random.integer(3 * n);
    const double x = random.uniform(-1.0, 1.0);
    dense(r, c) += x;
    entries.push_back({r, c, x});
  }
  std::vector<Vec3d> p;
  Eigen::VectorXd flat(3 * n);
  for (int i = 0; i < n; ++i) {
    p.emplace_back(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    flat.segment<3>(3 * i) = p[i].eigen();
  }
  const Eigen::VectorXd expected = dense * flat;
  const BlockMatrix from_dense = make_block_matrix(n, std::span(dense.data(), dense.size())),
                    from_entries = make_block_matrix(n, entries);
  for (const BlockMatrix& W : {from_dense, from_entries})
    for (int i = 0; i < n; ++i)
      EXPECT_LT((W.multiply_row(i, p).eigen() - expected.segment<3>(3 * i)).norm(), 1e-14);
}

TEST(ContactProblem, SaysWhatIsWrongWithIt) {
  const ContactProblem good = test::make_problem(0);
  EXPECT_EQ(find_fault(good), "");
  ContactProblem bad = good;
  bad.q[3].set(1, std::nan(""));
  EXPECT_EQ(find_fault(bad), "block 3: its free velocity is not finite");
  bad = good;
  bad.blocks[2].mu = -0.1;
  EXPECT_NE(find_fault(bad).find("block 2: a coefficient of friction"), std::string::npos);
  bad = good;
  bad.q.pop_back();
  EXPECT_NE(find_fault(bad).find("12 blocks but 11 velocities"), std::string::npos);
  bad = good;
  bad.blocks[1].law = Law::kSpin;
  EXPECT_NE(find_fault(bad).find("block 1: it spins"), std::string::npos);
  bad = good;
  bad.W.block[bad.W.diagonal[4]].c[0].set(0, -1.0);
  EXPECT_NE(find_fault(bad).find("block 4: its own inverse inertia"), std::string::npos);
}

}  // namespace
}  // namespace stance::solver
