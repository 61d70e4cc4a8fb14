// Row H4: operation counts of the ways to Lambda, by the scalar that counts.

#include <gtest/gtest.h>

#include "stance/dynamics/delassus.h"
#include "stance/kernel/counted.h"
#include "stance/model/samples.h"

#include "support/contacts.h"
#include "support/robots.h"

namespace stance::dynamics {
namespace {

using kernel::Counted;
using kernel::OperationCount;
using test::Points;

// A model at q = 0 with counted numbers.
struct CountedBench {
  explicit CountedBench(const Model& model_)
      : model(model_), kin(model), inertias(model), art(model), contacts(model), delassus(model) {
    const std::vector<double> neutral = model::make_neutral(model);
    const std::vector<Counted> q(neutral.begin(), neutral.end());
    update_kinematics(model, std::span<const Counted>(q), kin);
    update_inertias(model, kin, inertias);
    update_articulated(model, kin, inertias, std::span<const Counted>(), art);
  }

  OperationCount count_lambda(DelassusMethod method, const Points& points) {
    contacts.set(model, points);
    update_points(model, kin, contacts, delassus);
    const OperationCount before = Counted::count();
    update_lambda(method, model, kin, art, contacts, delassus);
    const OperationCount after = Counted::count();
    return {after.multiply - before.multiply, after.add - before.add};
  }

  const Model& model;
  Kinematics<Counted> kin;
  Inertias<Counted> inertias;
  Articulated<Counted> art;
  ContactSet contacts;
  Delassus<Counted> delassus;
};

constexpr DelassusMethod kCountedMethods[] = {
    DelassusMethod::kPerPoint, DelassusMethod::kChangKhatib, DelassusMethod::kSixPerBody,
    DelassusMethod::kSkeleton};

// Four points on each of the two feet.
Points make_feet(const Model& model, const char* left, const char* right) {
  Points points;
  for (const char* name : {left, right}) {
    const BodyIndex foot = model.find_body(name);
    EXPECT_TRUE(foot.valid()) << name;
    for (double x : {-0.1, 0.14})
      for (double y : {-0.07, 0.07}) points.push_back({foot, Vec3d(x, y, -0.1)});
  }
  return points;
}

TEST(OperationCount, OursNeedsNoMoreThanSixForcesPerBodyOnTwoFeet) {
  const auto model = test::find_robot("humanoid");
  if (!model) GTEST_SKIP() << "built without the URDF reader";
  CountedBench bench(*model);
  const Points feet = make_feet(*model, "left_foot", "right_foot");
  for (DelassusMethod method : kCountedMethods) {
    const OperationCount count = bench.count_lambda(method, feet);
    EXPECT_GT(count.multiply, 0) << delassus_method_name(method);
    EXPECT_GT(count.add, 0) << delassus_method_name(method);
  }
  const auto multiply = [&](DelassusMethod method) {
    return bench.count_lambda(method, feet).multiply;
  };
  EXPECT_LE(multiply(DelassusMethod::kSkeleton), multiply(DelassusMethod::kSixPerBody));
  EXPECT_LE(multiply(DelassusMethod::kSkeleton), multiply(DelassusMethod::kChangKhatib));
  EXPECT_LE(multiply(DelassusMethod::kSixPerBody), multiply(DelassusMethod::kPerPoint));
}

// The projection from bodies to points. A point's three columns of Omega cost two products with six
// numbers each, 36 of either kind; a pair of points a cross product and a sum for each of three
// columns, 18. The paper counts 54 m + 27 m (m + 1) / 2, which is more.
TEST(OperationCount, ProjectionCostsWhatThePaperSays) {
  const Model model = model::make_cubes(1);
  CountedBench bench(model);
  kernel::Random random(1);
  for (int m : {1, 2, 4, 8}) {
    const Points points = Points(m, test::make_contact(random, 1));
    // a lone cube: Omega is the inverse inertia that the free pass left, so all is projection
    const OperationCount count = bench.count_lambda(DelassusMethod::kSkeleton, points);
    const int pairs = m * (m + 1) / 2;
    EXPECT_EQ(count.multiply, 36 * m + 18 * pairs) << m;
    EXPECT_EQ(count.add, 36 * m + 18 * pairs) << m;
    EXPECT_LE(count.multiply, 54 * m + 27 * pairs) << m;
  }
}

// Counts do not depend on numbers, and do not grow with branches that nothing touches (A9).
TEST(OperationCount, OnlyBranchesWithContactsCount) {
  const Model one = model::make_cubes(1), many = model::make_cubes(20);
  CountedBench alone(one), among(many);
  kernel::Random random(2);
  const Points points = {test::make_contact(random, 1), test::make_contact(random, 1)};
  for (DelassusMethod method : kCountedMethods) {
    const OperationCount a = alone.count_lambda(method, points);
    const OperationCount b = among.count_lambda(method, points);
    EXPECT_EQ(a.multiply, b.multiply) << delassus_method_name(method);
    EXPECT_EQ(a.add, b.add) << delassus_method_name(method);
  }
}

// The counted run computes the same numbers as the fast one.
TEST(OperationCount, CountedNumbersAreTheSameNumbers) {
  for (int seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const Model model = test::make_forest(seed);
    CountedBench counted(model);
    test::Workbench w(model);
    w.set(Eigen::Map<const Eigen::VectorXd>(model::make_neutral(model).data(), model.nq),
          Eigen::VectorXd::Zero(model.nv));
    kernel::Random random(3900 + seed);
    const Points points = test::make_contacts(random, model, 5);
    test::DelassusBench bench(model);
    for (DelassusMethod method : kCountedMethods) {
      const Eigen::MatrixXd expected = bench.calc_lambda(method, w, points, Eigen::VectorXd());
      (void)counted.count_lambda(method, points);
      Eigen::MatrixXd got(15, 15);
      for (int k = 0; k < 225; ++k) got.data()[k] = counted.delassus.lambda()[k].a;
      EXPECT_LT(test::relative_error(got, expected), 1e-10) << delassus_method_name(method);
    }
  }
}

}  // namespace
}  // namespace stance::dynamics
