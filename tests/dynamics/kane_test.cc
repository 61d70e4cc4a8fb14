// Row K4: mass matrix and bias by Kane's method and by Lagrange's, as independent checks of the
// recursive algorithms.

#include <gtest/gtest.h>

#include "stance/dynamics/centroidal.h"

#include "support/robots.h"
#include "support/textbook.h"
#include "support/workbench.h"

namespace stance::dynamics {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::BodyMotion;
using test::relative_error;
using test::Workbench;

constexpr double kRounding = 1e-12;  // dense sums over all bodies

// Partial velocities: what each generalised speed of 1 alone does to every body (K, eq. 6-7).
std::vector<std::vector<BodyMotion>> calc_partial_velocities(const Model& m, const VectorXd& q) {
  std::vector<std::vector<BodyMotion>> partial;
  for (int r = 0; r < m.nv; ++r)
    partial.push_back(
        test::calc_textbook_motion(m, q, VectorXd::Unit(m.nv, r), VectorXd::Zero(m.nv)));
  return partial;
}

// Kane's equations (10)-(11): active forces plus inertia forces vanish along every speed.
struct KaneEquations {
  MatrixXd M;
  VectorXd bias;
};

KaneEquations calc_kane(const Model& m, const Vector3d& gravity, const VectorXd& q,
                        const VectorXd& v) {
  const auto partial = calc_partial_velocities(m, q);
  const auto motion = test::calc_textbook_motion(m, q, v, VectorXd::Zero(m.nv));
  KaneEquations out{MatrixXd::Zero(m.nv, m.nv), VectorXd::Zero(m.nv)};
  for (int i = 1; i < m.nbody; ++i) {
    const Vector3d c = m.com[i].eigen();
    const Matrix3d I = m.inertia[i].full().eigen();
    const BodyMotion& B = motion[i];
    const Vector3d a_c = B.a + B.alpha.cross(c) + B.w.cross(B.w.cross(c));
    const Vector3d force = m.mass[i] * (a_c - B.R_WB.transpose() * gravity);
    const Vector3d moment = I * B.alpha + B.w.cross(I * B.w);
    for (int r = 0; r < m.nv; ++r) {
      const BodyMotion& along = partial[r][i];
      const Vector3d v_c = along.v + along.w.cross(c);
      out.bias[r] += v_c.dot(force) + along.w.dot(moment);
      for (int s = 0; s < m.nv; ++s) {
        const BodyMotion& other = partial[s][i];
        out.M(r, s) += m.mass[i] * v_c.dot(other.v + other.w.cross(c)) + along.w.dot(I * other.w);
      }
    }
  }
  for (int r = 0; r < m.nv; ++r) out.M(r, r) += m.rotor_inertia[r];
  return out;
}

void expect_kane(const Model& model, std::uint64_t seed) {
  SCOPED_TRACE(model.name);
  Workbench w = test::make_workbench(model, seed);
  const KaneEquations kane = calc_kane(model, w.gravity.eigen(), w.q, w.v);
  EXPECT_LT(relative_error(w.calc_mass_matrix(), kane.M), kRounding);
  EXPECT_LT(relative_error(w.calc_bias(), kane.bias), kRounding);
}

TEST(Kane, GivesTheSameMassMatrixAndBiasOnRandomForests) {
  for (int seed = 0; seed < test::kNumForests; ++seed) expect_kane(test::make_forest(seed), seed);
}

class KaneOnRobot : public test::RobotTest {};
TEST_P(KaneOnRobot, GivesTheSameMassMatrixAndBias) { expect_kane(model(), 1); }
INSTANTIATE_TEST_SUITE_P(Robots, KaneOnRobot, testing::ValuesIn(test::kRobotNames),
                         test::robot_name);

// Lagrange: bias_k = sum_ij (dM_ki/dq_j - dM_ij/dq_k / 2) v_i v_j + dV/dq_k, for coordinates
// whose rates are the speeds.
TEST(Lagrange, GivesTheSameBias) {
  constexpr double kStep = 1e-5;        // central differences: error of order step^2
  constexpr double kTruncation = 1e-7;  // second derivatives of M v v up to about 1e3
  for (int seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    const Model model = test::make_forest(seed, {.true_coordinates = true});
    Workbench w = test::make_workbench(model, seed);
    const VectorXd q = w.q, v = w.v, bias = w.calc_bias();
    const auto at = [&](int k, double step) -> Workbench& {
      w.set(test::displace(model, q, step * VectorXd::Unit(model.nv, k)), v);
      return w;
    };
    std::vector<MatrixXd> dM(model.nv);
    VectorXd expected(model.nv);
    for (int k = 0; k < model.nv; ++k) {
      const MatrixXd M = at(k, kStep).calc_mass_matrix();
      const double V = calc_potential_energy(model, w.gravity, w.kin, w.inertias);
      dM[k] = (M - at(k, -kStep).calc_mass_matrix()) / (2.0 * kStep);
      expected[k] =
          (V - calc_potential_energy(model, w.gravity, w.kin, w.inertias)) / (2.0 * kStep);
    }
    for (int k = 0; k < model.nv; ++k) {
      expected[k] -= 0.5 * v.dot(dM[k] * v);
      for (int j = 0; j < model.nv; ++j) expected[k] += v[j] * dM[j].row(k).dot(v);
    }
    EXPECT_LT(relative_error(bias, expected), kTruncation);
  }
}

}  // namespace
}  // namespace stance::dynamics
