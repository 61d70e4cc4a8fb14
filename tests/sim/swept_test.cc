// Motion is swept over everything: curved ground from both sides, sheets from behind and over their
// borders, and what is cleared is not touched. Judged by plain geometry, not by what a step
// reports.
//
// Each of these once went wrong silently: balls of 3 to 100 m/s came through ditches of meshes and
// height fields, since rows of one slope said nothing of the next; the border of a sheet let balls
// in that came from behind, at any speed; and the plane that touched a corner at the start of a
// step deflected what flew past it.

#include <cstdlib>

#include "stance/collision/height_field.h"

#include "sim/random_shapes.h"

namespace stance {
namespace {

using sim::SceneBuilder;
using test::Random;
using test::Simulation;
using test::Vec3d;

constexpr double kStep = 1e-3;  // s
constexpr double kDeep = 3e-4;  // m, what may be: the slack of the search, and a little

int count_shots(int count) {
  const char* wanted = std::getenv("STANCE_SHOTS");
  return wanted ? std::atoi(wanted) : test::kIsSlow ? count / 8 : count;
}

// ---- curved ground ---------------------------------------------------------------------------

struct Ground {
  collision::HeightFieldSpec spec;
  collision::HeightField field;
  int side = 1;  // things come from above, or from below

  explicit Ground(const collision::HeightFieldSpec& of) : spec(of), field(of, "ground") {}

  void add_to(SceneBuilder& builder, bool as_mesh) const {
    if (!as_mesh) return builder.add_fixed(builder.make_height_field(spec), {});
    std::vector<Vec3d> vertices;
    std::vector<collision::Triangle> triangles;
    for (int j = 0; j < spec.rows; ++j)
      for (int i = 0; i < spec.columns; ++i) {
        const int v = j * spec.columns + i;
        vertices.emplace_back((i - 0.5 * (spec.columns - 1)) * spec.spacing_x,
                              (j - 0.5 * (spec.rows - 1)) * spec.spacing_y, spec.heights[v]);
        if (i + 1 == spec.columns || j + 1 == spec.rows) continue;
        triangles.push_back({v, v + 1, v + spec.columns + 1});
        triangles.push_back({v, v + spec.columns + 1, v + spec.columns});
      }
    builder.add_fixed(builder.make_mesh(vertices, triangles), {});
  }

  // How far a point is on the side that things come from, along z.
  double calc_height(const Vec3d& p) const { return side * (p[2] - field.height(p[0], p[1])); }
  bool is_over(const Vec3d& p) const {
    const collision::Box& box = field.bounds();
    return p[0] > box.low[0] && p[0] < box.high[0] && p[1] > box.low[1] && p[1] < box.high[1];
  }
};

// Waves along x, and along y where `across`; `cells` to a wave.
Ground make_waves(double length, double slope, int cells, bool across) {
  collision::HeightFieldSpec spec;
  spec.columns = static_cast<int>(2.0 / length * cells) + 1, spec.rows = across ? spec.columns : 2;
  spec.spacing_x = 2.0 / (spec.columns - 1), spec.spacing_y = 2.0 / (spec.rows - 1);
  const auto wave = [&](double x) { return slope * length / 6.283 * std::sin(6.283 * x / length); };
  for (int j = 0; j < spec.rows; ++j)
    for (int i = 0; i < spec.columns; ++i)
      spec.heights.push_back(wave(i * spec.spacing_x) + (across ? wave(j * spec.spacing_y) : 0.0));
  return Ground(spec);
}

struct Fate {
  double height = 1e9;  // m, the least of the middle, on the side that it came from
  bool is_reported = false;
};

Fate fly(Simulation& s, const Ground& ground, int steps) {
  Fate fate;
  for (int k = 0; k < steps && ground.is_over(s.position()); ++k) {
    fate.height = std::min(fate.height, ground.calc_height(s.position()));
    s.report = sim::step(s.world, {}, kStep, s.state, s.scratch);
    fate.is_reported |= (s.report.status & sim::kContactMissed) != 0;
  }
  return fate;
}

// A ball of 5 mm into a ditch of slope 0.3, from its front or against its ridge from behind.
TEST(Swept, AShallowDitchIsNoGap) {
  for (const bool as_mesh : {true, false})
    for (const int side : {1, -1})
      for (const double v : {5.0, 10.0, 30.0, 60.0, 100.0})
        for (const double angle : {0.3, 1.2}) {
          Ground ground({3, 3, 1.0, 1.0, {0.3, 0, 0.3, 0.3, 0, 0.3, 0.3, 0, 0.3}});
          ground.side = side;
          SceneBuilder builder("ditch");
          builder.set_gravity({0, 0, 0});
          builder.set_material(0, {.friction = 0.0, .restitution = 0.0});
          ground.add_to(builder, as_mesh);
          SceneBuilder::Body ball;
          ball.shape = test::make_sphere(0.005);
          ball.pose.p = side > 0 ? Vec3d(-0.033, 0, 0.0215) : Vec3d(-0.077, 0, -0.0328);
          ball.velocity = {v * std::cos(angle), 0, -side * v * std::sin(angle)};
          builder.add_body(ball);
          Simulation s(builder.build());
          const Fate fate = fly(s, ground, 30);
          EXPECT_GT(fate.height, 0.005 - kDeep) << as_mesh << " " << side << " " << v;
          EXPECT_FALSE(fate.is_reported) << as_mesh << " " << side << " " << v;
        }
}

TEST(Swept, NoShotComesThroughCurvedGround) {
  int through = 0;
  for (int seed = 0; seed < count_shots(400); ++seed) {
    Random random(4100 + seed);
    const double lengths[] = {0.1, 0.25, 0.5, 1.0}, slopes[] = {0.1, 0.3, 0.6, 1.0, 2.0};
    const double length = lengths[random.integer(4)], slope = slopes[random.integer(5)];
    const int cells = 2 << random.integer(3);
    // what has many triangles is a wave along x alone
    const bool across = random.integer(2) == 0 && cells < 25.0 * length;
    Ground ground = make_waves(length, slope, cells, across);
    ground.side = random.integer(2) == 0 ? 1 : -1;
    SceneBuilder builder("waves");
    builder.set_gravity({0, 0, 0});
    builder.set_material(0, {.friction = 0.5 * random.integer(2), .restitution = 0.0});
    ground.add_to(builder, random.integer(3) > 0);

    SceneBuilder::Body body;
    const double size = random.uniform(0.003, 0.04);
    switch (random.integer(3)) {
      case 0: body.shape = test::make_sphere(size); break;
      case 1: body.shape = collision::make_capsule(0.3 * size, 0.7 * size); break;
      default: body.shape = test::make_box({0.8 * size, 0.5 * size, 0.3 * size});
    }
    body.pose.R = test::make_turn(random);
    body.spin = test::make_vector(random, random.integer(2) * 30.0);
    const double x = random.uniform(-0.5, 0.3), y = random.uniform(-0.3, 0.3);
    double top = -1e9;
    for (int k = 0; k < 49; ++k)
      top = std::max(top, ground.side * ground.field.height(x + 0.6 * size * (k % 7 - 3),
                                                            y + 0.6 * size * (k / 7 - 3)));
    body.pose.p = {x, y, ground.side * (top + 2.0 * size + random.uniform(5e-4, 0.02))};
    const double v = std::pow(10.0, random.uniform(0.0, 2.0)), angle = random.uniform(-0.1, 1.3);
    body.velocity = {v * std::cos(angle), random.uniform(-0.3, 0.3) * v,
                     -ground.side * v * std::sin(angle)};
    builder.add_body(body);
    Simulation s(builder.build());
    const Fate fate = fly(s, ground, std::min(100, static_cast<int>(500.0 / v) + 3));
    if (fate.height > 0.0 && !fate.is_reported) continue;
    ++through;
    ADD_FAILURE() << "shot " << seed << " at " << v << " m/s came to " << fate.height
                  << (fate.is_reported ? ", and says so" : ", silently");
  }
  EXPECT_EQ(through, 0);
}

// ---- borders of sheets -----------------------------------------------------------------------

constexpr double kHalf = 0.5;  // m, of a square sheet in z = 0 that looks up

void add_sheet(SceneBuilder& builder, int cells) {
  Ground({cells + 1, cells + 1, 2.0 * kHalf / cells, 2.0 * kHalf / cells,
          std::vector<double>((cells + 1) * (cells + 1), 0.0)})
      .add_to(builder, true);
}

double calc_distance(const Vec3d& p) {
  const double dx = std::max(std::abs(p[0]) - kHalf, 0.0);
  const double dy = std::max(std::abs(p[1]) - kHalf, 0.0);
  return std::sqrt(dx * dx + dy * dy + p[2] * p[2]);
}

TEST(Swept, TheBorderOfASheetIsMetFromAllSides) {
  constexpr double kRadius = 0.05;
  for (const int cells : {1, 8})
    for (const double z : {-0.045, -0.03, -0.01, 0.0, 0.01, 0.03, 0.045})
      for (const double v : {0.1, 1.0, 10.0, 100.0}) {
        SceneBuilder builder("border");
        builder.set_gravity({0, 0, 0});
        builder.set_material(0, {.friction = 0.0, .restitution = 0.0});
        add_sheet(builder, cells);
        SceneBuilder::Body ball;
        ball.shape = test::make_sphere(kRadius);
        ball.pose.p = {-kHalf - 0.051, 0.013, z}, ball.velocity = {v, 0, 0};
        builder.add_body(ball);
        Simulation s(builder.build());
        double nearest = 1.0;
        for (int k = 0; k < std::min(200, static_cast<int>(100.0 / v) + 3); ++k) {
          s.run(kStep, kStep);
          nearest = std::min(nearest, calc_distance(s.position()));
        }
        EXPECT_GT(nearest, kRadius - kDeep) << cells << " " << z << " " << v;
      }
}

// Seeded: balls fly at the border and its corners from anywhere, or stand on the border of a sheet
// like a wall.
TEST(Swept, NoBallGetsIntoABorder) {
  for (int seed = 0; seed < count_shots(300); ++seed) {
    Random random(5200 + seed);
    SceneBuilder builder("border shots");
    builder.set_gravity({0, 0, 0});
    builder.set_material(0, {.friction = 0.5 * random.integer(2), .restitution = 0.0});
    add_sheet(builder, 1 + 3 * random.integer(4));
    const double radius = random.uniform(0.005, 0.05);
    const double far = radius + random.uniform(0.001, 0.1);
    const Vec3d aim(-kHalf + random.uniform(-0.9, 0.1) * radius,
                    random.integer(3) == 0 ? kHalf : random.uniform(-kHalf, kHalf), 0.0);
    Vec3d from = test::make_vector(random, 1.0);
    from.set(0, -std::abs(from[0]));
    from = (1.0 / norm(from)) * from;
    SceneBuilder::Body ball;
    ball.shape = test::make_sphere(radius);
    ball.pose.p = aim + (2.0 * far) * from;
    if (calc_distance(ball.pose.p) < radius + 1e-4) continue;
    const double v = std::pow(10.0, random.uniform(-0.5, 2.0));
    ball.velocity = -v * from;
    builder.add_body(ball);
    Simulation s(builder.build());
    double nearest = 1.0;
    for (int k = 0; k < std::min(200, static_cast<int>(300.0 / v) + 3); ++k) {
      s.run(kStep, kStep);
      nearest = std::min(nearest, calc_distance(s.position()));
    }
    EXPECT_GT(nearest, radius - kDeep) << seed << " at " << v << " m/s";
  }
}

// Balls, boxes and cylinders fall on the upper border of an upright sheet, their middle behind it.
TEST(Swept, WhatStandsOnABorderStaysOnIt) {
  for (const double dx : {-1e-3, -1e-6, 0.0, 1e-3}) {
    SceneBuilder builder("upright");
    Ground flat({2, 2, 2.0, 2.0, {0, 0, 0, 0}});
    std::vector<Vec3d> vertices;
    for (const double y : {-1.0, 1.0})
      for (const double z : {-1.0, 1.0}) vertices.emplace_back(0.0, y, z);
    const collision::Triangle triangles[] = {{0, 2, 3}, {0, 3, 1}};
    builder.add_fixed(builder.make_mesh(vertices, triangles), {});
    const collision::Shape shapes[] = {test::make_sphere(0.05), test::make_box({0.05, 0.05, 0.05}),
                                       test::make_cylinder(0.05, 0.05)};
    for (int k = 0; k < 3; ++k) {
      SceneBuilder::Body body;
      body.shape = shapes[k];
      body.pose.p = {dx, 0.5 * (k - 1), 1.06};
      builder.add_body(body);
    }
    Simulation s(builder.build());
    double lowest = 2.0;
    s.run(0.08, kStep, [&] {
      for (int k = 0; k < 3; ++k) lowest = std::min(lowest, s.position(k)[2]);
    });
    EXPECT_GT(lowest, 1.05 - kDeep) << dx;
    EXPECT_LT(s.deepest, kDeep) << dx;
  }
}

// ---- near misses -----------------------------------------------------------------------------

// A ball that clears a box or a ball by a millimetre and a half keeps its velocity to the last bit.
TEST(Swept, WhatIsClearedIsNotTouched) {
  int cleared = 0;
  for (int seed = 0; seed < count_shots(2000); ++seed) {
    Random random(6300 + seed);
    SceneBuilder builder("near miss");
    builder.set_gravity({0, 0, 0});
    const Vec3d half(random.uniform(0.01, 0.1), random.uniform(0.01, 0.1),
                     random.uniform(0.01, 0.1));
    const double radius = random.uniform(0.005, 0.03);
    const bool is_box = random.integer(2) == 0;
    const auto calc_gap = [&](const Vec3d& p) {
      Vec3d d;
      for (int k = 0; k < 3; ++k) d.set(k, std::max(std::abs(p[k]) - half[k], 0.0));
      return (is_box ? norm(d) : norm(p) - half[0]) - radius;
    };
    const Vec3d aim = test::make_vector(random, 0.15), from = test::make_vector(random, 1.0);
    const double v = std::pow(10.0, random.uniform(0.0, 2.0));
    const Vec3d velocity = (-v / norm(from)) * from;
    const Vec3d start = aim - random.uniform(2.0, 20.0) * kStep * velocity;
    double least = 1.0;
    for (int k = 0; k < 4000; ++k) least = std::min(least, calc_gap(start + 1e-5 * k * velocity));
    if (least < 1.5e-3) continue;
    ++cleared;
    builder.add_fixed(is_box ? test::make_box(half) : test::make_sphere(half[0]), {});
    SceneBuilder::Body ball;
    ball.shape = test::make_sphere(radius);
    ball.pose.p = start, ball.velocity = velocity;
    builder.add_body(ball);
    Simulation s(builder.build());
    s.run(0.04, kStep);
    EXPECT_EQ(norm(s.velocity() - velocity), 0.0) << seed << " clears by " << least;
    EXPECT_LT(norm(s.position() - start - 0.04 * velocity), 1e-9) << seed;
  }
  EXPECT_GT(cleared, count_shots(2000) / 4);
}

// ---- what is held back -----------------------------------------------------------------------

SceneBuilder::Body make_shot(double radius, const Vec3d& p, const Vec3d& v) {
  SceneBuilder::Body ball;
  ball.shape = test::make_sphere(radius);
  ball.pose.p = p, ball.velocity = v;
  return ball;
}

SceneBuilder make_builder(const std::string& name) {
  SceneBuilder builder(name);
  builder.set_gravity({0, 0, 0});
  builder.set_material(0, {.friction = 0.0, .restitution = 0.0});
  return builder;
}

// Balls in a row fly at a wall, each stopped by the one before it.
TEST(Swept, ARowOfBallsStaysInItsOrder) {
  SceneBuilder builder = make_builder("row");
  builder.add_fixed(test::make_box({0.001, 0.5, 0.5}), {.p = {-0.001, 0, 0}});
  for (int k = 0; k < 30; ++k)
    builder.add_body(make_shot(0.002, {0.005 + 0.007 * k, 0, 0}, {-100, 0, 0}));
  Simulation s(builder.build());
  s.run(5 * kStep, kStep, [&] {
    EXPECT_GT(s.position(0)[0], 0.002 - kDeep);
    for (int k = 0; k + 1 < 30; ++k)
      EXPECT_GT(s.position(k + 1)[0] - s.position(k)[0], 0.004 - kDeep) << k;
  });
}

// A staircase: each ball would pass all others, were not the one before it stopped where their ways
// cross, so every look at the way of the step finds more meetings. All are held apart; what would
// be given up after the last look would be in the report.
TEST(Swept, WhatMeetsOnlySinceOthersStopIsHeldApart) {
  constexpr double kRadius = 1e-3, kAside = 0.5 * kRadius, kSpeed = 100.0;
  constexpr int kCount = 36;
  const double kAhead = std::sqrt(4.0 * kRadius * kRadius - kAside * kAside);
  SceneBuilder builder = make_builder("staircase");
  builder.add_fixed(test::make_sphere(kRadius), {});
  double x = 0.0, y = 0.0;
  for (int k = 0; k < kCount; ++k) {
    const bool along_x = k % 2 == 0;
    (along_x ? x : y) += kAhead, (along_x ? y : x) += kAside;
    const double way = 0.005 + 0.0025 * k;
    builder.add_body(make_shot(kRadius, {x + (along_x ? way : 0.0), y + (along_x ? 0.0 : way), 0},
                               {along_x ? -kSpeed : 0.0, along_x ? 0.0 : -kSpeed, 0}));
  }
  Simulation s(builder.build());
  s.run(5 * kStep, kStep, [&] {
    for (int a = 0; a < kCount; ++a)
      for (int b = 0; b < a; ++b)
        EXPECT_GT(norm(s.position(a) - s.position(b)), 2.0 * kRadius - kDeep) << a << " " << b;
    EXPECT_EQ(s.report.contact.missed, 0);
  });
}

}  // namespace
}  // namespace stance
