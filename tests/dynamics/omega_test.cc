// Omega: the 6x6 blocks between contacting bodies, by three methods.

#include <gtest/gtest.h>

#include "support/contacts.h"
#include "support/robots.h"
#include "support/specs.h"
#include "support/workbench.h"

namespace stance::dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::in;
using test::Points;
using test::relative_error;
using test::Workbench;
using Matrix6d = Eigen::Matrix<double, 6, 6>;

constexpr double kAgreement = 1e-10;  // of the largest entry of the block row

constexpr DelassusMethod kOmegaMethods[] = {DelassusMethod::kChangKhatib,
                                            DelassusMethod::kSixPerBody, DelassusMethod::kSkeleton};

// Jacobian of a body frame with the point of the body that is at O just now.
MatrixXd calc_jacobian_at_O(Workbench& w, int body) {
  return w.calc_frame_jacobian(body, transpose_mul(w.kin.R_WB[body], -w.kin.p_OB[body]));
}

void expect_omega(const Model& model, std::uint64_t seed, const VectorXd& diagonal) {
  SCOPED_TRACE(model.name);
  Workbench w = test::make_workbench(model, seed);
  kernel::Random random(3600 + seed);
  const Points points = test::make_contacts(random, model, 6);
  ContactSet contacts(model);
  contacts.set(model, points);
  update_articulated(model, w.kin, w.inertias, in(diagonal), w.art);
  const MatrixXd M = test::calc_mass(w, diagonal);
  Delassus<double> delassus(model);
  update_points(model, w.kin, contacts, delassus);
  for (DelassusMethod method : kOmegaMethods) {
    SCOPED_TRACE(delassus_method_name(method));
    update_omega(method, model, w.kin, w.art, contacts, delassus);
    for (int j = 0; j < contacts.num_bodies(); ++j)
      for (int i = 0; i <= j; ++i) {
        const int body_i = contacts.bodies()[i], body_j = contacts.bodies()[j];
        const kernel::Mat6d* omega = delassus.omega(contacts, i, j);
        ASSERT_EQ(omega != nullptr, model.tree[body_i] == model.tree[body_j]);
        if (!omega) continue;
        const MatrixXd J_i = calc_jacobian_at_O(w, body_i), J_j = calc_jacobian_at_O(w, body_j);
        const MatrixXd expected = J_i * test::solve_dense(M, J_j.transpose());
        // branches that only a fixed world joins do not answer at all: compare with the diagonal
        const MatrixXd own = J_j * test::solve_dense(M, J_j.transpose());
        const double scale = own.cwiseAbs().maxCoeff();
        EXPECT_LT((omega->eigen() - expected).cwiseAbs().maxCoeff(), kAgreement * scale);
      }
  }
}

VectorXd make_diagonal(const Model& model, std::uint64_t seed) {
  kernel::Random random(3700 + seed);
  return test::make_vector(random, model.nv, 1.0).cwiseAbs();
}

TEST(Omega, MethodsAgreeWithFrameJacobiansOnRandomForests) {
  for (int seed = 0; seed < test::kNumForests; ++seed) {
    const Model model = test::make_forest(seed);
    expect_omega(model, seed, VectorXd());
    expect_omega(model, seed, make_diagonal(model, seed));
  }
}

class OmegaOnRobot : public test::RobotTest {};
TEST_P(OmegaOnRobot, MethodsAgreeWithFrameJacobians) {
  for (int seed = 0; seed < 5; ++seed) {
    expect_omega(model(), seed, VectorXd());
    expect_omega(model(), seed, make_diagonal(model(), seed));
  }
}
INSTANTIATE_TEST_SUITE_P(Robots, OmegaOnRobot, testing::ValuesIn(test::kRobotNames),
                         test::robot_name);

// A free body's own block is its inverse inertia.
TEST(Omega, OfAFreeCubeIsItsInverseInertia) {
  const Model model = test::make_free_body();
  Workbench w(model);
  VectorXd q = VectorXd::Zero(7);
  q[0] = 1.0;
  w.set(q, VectorXd::Zero(6));
  ContactSet contacts(model);
  const ContactPoint corner{BodyIndex(1), Vec3d(0.5, 0.5, -0.5)};
  contacts.set(model, {&corner, 1});
  Delassus<double> delassus(model);
  update_points(model, w.kin, contacts, delassus);
  update_articulated(model, w.kin, w.inertias, {}, w.art);
  VectorXd expected(6);
  expected << 10.0, 5.0, 4.0, 0.5, 0.5, 0.5;
  for (DelassusMethod method : kOmegaMethods) {
    update_omega(method, model, w.kin, w.art, contacts, delassus);
    const Matrix6d omega = delassus.omega(contacts, 0, 0)->eigen();
    EXPECT_LT((omega - Matrix6d(expected.asDiagonal())).norm(), 1e-14)
        << delassus_method_name(method);
  }
}

}  // namespace
}  // namespace stance::dynamics
