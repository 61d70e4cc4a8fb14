// Inverse dynamics against the textbook's Newton-Euler in body axes.

#include "stance/dynamics/rnea.h"

#include <gtest/gtest.h>

#include "support/robots.h"
#include "support/textbook.h"
#include "support/workbench.h"

namespace stance::dynamics {
namespace {

using Eigen::VectorXd;
using test::relative_error;
using test::Workbench;

// Both run through chains of about ten bodies; forces of the large bodies cancel in small ones.
constexpr double kRounding = 1e-12;

void expect_textbook_forces(const Model& model, std::uint64_t seed) {
  SCOPED_TRACE(model.name);
  Workbench w = test::make_workbench(model, seed);
  kernel::Random random(700 + seed);
  const VectorXd vdot = test::make_vector(random, model.nv, 10.0);
  const VectorXd expected =
      test::calc_textbook_inverse_dynamics(model, w.gravity.eigen(), w.q, w.v, vdot);
  EXPECT_LT(relative_error(w.calc_inverse(vdot), expected), kRounding);
}

TEST(Rnea, AgreesWithTheTextbookOnRandomForests) {
  for (int seed = 0; seed < test::kNumForests; ++seed)
    expect_textbook_forces(test::make_forest(seed), seed);
}

class RneaOnRobot : public test::RobotTest {};
TEST_P(RneaOnRobot, AgreesWithTheTextbook) {
  for (int seed = 0; seed < 5; ++seed) expect_textbook_forces(model(), seed);
}
INSTANTIATE_TEST_SUITE_P(Robots, RneaOnRobot, testing::ValuesIn(test::kRobotNames),
                         test::robot_name);

TEST(Rnea, TakesAnEmptyAccelerationForZero) {
  for (int seed = 0; seed < 20; ++seed) {
    const Model model = test::make_forest(seed);
    Workbench w = test::make_workbench(model, seed);
    EXPECT_EQ(w.calc_inverse(VectorXd::Zero(model.nv)), w.calc_bias());
  }
}

TEST(Rnea, IsAffineInTheAcceleration) {
  for (int seed = 0; seed < test::kNumForests; ++seed) {
    SCOPED_TRACE(seed);
    const Model model = test::make_forest(seed);
    Workbench w = test::make_workbench(model, seed);
    kernel::Random random(800 + seed);
    const VectorXd a = test::make_vector(random, model.nv, 10.0);
    const VectorXd b = test::make_vector(random, model.nv, 10.0);
    const VectorXd sum = w.calc_inverse(a) + w.calc_inverse(b) - w.calc_bias();
    EXPECT_LT(relative_error(w.calc_inverse(a + b), sum), kRounding);
  }
}

// The joint force that a body receives: the root carries all that its tree does.
TEST(Rnea, TransmitsTheWeightOfAStandingTreeThroughItsRoot) {
  for (int seed = 0; seed < test::kNumForests; ++seed) {
    SCOPED_TRACE(seed);
    const Model model = test::make_forest(seed);
    Workbench w = test::make_workbench(model, seed);
    w.set(w.q, VectorXd::Zero(model.nv));
    (void)w.calc_bias();
    for (int t = 0; t < model.ntree; ++t) {
      double mass = 0.0;
      for (int i = 1; i < model.nbody; ++i) mass += model.tree[i] == t ? model.mass[i] : 0.0;
      const Eigen::Vector3d f = w.newton_euler.F[model.tree_root[t]].lin.eigen();
      EXPECT_LT((f + mass * w.gravity.eigen()).norm(), 1e-12 * (1.0 + f.norm()));
    }
    EXPECT_EQ(test::to_eigen(w.newton_euler.F[0]).norm(), 0.0);  // the world is not a body
  }
}

}  // namespace
}  // namespace stance::dynamics
