#include "stance/haptics/proxy.h"

#include <cmath>

#include <gtest/gtest.h>

#include "stance/kernel/random.h"

namespace stance::haptics {
namespace {

struct World {
  collision::CollisionModel shapes;
  collision::CollisionScratch poses;

  explicit World(collision::CollisionBuilder& builder) : shapes(builder.build()), poses(shapes) {
    const kernel::Mat3d R[] = {kernel::Mat3d::identity()};
    const Vec3d p[] = {Vec3d()};
    update_poses(shapes, R, p, poses);
  }
};

TEST(Proxy, SlidesOverAFloor) {
  collision::CollisionBuilder builder;
  builder.add({.shape = collision::make_plane()});
  World world(builder);
  Proxy proxy(0.01);
  proxy.place({0, 0, 0.1});
  proxy.follow(world.shapes, world.poses, {0.3, 0.2, -0.5});
  EXPECT_LT(norm(proxy.position() - Vec3d(0.3, 0.2, 0.01)), 1e-9);
  ASSERT_EQ(proxy.touches().size(), 1u);
  EXPECT_NEAR(proxy.touches()[0].pull, 0.51, 1e-9);
}

// In another world it still leans on a floor that has come a millimetre nearer; one that it is deep
// inside of is passed over.
TEST(Proxy, StaysOnWhatItLeansOnInAnotherWorld) {
  for (const double rise : {0.001, 0.008}) {
    collision::CollisionBuilder builder, raised;
    builder.add({.shape = collision::make_plane()});
    raised.add({.shape = collision::make_plane(), .p_BG = {0, 0, rise}});
    World world(builder), next(raised);
    Proxy proxy(0.01);
    proxy.place({0, 0, 0.1});
    proxy.follow(world.shapes, world.poses, {0, 0, -0.5});
    proxy.change_world();
    proxy.follow(next.shapes, next.poses, {0, 0, -0.5});
    EXPECT_NEAR(proxy.position()[2], rise < 0.005 ? 0.01 + rise : -0.5, 1e-9);
  }
}

// A probe that goes through a thin wall leaves the proxy in front of it.
TEST(Proxy, DoesNotPopThroughThinWalls) {
  collision::CollisionBuilder builder;
  builder.add({.shape = collision::make_box({0.001, 1, 1})});
  World world(builder);
  Proxy proxy(0.005);
  proxy.place({-0.1, 0, 0});
  for (int k = 0; k <= 100; ++k)
    proxy.follow(world.shapes, world.poses, {-0.1 + 0.002 * k, 0.001 * k, 0});
  EXPECT_NEAR(proxy.position()[0], -0.006, 1e-9);
  EXPECT_NEAR(proxy.position()[1], 0.1, 1e-6);
}

// The proxy among shapes of all kinds, the probe moving at random: it never sinks in.
TEST(Proxy, NeverSinksIntoAnything) {
  collision::CollisionBuilder builder;
  builder.add({.shape = collision::make_plane(), .p_BG = {0, 0, -0.2}});
  builder.add({.shape = collision::make_box({0.05, 0.1, 0.02}), .p_BG = {0.1, 0, 0}});
  builder.add({.shape = collision::make_sphere(0.08), .p_BG = {-0.1, 0.05, 0}});
  builder.add({.shape = collision::make_capsule(0.03, 0.1), .p_BG = {0, -0.15, 0}});
  builder.add({.shape = collision::make_cylinder(0.05, 0.06), .p_BG = {0, 0.2, 0.05}});
  World world(builder);
  Proxy proxy(0.01);
  proxy.place({0, 0, 0.3});
  kernel::Random random(11);
  Vec3d probe(0, 0, 0.3), speed{};
  int touched = 0;
  double deepest = 0.0;
  for (int k = 0; k < 20000; ++k) {
    for (int c = 0; c < 3; ++c)
      speed.set(c, 0.99 * speed[c] + random.uniform(-0.0005, 0.0005) - 0.0002 * probe[c]);
    probe += speed;
    proxy.follow(world.shapes, world.poses, probe);
    for (int g = 0; g < world.shapes.size(); ++g) {
      collision::ClosestPoints near;
      if (find_closest_to_sphere(world.shapes, world.poses, proxy.position(), proxy.radius(), g,
                                 0.01, near))
        deepest = std::min(deepest, near.distance);
    }
    for (const Proxy::Touch& touch : proxy.touches()) touched += touch.pull > 0.0;
  }
  EXPECT_GT(touched, 2000);
  EXPECT_GT(deepest, -1e-9);
}

TEST(Proxy, PassesOverWhatItStartsInside) {
  collision::CollisionBuilder builder;
  builder.add({.shape = collision::make_box({0.1, 0.1, 0.1})});
  World world(builder);
  Proxy proxy(0.01);
  proxy.place({0, 0, 0});
  proxy.follow(world.shapes, world.poses, {0.02, 0, 0});
  EXPECT_NEAR(proxy.position()[0], 0.02, 1e-12);
  proxy.follow(world.shapes, world.poses, {0.2, 0, 0});  // out
  proxy.follow(world.shapes, world.poses, {0.2, 0, 0});
  proxy.follow(world.shapes, world.poses, {0.0, 0, 0});  // and not in again
  EXPECT_NEAR(proxy.position()[0], 0.11, 1e-9);
}

}  // namespace
}  // namespace stance::haptics
