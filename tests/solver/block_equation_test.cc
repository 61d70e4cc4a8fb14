// Laws as equations: they vanish where the laws hold, and their slopes are those of differences.

#include "stance/solver/block_equation.h"

#include <gtest/gtest.h>

#include "stance/solver/local_law.h"

#include "solver/random_problem.h"
#include "support/random_forest.h"

namespace stance::solver {
namespace {

constexpr EquationKind kKinds[] = {EquationKind::kFischerBurmeister, EquationKind::kAlartCurnier};

Vec3d make_vector(kernel::Random& random) {
  return Vec3d(Eigen::Vector3d(test::make_vector(random, 3, 1.0)));
}

Block make_block(Law law) {
  Block block;
  block.law = law, block.mu = 0.6, block.mu_rolling = 0.3, block.bound = 0.4;
  return block;
}

TEST(BlockEquation, VanishesWhereTheLawHolds) {
  kernel::Random random(7400);
  for (int trial = 0; trial < 2000; ++trial) {
    const Mat3d W = test::make_inverse_inertia(random, 10.0);
    const Vec3d q(random.uniform(-1.0, 0.3), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0));
    const Block block = make_block(Law::kContact);
    double lambda = 0.0;
    const Vec3d p = solve_contact(make_local_factor(block, W), block.mu, q, lambda);
    for (const EquationKind kind : kKinds) {
      const BlockEquation e = calc_equation(kind, block, 0.0, 1.3, 1.3, p, q + W * p);
      EXPECT_LT(norm(e.F), 1e-7) << "trial " << trial;  // a root: half the digits on the boundary
      const Vec3d wrong = p + 0.1 * make_vector(random);
      EXPECT_GT(norm(calc_equation(kind, block, 0.0, 1.3, 1.3, wrong, q + W * wrong).F), 1e-4);
    }
  }
}

TEST(BlockEquation, SlopesAreThoseOfDifferences) {
  kernel::Random random(7401);
  for (const Law law : {Law::kContact, Law::kSpin, Law::kBilateral, Law::kUnilateral, Law::kBox})
    for (const EquationKind kind : kKinds)
      for (int trial = 0; trial < 300; ++trial) {
        const Block block = make_block(law);
        const Vec3d p = make_vector(random), u = make_vector(random);
        const auto F = [&](const Vec3d& dp, const Vec3d& du) {
          return calc_equation(kind, block, 0.9, 1.3, 0.8, p + dp, u + du).F;
        };
        const BlockEquation e = calc_equation(kind, block, 0.9, 1.3, 0.8, p, u);
        for (int k = 0; k < 3; ++k) {
          constexpr double kStep = 1e-6;
          Vec3d d;
          d.set(k, kStep);
          const Vec3d by_p = (0.5 / kStep) * (F(d, {}) - F(-d, {}));
          const Vec3d by_u = (0.5 / kStep) * (F({}, d) - F({}, -d));
          EXPECT_LT(norm(by_p - e.by_p.c[k]), 1e-6) << int(law) << " " << trial;
          EXPECT_LT(norm(by_u - e.by_u.c[k]), 1e-6) << int(law) << " " << trial;
        }
      }
}

}  // namespace
}  // namespace stance::solver
