// Unit impulses on coordinates: columns of M^-1, and the motions of bodies.

#include "stance/dynamics/coordinate_response.h"

#include <gtest/gtest.h>

#include "support/contacts.h"
#include "support/robots.h"
#include "support/workbench.h"

namespace stance::dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::in;
using test::Workbench;

constexpr double kAgreement = 1e-10;  // of the largest entry of the column

void expect_columns(const Model& model, std::uint64_t seed, double chance) {
  SCOPED_TRACE(model.name);
  Workbench w = test::make_workbench(model, seed);
  kernel::Random random(4700 + seed);
  VectorXd diagonal(model.nv);
  std::vector<int> coordinates;
  for (int k = 0; k < model.nv; ++k) {
    diagonal[k] = random.uniform(0.0, 0.5);
    if (random.uniform(0.0, 1.0) < chance) coordinates.push_back(k);
  }
  update_articulated(model, w.kin, w.inertias, in(diagonal), w.art);
  const MatrixXd inverse =
      test::solve_dense(test::calc_mass(w, diagonal), MatrixXd::Identity(model.nv, model.nv));
  CoordinateResponse response(model);
  response.set(model, coordinates);
  response.update(model, w.kin, w.art);

  int found = 0;
  for (int t = 0; t < model.ntree; ++t) {
    const std::span<const int> own = response.coordinates(t);
    const int stride = response.stride(t);
    for (std::size_t i = 0; i < own.size(); ++i) {
      ++found;
      ASSERT_EQ(response.number_of(own[i]), static_cast<int>(i));
      const double scale = inverse.col(own[i]).cwiseAbs().maxCoeff();
      for (std::size_t j = 0; j < own.size(); ++j)
        EXPECT_NEAR(response.response(t)[i * stride + j], inverse(own[i], own[j]),
                    kAgreement * scale);
    }
    for (int body = 1; body < model.nbody; ++body) {
      if (model.tree[body] != t || own.empty()) continue;
      const MatrixXd J =
          w.calc_frame_jacobian(body, transpose_mul(w.kin.R_WB[body], -w.kin.p_OB[body]));
      const double* rows = response.body_response(model, body);
      for (std::size_t c = 0; c < own.size(); ++c) {
        const VectorXd expected = J * inverse.col(own[c]);
        const double scale = inverse.col(own[c]).cwiseAbs().maxCoeff() * (1.0 + J.norm());
        for (int r = 0; r < 6; ++r)
          EXPECT_NEAR(rows[r * stride + c], expected[r], kAgreement * scale);
      }
    }
  }
  EXPECT_EQ(found, static_cast<int>(coordinates.size()));
}

TEST(CoordinateResponse, IsAColumnOfTheInverseOnRandomForests) {
  for (int seed = 0; seed < 20; ++seed) {
    const Model forest = test::make_forest(seed);
    expect_columns(forest, seed, 0.5);
    expect_columns(forest, seed, 1.0);
    expect_columns(forest, seed, 0.1);
  }
}

class OnRobots : public test::RobotTest {};
TEST_P(OnRobots, IsAColumnOfTheInverse) {
  expect_columns(model(), 3, 0.8);
  expect_columns(model(), 4, 0.2);
}
INSTANTIATE_TEST_SUITE_P(CoordinateResponse, OnRobots, testing::ValuesIn(test::kRobotNames),
                         test::robot_name);

// A tree may have fewer coordinates in use than before, or none.
TEST(CoordinateResponse, ForgetsTheLastSet) {
  const Model forest = test::make_forest(2);
  CoordinateResponse response(forest);
  const std::vector<int> some = {forest.nv - 1, 0, 3}, none;
  response.set(forest, some);
  response.set(forest, none);
  for (int k = 0; k < forest.nv; ++k) EXPECT_EQ(response.number_of(k), -1);
  for (int t = 0; t < forest.ntree; ++t) EXPECT_TRUE(response.coordinates(t).empty());
}

}  // namespace
}  // namespace stance::dynamics
