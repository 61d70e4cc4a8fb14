// Convex shapes deep inside each other: the gap is the separation along the normal, and no other
// direction separates them more. Once the expanding polytope folded over where the caps of
// cylinders gave it many points in one plane, and a pair of cylinders 5 cm deep was said to touch
// (2 of 1000 poses, 9 of 1000 with axes nearly parallel).

#include <gtest/gtest.h>

#include "collision/scene.h"
#include "support/slow.h"

namespace stance::collision {
namespace {

using test::Random;

constexpr int kPoses = ::stance::test::kIsSlow ? 200 : 1000;
constexpr double kSize = 0.05;      // m
constexpr double kAlong = 1e-12;    // m: gap and separation along the normal
constexpr double kSearched = 1e-9;  // m: what the search may find better

// Lengths from a third of the size, or a tenth, to the size.
Shape make_shape(ShapeKind kind, double slenderness, Random& random, CollisionBuilder& builder) {
  const auto length = [&] { return kSize * std::pow(10.0, random.uniform(-slenderness, 0.0)); };
  return test::make_convex(kind, kSize, length, random, builder);
}

struct Outcome {
  int found = 0;
  double inconsistent = 0.0;  // m, worst of gap against separation along the normal
  double beaten = 0.0;        // m, worst of a better direction, over the depth if `is_relative`
};

// Poses by `place`; every `every`-th is searched for better directions.
template <class Place>
Outcome try_poses(int kind_a, int kind_b, int poses, int every, bool is_relative, int seed,
                  Place&& place) {
  Random random(seed);
  Outcome out;
  for (int trial = 0; trial < poses; ++trial) {
    CollisionBuilder builder;
    const double slenderness = trial % 2 == 0 ? 0.5 : 1.0;
    const Shape a = make_shape(ShapeKind(kind_a), slenderness, random, builder);
    const Shape b = make_shape(ShapeKind(kind_b), slenderness, random, builder);
    test::PairScene scene(a, b, builder);
    scene.R[2] = test::random_rotation(random);
    place(random, scene);
    const ContactPoint c = scene.deepest(1e-3);
    if (c.gap > -1e-3) continue;
    ++out.found;
    const test::Body body_a = test::make_body(scene.model, scene.scratch, 0);
    const test::Body body_b = test::make_body(scene.model, scene.scratch, 1);
    const double along = test::separation(body_a, body_b, c.n_W);
    out.inconsistent = std::max(out.inconsistent, std::abs(c.gap - along));
    if (trial % every != 0) continue;
    const double best = test::search_separation(body_a, body_b, random);
    out.beaten = std::max(out.beaten, (best - along) / (is_relative ? -best : 1.0));
  }
  return out;
}

TEST(Deep, NoDirectionIsBetterThanTheNormal) {
  for (int ka = 0; ka < 5; ++ka)
    for (int kb = ka; kb < 5; ++kb) {
      SCOPED_TRACE(testing::Message() << "kinds " << ka << " " << kb);
      const Outcome out = try_poses(ka, kb, kPoses, 25, false, 71, [](Random& random, auto& scene) {
        scene.R[1] = test::random_rotation(random);
        scene.p[1] = test::random_vector(random, 0.3 * kSize);
      });
      EXPECT_GT(out.found, 0.7 * kPoses);
      EXPECT_LT(out.inconsistent, kAlong);
      EXPECT_LT(out.beaten, kSearched);
    }
}

// Axes parallel to within anything from rounding to a radian, and some with one centre.
TEST(Deep, NearlyParallelAxesDoNotMatter) {
  const auto place = [](Random& random, test::PairScene& scene) {
    const double tilt = std::pow(10.0, random.uniform(-9.0, 0.0));
    scene.R[1] = scene.R[2] * test::rotation(test::random_direction(random), tilt);
    scene.p[1] = random.integer(8) == 0 ? Vec3d() : test::random_vector(random, 0.3 * kSize);
  };
  for (int ka = 0; ka < 5; ++ka)
    for (int kb = ka; kb < 5; ++kb) {
      SCOPED_TRACE(testing::Message() << "kinds " << ka << " " << kb);
      // around nearly coaxial cylinders and capsules hundreds of directions are nearly the best:
      // then one of them is found
      const bool is_round = ka >= 1 && kb == 2;
      const Outcome out = try_poses(ka, kb, kPoses, 25, is_round, 72, place);
      EXPECT_GT(out.found, 0.7 * kPoses);
      EXPECT_LT(out.inconsistent, kAlong);
      EXPECT_LT(out.beaten, is_round ? 1e-3 : kSearched);
    }
}

}  // namespace
}  // namespace stance::collision
