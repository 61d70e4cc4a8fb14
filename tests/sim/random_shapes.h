#pragma once

// Random shapes and grounds of every kind, for scenes of drops.

#include "stance/kernel/random.h"

#include "sim/simulation.h"

namespace stance::test {

using collision::ShapeKind;
using kernel::Random;

inline Vec3d make_vector(Random& random, double limit) {
  const double x = random.uniform(-limit, limit), y = random.uniform(-limit, limit);
  return {x, y, random.uniform(-limit, limit)};
}

inline kernel::Mat3d make_turn(Random& random) {
  return make_rotation(make_vector(random, 1.0) + Vec3d(0, 0, 1e-3), random.uniform(0.0, 3.0));
}

// Some 0.1 m across.
inline collision::Shape make_convex(ShapeKind kind, Random& random, SceneBuilder& builder) {
  const auto length = [&] { return random.uniform(0.025, 0.06); };
  const double a = length(), b = length(), c = length();
  switch (kind) {
    case ShapeKind::kSphere: return make_sphere(a);
    case ShapeKind::kCapsule: return collision::make_capsule(0.7 * a, b);
    case ShapeKind::kCylinder: return make_cylinder(a, b);
    case ShapeKind::kBox: return make_box({a, b, c});
    default: {
      std::vector<Vec3d> points;
      for (int k = 8 + random.integer(8); k > 0; --k) {
        const Vec3d d = make_vector(random, 1.0);
        points.push_back((0.06 / std::max(norm(d), 0.3)) * d);
      }
      return builder.make_hull(points);
    }
  }
}

// A plane, or hills of 3 cm as a mesh or as a height field, 2 m wide.
inline collision::Shape make_ground(ShapeKind kind, Random& random, SceneBuilder& builder) {
  constexpr int kSide = 21;
  constexpr double kPitch = 0.1;
  std::vector<double> heights;
  for (int k = 0; k < kSide * kSide; ++k) heights.push_back(random.uniform(-0.03, 0.0));
  if (kind == ShapeKind::kPlane) return make_plane();
  if (kind == ShapeKind::kHeightField)
    return builder.make_height_field({kSide, kSide, kPitch, kPitch, heights});
  std::vector<Vec3d> vertices;
  std::vector<collision::Triangle> triangles;
  for (int j = 0; j < kSide; ++j)
    for (int i = 0; i < kSide; ++i) {
      const int v = j * kSide + i;
      vertices.emplace_back(kPitch * (i - kSide / 2), kPitch * (j - kSide / 2), heights[v]);
      if (i + 1 == kSide || j + 1 == kSide) continue;
      triangles.push_back({v, v + 1, v + kSide + 1});
      triangles.push_back({v, v + kSide + 1, v + kSide});
    }
  return builder.make_mesh(vertices, triangles);
}

inline SceneBuilder::Body make_body(ShapeKind kind, Random& random, const Vec3d& position,
                                    SceneBuilder& builder) {
  SceneBuilder::Body body;
  body.shape = make_convex(kind, random, builder);
  body.mass = random.uniform(0.2, 2.0);
  body.pose = {make_turn(random), position};
  body.spin = make_vector(random, 5.0);
  return body;
}

// Pairs of kinds: five on each other, and five on each of three grounds.
inline constexpr int kPairKinds = 15 + 15;

// Drop number n: something falls on something else that lies on a plane, or on the ground.
inline sim::Scene make_drop(int n, const contact::Material& material) {
  Random random(70000 + n);
  SceneBuilder builder("drop " + std::to_string(n));
  builder.set_material(0, material);
  int kind = n % kPairKinds, a = 0, b = 0;
  if (kind < 15) {
    while (kind > b) kind -= ++b;  // 0 <= a <= b < 5
    a = kind;
    builder.add_fixed(make_plane(), {});
    builder.add_body(make_body(ShapeKind(b), random, {0, 0, 0.11}, builder));
  } else {
    a = kind % 5;
    builder.add_fixed(make_ground(ShapeKind(static_cast<int>(ShapeKind::kPlane) + (kind - 15) / 5),
                                  random, builder),
                      {});
  }
  SceneBuilder::Body body =
      make_body(ShapeKind(a), random,
                Vec3d(0, 0, kind < 15 ? 0.36 : 0.15) + make_vector(random, 0.03), builder);
  body.velocity = make_vector(random, 0.5);
  builder.add_body(body);
  return builder.build();
}

}  // namespace stance::test
