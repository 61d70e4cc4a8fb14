// No direction separates two convex shapes more than the normal of their contact, and the least gap
// is the separation along it. Two ways to get that wrong, both once taken: four points of a
// cylinder's rim in a plane were held for a tetrahedron around the origin (a capsule beside a
// cylinder was "inside" by its radius, 1 of 1000 poses); and shapes beyond reach whose faces alone
// did not part them were held for overlapping (1 of 300 poses of capsules and hulls).

#include <gtest/gtest.h>

#include "collision/scene.h"

namespace stance::collision {
namespace {

using test::Random;

Shape make_shape(ShapeKind kind, Random& random, CollisionBuilder& builder) {
  return test::make_convex(
      kind, 0.06, [&] { return random.uniform(0.02, 0.06); }, random, builder);
}

TEST(EveryPair, NoDirectionSeparatesMoreThanTheNormal) {
  Random random(61);
  for (int ka = 0; ka < 5; ++ka)
    for (int kb = ka; kb < 5; ++kb) {
      SCOPED_TRACE(testing::Message() << "kinds " << ka << " " << kb);
      int found = 0;
      for (int shape = 0; shape < 60; ++shape) {
        CollisionBuilder builder;
        const Shape a = make_shape(ShapeKind(ka), random, builder);
        const Shape b = make_shape(ShapeKind(kb), random, builder);
        test::PairScene scene(a, b, builder);
        for (int trial = 0; trial < 100; ++trial) {
          scene.R[1] = test::random_rotation(random), scene.R[2] = test::random_rotation(random);
          scene.p[1] = test::random_vector(random, 0.1);
          const ContactPoint c = scene.deepest(1e-3);
          if (c.gap > 1.0) continue;
          ++found;
          const test::Body body_a = test::make_body(scene.model, scene.scratch, 0);
          const test::Body body_b = test::make_body(scene.model, scene.scratch, 1);
          const double along = test::separation(body_a, body_b, c.n_W);
          ASSERT_NEAR(c.gap, along, 1e-9);
          for (int k = 0; k < 50; ++k)
            ASSERT_LT(test::separation(body_a, body_b, test::random_direction(random)),
                      along + 1e-9);
        }
      }
      EXPECT_GT(found, 1000);
    }
}

}  // namespace
}  // namespace stance::collision
