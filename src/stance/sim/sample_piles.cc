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

Scene make_cube_stack(int count) {
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

void add_crate_with_bricks(const Vec3d& p, SceneBuilder& builder) {
  constexpr double kHalfX = 0.08, kHalfY = 0.30, kHalfZ = 0.04, kWall = 0.005;  // m
  constexpr double kMass = 2.0, kBrickMass = 0.5;                               // kg
  const Vec3d brick_half(0.03, 0.06, 0.025);

  // bottom and walls, in the frame of the middle of the bottom
  struct Part {
    Vec3d half, p;
  };
  const double height = 2.0 * kWall + kHalfZ;
  const Part parts[] = {
      {{kHalfX, kHalfY, kWall}, {0.0, 0.0, kWall}},
      {{kWall, kHalfY, kHalfZ}, {kHalfX - kWall, 0.0, height}},
      {{kWall, kHalfY, kHalfZ}, {kWall - kHalfX, 0.0, height}},
      {{kHalfX - 2.0 * kWall, kWall, kHalfZ}, {0.0, kHalfY - kWall, height}},
      {{kHalfX - 2.0 * kWall, kWall, kHalfZ}, {0.0, kWall - kHalfY, height}},
  };
  double volume = 0.0;
  for (const Part& part : parts) volume += part.half[0] * part.half[1] * part.half[2];
  model::LinkSpec link;
  link.name = "box";
  link.mass = kMass;
  const auto share = [&](const Part& part) {
    return kMass * part.half[0] * part.half[1] * part.half[2] / volume;
  };
  for (const Part& part : parts) link.com += share(part) / kMass * part.p.eigen();
  for (const Part& part : parts) {
    // solid boxes, moved to the common centre: m (r.r 1 - r r^T)
    const double m = share(part);
    const Eigen::Vector3d r = part.p.eigen() - link.com, a2 = part.half.eigen().array().square();
    link.inertia.diagonal() += m / 3.0 * (Eigen::Vector3d::Constant(a2.sum()) - a2);
    link.inertia += m * (r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose());
  }

  RobotSpec crate;
  crate.name = "crate";
  crate.parts.add_link(link);
  crate.parts.attach_roots(model::ModelBuilder::Base::kFree);
  crate.base.p = p;
  for (const Part& part : parts)
    crate.shapes.push_back({"box", make_box(part.half), {Mat3d::identity(), part.p}, 0});
  builder.add_robot(crate);

  for (int k = 0; k < kBricks; ++k) {
    SceneBuilder::Body brick;
    brick.name = "brick" + std::to_string(k);
    brick.shape = make_box(brick_half);
    brick.mass = kBrickMass;
    brick.pose.p =
        p + Vec3d(k % 2 ? 0.033 : -0.033, 0.14 * (k / 2) - 0.21, 2.0 * kWall + brick_half[2]);
    builder.add_body(brick);
  }
}

Scene make_crate_with_bricks() {
  SceneBuilder builder("crate with bricks");
  builder.add_fixed(collision::make_plane(), {});
  add_crate_with_bricks({}, builder);
  return builder.build();
}

}  // namespace stance::sim
