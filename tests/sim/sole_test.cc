// A foot of any shape rests on any ground: what carries it is held, and is the same from step to
// step. Selections that do not touch, or that change with every micrometre, let feet rock and drift
// for ever, and gain energy by it.

#include <set>

#include "sim/soles.h"

namespace stance::test {
namespace {

constexpr double kStep = 1e-3;

enum class Ground { kPlane, kBox, kMesh, kField };

void add_ground(Ground ground, SceneBuilder& builder) {
  switch (ground) {
    case Ground::kPlane: builder.add_fixed(make_plane(), {}); return;
    case Ground::kBox:
      builder.add_fixed(make_box({1, 1, 0.1}), {kernel::Mat3d::identity(), {0, 0, -0.1}});
      return;
    case Ground::kMesh: {
      // triangles of 0.3 m, so that their edges lie below the sole
      constexpr int kCells = 6;
      std::vector<Vec3d> vertices;
      std::vector<collision::Triangle> triangles;
      for (int j = 0; j <= kCells; ++j)
        for (int i = 0; i <= kCells; ++i)
          vertices.emplace_back(2.0 * i / kCells - 1, 2.0 * j / kCells - 1, 0.0);
      for (int j = 0; j < kCells; ++j)
        for (int i = 0; i < kCells; ++i) {
          const int a = j * (kCells + 1) + i, b = a + 1, c = a + kCells + 1, d = c + 1;
          triangles.push_back({a, b, d}), triangles.push_back({a, d, c});
        }
      builder.add_fixed(builder.make_mesh(vertices, triangles), {});
      return;
    }
    case Ground::kField:
      builder.add_fixed(
          builder.make_height_field({13, 13, 0.2, 0.2, std::vector<double>(169, 0.0)}), {});
      return;
  }
}

// Dropped from 0.1 mm, tilted by some milliradians, 2 kg.
Simulation drop_sole(SoleKind kind, Ground ground, int seed) {
  Random random(100 * static_cast<int>(kind) + seed);
  SceneBuilder builder("sole");
  add_ground(ground, builder);
  const std::vector<Vec3d> points = SolePoints(random).make(kind);
  sim::SceneBuilder::Body sole;
  sole.name = "sole", sole.mass = 2.0;
  sole.shape = builder.make_hull(points);
  sole.pose.R = make_rotation({0, 0, 1}, random.uniform(0, 6.28)) *
                make_rotation({1, 0, 0}, random.uniform(-2e-3, 2e-3)) *
                make_rotation({0, 1, 0}, random.uniform(-2e-3, 2e-3));
  double lowest = 1e300;
  for (const Vec3d& p : points) lowest = std::min(lowest, (sole.pose.R * p)[2]);
  sole.pose.p = {random.uniform(-0.05, 0.05), random.uniform(-0.05, 0.05), 1e-4 - lowest};
  builder.add_body(sole);
  return Simulation(builder.build());
}

// How fast the fastest point of the sole moves, m/s; none is farther than 0.15 m from its centre.
double calc_creep(const Simulation& s) {
  const double* v = s.state.v.data() + s.world.model.v_start[s.bodies[0]];
  return norm(Vec3d(v[3], v[4], v[5])) + 0.15 * norm(Vec3d(v[0], v[1], v[2]));
}

// Three seconds to settle, then `seconds` in which nothing may happen.
void expect_rest(SoleKind kind, Ground ground, int seed, double seconds) {
  SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)) + ", ground " +
               std::to_string(static_cast<int>(ground)) + ", seed " + std::to_string(seed));
  Simulation s = drop_sole(kind, ground, seed);
  s.run(kIsSlow ? 0.5 : 3.0, kStep);
  const double energy = s.report.energy_error;
  double fastest = 0.0, gained = 0.0;
  std::set<std::uint64_t> ids;
  for (const auto& point : s.scratch.contact.points.points()) ids.insert(point.id);
  bool are_the_same = true;
  s.run(kIsSlow ? 0.1 : seconds, kStep, [&] {
    fastest = std::max(fastest, calc_creep(s));
    gained = std::max(gained, std::abs(s.report.energy_error - energy));
    const auto points = s.scratch.contact.points.points();
    are_the_same = are_the_same && points.size() == ids.size();
    for (const auto& point : points) are_the_same = are_the_same && ids.count(point.id) > 0;
  });
  EXPECT_LT(fastest, 1e-9);
  EXPECT_LT(gained, 1e-6);
  // where an edge of the ground lies on one of the sole, rounding says which of the two is named
  const bool has_edges = ground == Ground::kMesh || ground == Ground::kField;
  EXPECT_TRUE(are_the_same || has_edges);
}

TEST(Sole, RestsOnPlanesAndBoxes) {
  for (const SoleKind kind : kSoleKinds)
    for (const Ground ground : {Ground::kPlane, Ground::kBox})
      for (int seed = 0; seed < 2; ++seed) expect_rest(kind, ground, seed, seed == 0 ? 10.0 : 1.0);
}

TEST(Sole, RestsOnMeshesAndHeightFields) {
  for (const SoleKind kind : kSoleKinds)
    for (const Ground ground : {Ground::kMesh, Ground::kField}) expect_rest(kind, ground, 0, 1.0);
}

// A force at the rim that is not quite enough to tip it: the whole polygon of a bevelled sole
// carries, not some of its corners. A regular sole of 12 corners, radius r, tips about an edge when
// F r > m g r cos(15 degrees) for a force at a corner's distance across an edge's middle.
TEST(Sole, CarriesAtTheEdgeOfItsPolygon) {
  constexpr double kRadius = 0.1, kMass = 2.0;
  const auto falls = [&](double share) {
    SceneBuilder builder("sole");
    builder.add_fixed(make_plane(), {});
    std::vector<Vec3d> points;
    for (int k = 0; k < 12; ++k)
      for (const auto& [scale, z] : {std::pair(1.0, 0.0), {1.03, 5e-4}, {1.03, 0.05}})
        points.emplace_back(scale * kRadius * std::cos(M_PI * k / 6),
                            scale * kRadius * std::sin(M_PI * k / 6), z);
    builder.add_body({.name = "sole", .shape = builder.make_hull(points), .mass = kMass});
    Simulation s(builder.build());
    // a torque about the edge between corners 0 and 1: m g times its distance from the middle
    const double most = kMass * 9.81 * kRadius * std::cos(M_PI / 12);
    s.tau.assign(s.world.model.nv, 0.0);
    double* turn = s.tau.data() + s.world.model.v_start[s.bodies[0]];
    turn[0] = -share * most * std::sin(M_PI / 12), turn[1] = share * most * std::cos(M_PI / 12);
    s.run(0.5, kStep);
    return s.fastest() > 1e-6;
  };
  EXPECT_FALSE(falls(0.99));
  EXPECT_TRUE(falls(1.02));
}

}  // namespace
}  // namespace stance::test
