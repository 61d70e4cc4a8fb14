#include "stance/sim/sample_piles.h"

#include "stance/kernel/random.h"

namespace stance::sim {
namespace {

using collision::make_box;

constexpr double kPitch = 4.0 * kCubeHalf;   // between centres of cubes that stand apart
constexpr double kJitter = 0.2 * kCubeHalf;  // of dropped cubes; turned anyhow they do not touch

SceneBuilder::Body make_cube(const Vec3d& p) {
  SceneBuilder::Body cube;
  cube.shape = make_box({kCubeHalf, kCubeHalf, kCubeHalf});
  cube.pose.p = p;
  return cube;
}

// The side of the smallest square of places that holds so many.
int calc_side(int count) {
  int side = 1;
  while (side * side < count) ++side;
  return side;
}

}  // namespace

Scene make_resting_cubes(int count) {
  SceneBuilder builder("resting cubes");
  builder.add_fixed(collision::make_plane(), {});
  const int side = calc_side(count);
  for (int k = 0; k < count; ++k)
    builder.add_body(make_cube({kPitch * (k % side), kPitch * (k / side), kCubeHalf}));
  return builder.build();
}

Scene make_stack(int count) {
  SceneBuilder builder("stack");
  builder.add_fixed(collision::make_plane(), {});
  for (int k = 0; k < count; ++k) builder.add_body(make_cube({0.0, 0.0, (2 * k + 1) * kCubeHalf}));
  return builder.build();
}

Scene make_dropped_cubes(int count, std::uint64_t seed) {
  SceneBuilder builder("dropped cubes");
  builder.add_fixed(collision::make_plane(), {});
  kernel::Random random(seed);
  const auto draw = [&random](double limit) {
    const double x = random.uniform(-limit, limit), y = random.uniform(-limit, limit);
    return Vec3d(x, y, random.uniform(-limit, limit));
  };

  // layers as wide as there are of them, or a little less
  int side = 1;
  while ((side + 1) * (side + 1) * (side + 1) <= count) ++side;
  for (int k = 0; k < count; ++k) {
    const int layer = k / (side * side), place = k % (side * side);
    const Vec3d p(kPitch * (place % side), kPitch * (place / side), kPitch * (1 + layer));
    SceneBuilder::Body cube = make_cube(p + draw(kJitter));
    const Vec3d axis = draw(1.0);
    cube.pose.R = make_rotation(axis, random.uniform(-3.0, 3.0));
    builder.add_body(cube);
  }
  return builder.build();
}

Scene make_cubes_on_slab(int count) {
  SceneBuilder builder("cubes on a slab");
  builder.add_fixed(collision::make_plane(), {});
  const int side = calc_side(count);
  const double half = 0.5 * kPitch * side;
  SceneBuilder::Body slab;
  slab.shape = make_box({half, half, kCubeHalf});
  slab.mass = 0.5 * count + 1.0;
  slab.pose.p = {half - 0.5 * kPitch, half - 0.5 * kPitch, kCubeHalf};
  builder.add_body(slab);
  for (int k = 0; k < count; ++k)
    builder.add_body(make_cube({kPitch * (k % side), kPitch * (k / side), 3.0 * kCubeHalf}));
  return builder.build();
}

}  // namespace stance::sim
