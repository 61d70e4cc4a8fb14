// Row H3: the five ways to the inverse inertia at the contacts agree with J M^-1 J^T and with
// each other.

#include "stance/dynamics/delassus.h"

#include <gtest/gtest.h>

#include "support/contacts.h"
#include "support/robots.h"
#include "support/workbench.h"

namespace stance::dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::in;
using test::out;
using test::Points;
using test::relative_error;
using test::Workbench;

constexpr double kAgreement = 1e-10;  // of the largest entry: what H3 asks for

VectorXd make_diagonal(kernel::Random& random, const Model& model) {
  VectorXd diagonal = test::make_vector(random, model.nv, 1.0).cwiseAbs();
  for (int k = 0; k < model.nv; k += 3) diagonal[k] = 0.0;  // joints without springs
  return diagonal;
}

void expect_agreement(Workbench& w, const Points& points, const VectorXd& diagonal) {
  test::DelassusBench bench(w.model);
  const MatrixXd expected = test::calc_dense_lambda(w, points, diagonal);
  for (DelassusMethod method : kDelassusMethods) {
    SCOPED_TRACE(delassus_method_name(method));
    const MatrixXd lambda = bench.calc_lambda(method, w, points, diagonal);
    ASSERT_EQ(bench.delassus.lambda().size(), static_cast<std::size_t>(expected.size()));
    EXPECT_LT(relative_error(lambda, expected), kAgreement);
    EXPECT_LT(relative_error(lambda, MatrixXd(lambda.transpose())), 1e-14);
  }
}

void expect_agreement_on(const Model& model, std::uint64_t seed) {
  SCOPED_TRACE(model.name);
  Workbench w = test::make_workbench(model, seed);
  kernel::Random random(3000 + seed);
  for (int count : {1, 2, 5, 12}) {
    SCOPED_TRACE(count);
    const Points points = test::make_contacts(random, model, count);
    expect_agreement(w, points, VectorXd());
    expect_agreement(w, points, make_diagonal(random, model));
  }
}

TEST(Delassus, AllMethodsAgreeOnRandomForests) {
  for (int seed = 0; seed < test::kNumForests; ++seed)
    expect_agreement_on(test::make_forest(seed), seed);
}

// Every body of the forest touched: all ancestors and descendants at once.
TEST(Delassus, AllMethodsAgreeWithContactsOnEveryBody) {
  for (int seed = 0; seed < test::kNumForests; ++seed) {
    SCOPED_TRACE(seed);
    const Model model = test::make_forest(seed);
    Workbench w = test::make_workbench(model, seed);
    kernel::Random random(3100 + seed);
    Points points;
    for (int body = model.nbody - 1; body > 0; --body)
      points.push_back(test::make_contact(random, body));
    expect_agreement(w, points, VectorXd());
    expect_agreement(w, points, make_diagonal(random, model));
  }
}

class DelassusOnRobot : public test::RobotTest {};
TEST_P(DelassusOnRobot, AllMethodsAgree) {
  for (int seed = 0; seed < 5; ++seed) expect_agreement_on(model(), seed);
}
INSTANTIATE_TEST_SUITE_P(Robots, DelassusOnRobot, testing::ValuesIn(test::kRobotNames),
                         test::robot_name);

// Row R17: the biped's eight vertices, alone and with other contacts.
TEST(Delassus, AllMethodsAgreeOnTheVerticesOfTheBiped) {
  const auto model = test::find_robot("biped");
  if (!model) GTEST_SKIP() << "built without the URDF reader";
  for (int seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    Workbench w = test::make_workbench(*model, seed);
    kernel::Random random(3050 + seed);
    Points points;
    for (int k = 1; k <= 8; ++k) {
      const model::Frame& vertex = model->frames[model->find_frame("v" + std::to_string(k))];
      points.push_back({vertex.body, vertex.p_BF});
    }
    expect_agreement(w, points, VectorXd());
    for (const ContactPoint& point : test::make_contacts(random, *model, 3))
      points.push_back(point);
    expect_agreement(w, points, VectorXd());
  }
}

TEST(Delassus, AcceptsNoPointsAtAll) {
  const Model model = test::make_forest(2);
  Workbench w = test::make_workbench(model, 2);
  test::DelassusBench bench(model);
  for (DelassusMethod method : kDelassusMethods)
    EXPECT_EQ(bench.calc_lambda(method, w, {}, VectorXd()).size(), 0);
}

// Bodies of different trees do not feel each other: exact zeros, also where an earlier set of
// contacts left numbers behind.
TEST(Delassus, IsExactlyZeroBetweenTrees) {
  int zeros = 0;
  for (int seed = 0; seed < test::kNumForests; ++seed) {
    const Model model = test::make_forest(seed);
    Workbench w = test::make_workbench(model, seed);
    kernel::Random random(3200 + seed);
    const Points points = test::make_contacts(random, model, 8);
    for (DelassusMethod method : kDelassusMethods) {
      test::DelassusBench bench(model);
      (void)bench.calc_lambda(method, w, Points(8, points[0]), VectorXd());
      const MatrixXd lambda = bench.calc_lambda(method, w, points, VectorXd());
      for (int k = 0; k < 8; ++k)
        for (int l = 0; l < 8; ++l) {
          if (model.tree[points[k].body] == model.tree[points[l].body]) continue;
          ASSERT_EQ((lambda.block<3, 3>(3 * k, 3 * l).cwiseAbs().maxCoeff()), 0.0)
              << delassus_method_name(method);
          ++zeros;
        }
    }
  }
  EXPECT_GT(zeros, 1000);
}

// What Lambda means (A1, H1): the velocity that a unit impulse at one point gives to another.
TEST(Delassus, IsTheAnswerOfPointsToUnitForces) {
  for (int seed = 0; seed < test::kNumForests; ++seed) {
    SCOPED_TRACE(seed);
    const Model model = test::make_forest(seed);
    Workbench w = test::make_workbench(model, seed);
    kernel::Random random(3300 + seed);
    const Points points = test::make_contacts(random, model, 4);
    const VectorXd diagonal = make_diagonal(random, model);
    test::DelassusBench bench(model);
    const MatrixXd lambda = bench.calc_lambda(DelassusMethod::kSkeleton, w, points, diagonal);
    MatrixXd expected(12, 12);
    const VectorXd none = VectorXd::Zero(model.nv);
    VectorXd answer(model.nv);
    for (int l = 0; l < 4; ++l)
      for (int c = 0; c < 3; ++c) {
        const Vec3d r = bench.delassus.p_OC[l];
        const Vec3d unit(c == 0, c == 1, c == 2);
        test::Wrenches wrenches(model.nbody);
        wrenches[points[l].body] = {cross(r, unit), unit};
        apply_inverse_mass(model, w.kin, w.art, in(none), std::span<const Force<double>>(wrenches),
                           w.forward, out(answer));
        for (int k = 0; k < 4; ++k)
          expected.block<3, 1>(3 * k, 3 * l + c) =
              w.calc_point_jacobian(points[k].body, points[k].p_BC) * answer;
      }
    EXPECT_LT(relative_error(lambda, expected), kAgreement);
  }
}

// The order in which points are given only permutes the blocks.
TEST(Delassus, FollowsTheOrderOfThePoints) {
  for (int seed = 0; seed < test::kNumForests; ++seed) {
    SCOPED_TRACE(seed);
    const Model model = test::make_forest(seed);
    Workbench w = test::make_workbench(model, seed);
    kernel::Random random(3400 + seed);
    const Points points = test::make_contacts(random, model, 7);
    const Points reversed(points.rbegin(), points.rend());
    test::DelassusBench bench(model);
    for (DelassusMethod method : kDelassusMethods) {
      const MatrixXd a = bench.calc_lambda(method, w, points, VectorXd());
      const MatrixXd b = bench.calc_lambda(method, w, reversed, VectorXd());
      MatrixXd expected(21, 21);
      for (int k = 0; k < 7; ++k)
        for (int l = 0; l < 7; ++l)
          expected.block<3, 3>(3 * k, 3 * l) = a.block<3, 3>(18 - 3 * k, 18 - 3 * l);
      EXPECT_LT(relative_error(b, expected), kAgreement) << delassus_method_name(method);
    }
  }
}

// One set of work space for all sets of contacts, growing and shrinking: the same bits as fresh
// space each time.
TEST(Delassus, ReusesItsSpaceWithoutTraces) {
  for (int seed = 0; seed < 20; ++seed) {
    const Model model = test::make_forest(seed);
    Workbench w = test::make_workbench(model, seed);
    kernel::Random random(3500 + seed);
    test::DelassusBench used(model);
    for (int count : {3, 9, 1, 0, 6, 12, 2}) {
      const Points points = test::make_contacts(random, model, count);
      for (DelassusMethod method : kDelassusMethods) {
        test::DelassusBench fresh(model);
        EXPECT_EQ(used.calc_lambda(method, w, points, VectorXd()),
                  fresh.calc_lambda(method, w, points, VectorXd()))
            << delassus_method_name(method) << " with " << count;
      }
    }
  }
}

}  // namespace
}  // namespace stance::dynamics
