// Mimic joints as hard constraints: they hold, do no work, and agree with the system written in
// fewer coordinates.

#include "stance/dynamics/mimic.h"

#include <gtest/gtest.h>

#include "stance/model/builder.h"

#include "support/robots.h"
#include "support/specs.h"
#include "support/workbench.h"

namespace stance::dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::in;
using test::out;
using test::relative_error;
using test::solve_dense;
using test::Workbench;

constexpr double kRounding = 1e-12;
constexpr double kSolve = 1e-10;

// A finger of four hinges and a slider; two hinges follow the first, the slider the third.
Model make_finger(bool floating) {
  model::ModelBuilder builder("finger");
  std::string parent = "palm";
  builder.add_link(test::make_link(parent, 2.0));
  for (int k = 0; k < 5; ++k) {
    model::LinkSpec link = test::make_link("phalanx" + std::to_string(k), 0.3);
    link.com = {0.05, 0.01, 0.02};
    builder.add_link(link);
    const auto type = k == 4 ? model::JointType::kPrismatic : model::JointType::kRevolute;
    model::JointSpec joint = test::make_joint("j" + std::to_string(k), type, parent, link.name);
    joint.p_PJ = {0.1, 0.0, 0.02};
    joint.axis = k % 2 == 0 ? Eigen::Vector3d(0.0, 1.0, 0.3) : Eigen::Vector3d(0.2, 1.0, 0.0);
    joint.axis.normalize();
    joint.rotor_inertia = 0.001;
    if (k == 1) joint.mimic = model::MimicSpec{"j0", 0.7, 0.1};
    if (k == 2) joint.mimic = model::MimicSpec{"j1", -1.5, 0.2};
    if (k == 4) joint.mimic = model::MimicSpec{"j3", 0.05, -0.01};
    builder.add_joint(joint);
    parent = link.name;
  }
  builder.attach_roots(floating ? model::ModelBuilder::Base::kFree
                                : model::ModelBuilder::Base::kFixed);
  return builder.build();
}

// Rows of G: follower - ratio leader.
MatrixXd make_constraints(const Model& model) {
  MatrixXd G = MatrixXd::Zero(static_cast<int>(model.mimics.size()), model.nv);
  for (std::size_t m = 0; m < model.mimics.size(); ++m) {
    G(m, model.v_start[model.mimics[m].follower]) = 1.0;
    G(m, model.v_start[model.mimics[m].leader]) -= model.mimics[m].ratio;
  }
  return G;
}

// v = Z u with only the free coordinates u left.
MatrixXd make_reduction(const Model& model) {
  std::vector<char> follows(model.nv, 0);
  for (const model::Mimic& mimic : model.mimics) follows[model.v_start[mimic.follower]] = 1;
  std::vector<int> column(model.nv, -1);
  int free = 0;
  for (int k = 0; k < model.nv; ++k)
    if (!follows[k]) column[k] = free++;
  MatrixXd Z = MatrixXd::Zero(model.nv, free);
  for (int k = 0; k < model.nv; ++k)
    if (!follows[k]) Z(k, column[k]) = 1.0;
  for (const model::Mimic& mimic : model.mimics)
    Z(model.v_start[mimic.follower], column[model.v_start[mimic.leader]]) = mimic.ratio;
  return Z;
}

struct MimicBench {
  MimicBench(const Model& model, std::uint64_t seed)
      : w(test::make_workbench(model, seed)), G(make_constraints(model)), work(model) {
    VectorXd q = w.q, v = w.v;
    set_mimic_positions(model, out(q));
    set_mimic_velocities(model, out(v));
    w.set(q, v);
    kernel::Random random(4000 + seed);
    tau = test::make_vector(random, model.nv, 5.0);
  }
  VectorXd accelerate(double h, const VectorXd& v, const VectorXd& diagonal = {}) {
    VectorXd vdot = w.calc_forward(tau, {}, diagonal);
    apply_mimics(w.model, w.kin, w.art, in(v), h, w.forward, work, out(vdot));
    return vdot;
  }

  Workbench w;
  MatrixXd G;
  MimicWork work;
  VectorXd tau;
};

void expect_mimics(const Model& model, std::uint64_t seed) {
  SCOPED_TRACE(model.name);
  MimicBench b(model, seed);
  EXPECT_LT((b.G * b.w.v).cwiseAbs().maxCoeff(), kRounding);
  const VectorXd vdot = b.accelerate(0.0, b.w.v);
  const double scale = vdot.cwiseAbs().maxCoeff();

  // they hold
  EXPECT_LT((b.G * vdot).cwiseAbs().maxCoeff(), kSolve * scale);

  // their forces do no work on a motion that keeps them
  const VectorXd force = b.w.calc_inverse(vdot) - b.tau;
  EXPECT_NEAR(force.dot(b.w.v), 0.0, kSolve * force.norm() * b.w.v.norm());
  EXPECT_LT(relative_error(VectorXd(b.G.transpose() * b.work.lambda), force), 1e-8);

  // reduced coordinates: vdot = Z (Z^T M Z)^-1 Z^T (tau - bias)
  const MatrixXd Z = make_reduction(model);
  const MatrixXd reduced = Z.transpose() * b.w.calc_mass_matrix() * Z;
  const VectorXd expected = Z * solve_dense(reduced, Z.transpose() * (b.tau - b.w.calc_bias()));
  EXPECT_LT(relative_error(vdot, expected), kSolve);
}

TEST(Mimic, HoldsDoesNoWorkAndAgreesWithReducedCoordinates) {
  for (bool floating : {false, true})
    for (int seed = 0; seed < 10; ++seed) expect_mimics(make_finger(floating), seed);
}

TEST(Mimic, HoldsForTheTenOfJvrc1) {
  const auto model = test::find_robot("jvrc1");
  if (!model) GTEST_SKIP() << "the robot jvrc1 is not on this machine";
  ASSERT_EQ(model->mimics.size(), 10u);
  for (int seed = 0; seed < 5; ++seed) expect_mimics(*model, seed);
}

// With springs and dampers taken implicitly the same holds for M + diagonal.
TEST(Mimic, HoldsWithAnImplicitDiagonal) {
  const Model model = make_finger(true);
  MimicBench b(model, 3);
  const VectorXd diagonal = VectorXd::LinSpaced(model.nv, 0.0, 0.5);
  const VectorXd vdot = b.accelerate(0.0, b.w.v, diagonal);
  const MatrixXd Z = make_reduction(model);
  MatrixXd M = b.w.calc_mass_matrix();
  M += diagonal.asDiagonal();
  const VectorXd expected =
      Z * solve_dense(Z.transpose() * M * Z, Z.transpose() * (b.tau - b.w.calc_bias()));
  EXPECT_LT(relative_error(vdot, expected), kSolve);
}

// Given a step, it is the velocities after it that agree, whatever v brought along.
TEST(Mimic, RemovesAViolationWithinOneStep) {
  constexpr double kStep = 1e-3;
  const Model model = make_finger(false);
  MimicBench b(model, 4);
  kernel::Random random(5);
  const VectorXd v = test::make_vector(random, model.nv, 1.0);
  ASSERT_GT((b.G * v).cwiseAbs().maxCoeff(), 0.1);
  const VectorXd after = v + kStep * b.accelerate(kStep, v);
  EXPECT_LT((b.G * after).cwiseAbs().maxCoeff(), 1e-11);
}

TEST(Mimic, SetsFollowersFromLeaders) {
  const Model model = make_finger(false);
  VectorXd q = VectorXd::Constant(model.nq, 0.5), v = q;
  set_mimic_positions(model, out(q));
  set_mimic_velocities(model, out(v));
  // j1 = 0.7 j0 + 0.1, j2 = -1.5 j1 + 0.2, j4 = 0.05 j3 - 0.01
  EXPECT_NEAR(q[1], 0.45, kRounding);
  EXPECT_NEAR(q[2], -0.475, kRounding);
  EXPECT_NEAR(q[4], 0.015, kRounding);
  EXPECT_NEAR(v[1], 0.35, kRounding);
  EXPECT_NEAR(v[2], -0.525, kRounding);
  EXPECT_NEAR(v[4], 0.025, kRounding);
}

TEST(Mimic, LeavesModelsWithoutMimicsAlone) {
  const Model model = test::make_forest(1);
  Workbench w = test::make_workbench(model, 1);
  MimicWork work(model);
  const VectorXd before = w.calc_forward(VectorXd::Zero(model.nv));
  VectorXd vdot = before;
  apply_mimics(model, w.kin, w.art, in(w.v), 0.0, w.forward, work, out(vdot));
  EXPECT_EQ(vdot, before);
}

}  // namespace
}  // namespace stance::dynamics
