// External forces on bodies act through the transposed Jacobian (H9: + M^-1 J^T f).

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "support/robots.h"
#include "support/workbench.h"

namespace stance::dynamics {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;
using test::in;
using test::out;
using test::relative_error;
using test::Workbench;
using test::Wrenches;

constexpr double kRounding = 1e-12;
constexpr double kSolve = 1e-10;

// A force f and a moment n at a random point of every body: as wrenches at O, and as J^T (n, f).
void expect_transposed_jacobian(const Model& model, std::uint64_t seed) {
  SCOPED_TRACE(model.name);
  Workbench w = test::make_workbench(model, seed);
  kernel::Random random(1500 + seed);
  Wrenches wrenches(model.nbody);
  VectorXd generalised = VectorXd::Zero(model.nv);
  for (int i = 1; i < model.nbody; ++i) {
    const Vec3d p_BP(Vector3d(test::make_vector(random, 3, 0.5)));
    Eigen::Matrix<double, 6, 1> load = test::make_vector(random, 6, 10.0);
    const Vector3d r = (w.kin.p_OB[i] + w.kin.R_WB[i] * p_BP).eigen();
    const Vector3d n = load.head<3>(), f = load.tail<3>();
    wrenches[i] = {Vec3d(Vector3d(n + r.cross(f))), Vec3d(f)};
    generalised += w.calc_frame_jacobian(i, p_BP).transpose() * load;
  }
  const VectorXd vdot = test::make_vector(random, model.nv, 10.0);
  const VectorXd tau = w.calc_inverse(vdot);
  EXPECT_LT(relative_error(w.calc_inverse(vdot, wrenches), tau - generalised), kRounding);
  EXPECT_LT(relative_error(w.calc_forward(tau, wrenches), w.calc_forward(tau + generalised)),
            kSolve);

  // the same through M^-1 alone
  VectorXd by_wrenches(model.nv), by_forces(model.nv);
  apply_inverse_mass(model, w.kin, w.art, in(tau), std::span<const Force<double>>(wrenches),
                     w.forward, out(by_wrenches));
  const VectorXd sum = tau + generalised;
  apply_inverse_mass(model, w.kin, w.art, in(sum), std::span<const Force<double>>(), w.forward,
                     out(by_forces));
  EXPECT_LT(relative_error(by_wrenches, by_forces), kSolve);
}

TEST(Wrenches, ActThroughTheTransposedJacobianOnRandomForests) {
  for (int seed = 0; seed < test::kNumForests; ++seed)
    expect_transposed_jacobian(test::make_forest(seed), seed);
}

class WrenchesOnRobot : public test::RobotTest {};
TEST_P(WrenchesOnRobot, ActThroughTheTransposedJacobian) { expect_transposed_jacobian(model(), 1); }
INSTANTIATE_TEST_SUITE_P(Robots, WrenchesOnRobot, testing::ValuesIn(test::kRobotNames),
                         test::robot_name);

}  // namespace
}  // namespace stance::dynamics
