// Nothing passes through anything, and energy is accounted for: seeded shots at thin things.
// Whether something came through is decided here, by the place of its corners against the plate,
// not by what a step reports.

#include <cstdlib>

#include "stance/sim/monitor.h"

#include "sim/random_shapes.h"

namespace stance {
namespace {

using sim::SceneBuilder;
using test::Random;
using test::Simulation;
using test::Vec3d;

constexpr double kStep = 1e-3;       // s
constexpr double kThickness = 2e-3;  // m, of plates, whose upper face is at z = 0
constexpr double kWidth = 4.0;       // m, half of a plate's sides

// A shot: the scene, and where its corners are.
struct Shot {
  explicit Shot(const std::string& name) : builder(name) {}

  SceneBuilder builder;
  std::vector<std::vector<Vec3d>> corners;  // by body, in its axes
  std::vector<double> rounding;             // m, around them
  int side = 1;                             // they start above the plate, or below it

  void add(const SceneBuilder::Body& body) {
    builder.add_body(body);
    std::vector<Vec3d> points;
    const collision::Shape& shape = body.shape;
    double radius = 0.0;
    if (shape.kind == collision::ShapeKind::kBox) {
      for (int k = 0; k < 8; ++k)
        points.push_back({(k & 1 ? 1 : -1) * shape.half[0], (k & 2 ? 1 : -1) * shape.half[1],
                          (k & 4 ? 1 : -1) * shape.half[2]});
    } else {
      radius = shape.radius;
      points = {{0, 0, shape.half_length}, {0, 0, -shape.half_length}};
    }
    corners.push_back(points), rounding.push_back(radius);
  }
};

void add_plate(SceneBuilder& builder, double z = 0.0) {
  builder.add_fixed(test::make_box({kWidth, kWidth, 0.5 * kThickness}),
                    {.p = {0, 0, z - 0.5 * kThickness}});
}

double pick(Random& random, std::initializer_list<double> of) {
  return of.begin()[random.integer(static_cast<int>(of.size()))];
}

SceneBuilder::Body make_ball(Random& random, const Vec3d& p, const Vec3d& v) {
  SceneBuilder::Body ball;
  ball.shape = test::make_sphere(random.uniform(0.005, 0.04));
  ball.pose.p = p + Vec3d(0, 0, ball.shape.radius);
  ball.velocity = v;
  ball.mass = random.uniform(0.05, 2.0);
  return ball;
}

void set_material(Random& random, SceneBuilder& builder) {
  builder.set_material(
      0, {.friction = pick(random, {0.0, 0.3, 1.0}), .restitution = pick(random, {0.0, 0.5, 0.9})});
}

// A ball of up to 100 m/s, from all sides.
Shot make_fast_ball(Random& random) {
  Shot shot("fast ball");
  set_material(random, shot.builder);
  add_plate(shot.builder);
  const double speed = random.uniform(5.0, 100.0), slant = random.uniform(-1.2, 1.2);
  shot.add(make_ball(random, {0, 0, random.uniform(0.001, 0.5)},
                     {speed * std::sin(slant), 0, -speed * std::cos(slant)}));
  return shot;
}

// Balls in a row in front of a plate, the last one struck by 5 to 60 m/s.
Shot make_struck_balls(Random& random) {
  Shot shot("struck balls");
  set_material(random, shot.builder);
  add_plate(shot.builder);
  double z = random.uniform(0.0005, 0.01);
  const int count = 2 + random.integer(4);
  for (int k = 0; k < count; ++k) {
    SceneBuilder::Body ball = make_ball(random, {random.uniform(-0.002, 0.002), 0, z},
                                        {0, 0, k + 1 == count ? -random.uniform(5.0, 60.0) : 0.0});
    z = ball.pose.p[2] + ball.shape.radius + pick(random, {0.0, 1e-4, 0.003, 0.01, 0.03});
    shot.add(ball);
  }
  return shot;
}

// A bar that turns by up to 200 rad/s about a slanted axis while it falls.
Shot make_spinning_bar(Random& random) {
  Shot shot("spinning bar");
  set_material(random, shot.builder);
  add_plate(shot.builder);
  SceneBuilder::Body bar;
  if (random.integer(2) == 0)
    bar.shape = test::make_box({random.uniform(0.1, 0.4), 0.01, random.uniform(0.002, 0.02)});
  else
    bar.shape = collision::make_capsule(0.01, random.uniform(0.1, 0.4));
  bar.pose.p = {0, 0, random.uniform(0.42, 0.6)};
  bar.pose.R = test::make_turn(random);
  bar.spin = test::make_vector(random, 120.0);
  bar.velocity = {0, 0, -random.uniform(1.0, 30.0)};
  shot.add(bar);
  return shot;
}

// A bar that stands free in front of a plate and is struck at one end.
Shot make_struck_bar(Random& random) {
  Shot shot("struck bar");
  set_material(random, shot.builder);
  add_plate(shot.builder);
  SceneBuilder::Body bar;
  bar.shape = test::make_box({random.uniform(0.1, 0.4), 0.01, random.uniform(0.002, 0.02)});
  bar.pose.p = {0, 0, bar.shape.half[2] + random.uniform(0.0005, 0.01)};
  shot.add(bar);
  const double x = random.uniform(-1.0, 1.0) * bar.shape.half[0];
  const double z = bar.pose.p[2] + bar.shape.half[2] + random.uniform(0.0, 0.03);
  shot.add(make_ball(random, {x, 0, z}, {0, 0, -random.uniform(5.0, 60.0)}));
  return shot;
}

// A ball thrown at the nearer of two plates, so that it comes back to the other one in one step.
Shot make_rebound(Random& random) {
  Shot shot("rebound");
  shot.builder.set_material(0, {.friction = 0.3, .restitution = pick(random, {0.5, 0.9, 1.0})});
  add_plate(shot.builder);
  SceneBuilder::Body ball = make_ball(random, {0, 0, random.uniform(0.0, 0.01)}, {});
  ball.velocity = {random.uniform(-10.0, 10.0), 0, random.uniform(5.0, 100.0)};
  const double top = ball.pose.p[2] + ball.shape.radius + random.uniform(0.0, 0.03);
  add_plate(shot.builder, top + kThickness);
  shot.add(ball);
  return shot;
}

// Uneven ground as a mesh of one side, or a height field, shot at from above or below. Its heights
// are below zero by no more than the plate's thickness.
Shot make_terrain_shot(Random& random) {
  Shot shot("terrain");
  set_material(random, shot.builder);
  const int n = 21;
  const double spacing = 2.0 * kWidth / (n - 1);
  std::vector<double> heights;
  for (int k = 0; k < n * n; ++k) heights.push_back(-random.uniform(0.0, kThickness));
  if (random.integer(2) == 0) {
    shot.builder.add_fixed(shot.builder.make_height_field({n, n, spacing, spacing, heights}), {});
  } else {
    std::vector<Vec3d> vertices;
    std::vector<collision::Triangle> triangles;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        vertices.push_back({i * spacing - kWidth, j * spacing - kWidth, heights[j * n + i]});
    for (int j = 0; j + 1 < n; ++j)
      for (int i = 0; i + 1 < n; ++i) {
        const int a = j * n + i;
        triangles.push_back({a, a + 1, a + n + 1});
        triangles.push_back({a, a + n + 1, a + n});
      }
    shot.builder.add_fixed(shot.builder.make_mesh(vertices, triangles), {});
  }
  shot.side = random.integer(2) == 0 ? 1 : -1;
  const double speed = random.uniform(1.0, 100.0), slant = random.uniform(-1.0, 1.0);
  const Vec3d velocity(speed * std::sin(slant), random.uniform(-1.0, 1.0),
                       -shot.side * speed * std::cos(slant));
  SceneBuilder::Body body = make_ball(random, {0, 0, 0}, velocity);
  if (random.integer(2) == 0) {
    body.shape = test::make_box({0.03, 0.02, 0.01});
    body.pose.R = test::make_turn(random);
    body.spin = test::make_vector(random, 30.0);
  }
  body.pose.p = {random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0),
                 shot.side * random.uniform(0.05, 0.3)};
  shot.add(body);
  return shot;
}

using Maker = Shot (*)(Random&);
constexpr Maker kMakers[] = {make_fast_ball,  make_struck_balls, make_spinning_bar,
                             make_struck_bar, make_rebound,      make_terrain_shot};

// How far the body's lowest (side 1) or highest (side -1) point has come beyond z = 0.
double calc_depth(const Shot& shot, const Simulation& s, int k) {
  const double* q = s.state.q.data() + s.world.model.q_start[s.bodies[k]];
  const kernel::Mat3d R = kernel::make_rotation(kernel::Quat<double>{q[0], q[1], q[2], q[3]});
  double lowest = 1e9;
  for (const Vec3d& corner : shot.corners[k])
    lowest = std::min(lowest, shot.side * (q[6] + (R * corner)[2]));
  return -(lowest - shot.rounding[k]);
}

struct Fate {
  double depth = -1e9;  // m, the most of any body
  bool is_reported = false, is_missed = false;
};

Fate shoot(const Shot& shot, int steps) {
  Simulation s(shot.builder.build());
  Fate fate;
  for (int step = 0; step < steps; ++step) {
    s.report = sim::step(s.world, {}, kStep, s.state, s.scratch);
    fate.is_missed |= (s.report.status & sim::kContactMissed) != 0;
    for (int k = 0; k < static_cast<int>(s.bodies.size()); ++k) {
      // around its edges is another way
      const Vec3d p = s.position(k);
      if (std::max(std::abs(p[0]), std::abs(p[1])) > kWidth - 1.0) return fate;
      fate.depth = std::max(fate.depth, calc_depth(shot, s, k));
    }
  }
  return fate;
}

// 240 shots; as many as STANCE_SHOTS says by hand.
TEST(Passing, NoShotGoesThroughAThinPlate) {
  const char* wanted = std::getenv("STANCE_SHOTS");
  const int count = wanted ? std::atoi(wanted) : test::kIsSlow ? 60 : 240;
  int through = 0, missed = 0;
  double deepest = 0.0;
  for (int seed = 0; seed < count; ++seed) {
    Random random(seed + 1);
    const Shot shot = kMakers[seed % std::size(kMakers)](random);
    const Fate fate = shoot(shot, 60);
    missed += fate.is_missed;
    deepest = std::max(deepest, fate.depth);
    if (fate.depth < 2.0 * kThickness) continue;
    ++through;
    ADD_FAILURE() << "shot " << seed << " came " << fate.depth << " m deep, "
                  << (fate.is_missed ? "and says so" : "silently");
  }
  RecordProperty("deepest", std::to_string(deepest));
  std::printf("deepest %.2e m, %d missed, %d through\n", deepest, missed, through);
  EXPECT_EQ(missed, 0);
}

// Ball A strikes ball B in front of a plate that B would pass in the same step; all of one mass,
// without loss. Newton's balls: B flies at A's speed, strikes the plate in the next step, comes
// back and gives its speed to A again.
TEST(Passing, ImpactsFollowEachOtherAtTheirSpeeds) {
  constexpr double kSpeed = 30.0, kRadius = 0.02, kGap = 0.004;
  for (const double restitution : {1.0, 0.5}) {
    SceneBuilder builder("balls");
    builder.set_gravity({0, 0, 0});
    builder.set_material(0, {.friction = 0.3, .restitution = restitution});
    add_plate(builder);
    SceneBuilder::Body ball;
    ball.shape = test::make_sphere(kRadius);
    ball.pose.p = {0, 0, kGap + kRadius};
    builder.add_body(ball);
    ball.pose.p += Vec3d(0, 0, 2.0 * kRadius + 0.01), ball.velocity = {0, 0, -kSpeed};
    builder.add_body(ball);
    Simulation s(builder.build());
    s.run(kStep, kStep);
    // Newton's law for two of one mass: (1 +- e) / 2 of the speed
    const double struck = 0.5 * (1.0 + restitution) * kSpeed;
    EXPECT_NEAR(s.velocity(0)[2], -struck, 1e-6);
    EXPECT_NEAR(s.velocity(1)[2], struck - kSpeed, 1e-6);
    EXPECT_NEAR(s.position(0)[2], kRadius, 1e-6);  // as far as the plate
    s.run(kStep, kStep);
    EXPECT_GT(s.velocity(0)[2], -1e-6);
    s.run(5 * kStep, kStep);
    EXPECT_EQ(s.unconverged, 0);
    const double energy =
        0.5 * (dot(s.velocity(0), s.velocity(0)) + dot(s.velocity(1), s.velocity(1)));
    if (restitution == 1.0) {
      EXPECT_NEAR(s.velocity(1)[2], kSpeed, 1e-6);
      EXPECT_NEAR(energy, 0.5 * kSpeed * kSpeed, 1e-6);
    } else {
      EXPECT_LT(energy, 0.5 * struck * struck);
      EXPECT_GT(s.velocity(1)[2], 0.0);
    }
  }
}

// A spring needs a step in which a ball is in the plate: a ball that is faster than that goes
// through, and the step says so.
TEST(Passing, WhatPenaltyLawsMissIsReported) {
  SceneBuilder builder("penalty");
  builder.contact().law = contact::ContactLaw::kPenaltyLinear;
  add_plate(builder);
  SceneBuilder::Body ball;
  ball.shape = test::make_sphere(0.01);
  ball.pose.p = {0, 0, 0.05}, ball.velocity = {0, 0, -80.0};
  builder.add_body(ball);
  Simulation s(builder.build());
  sim::Monitor monitor(s.world, s.state, {});
  int missed = 0;
  for (int k = 0; k < 5; ++k) {
    s.report = sim::step(s.world, {}, kStep, s.state, s.scratch);
    monitor.watch(s.world, s.state, s.scratch, s.report, kStep);
    missed += s.report.contact.missed;
    EXPECT_EQ(s.report.contact.missed > 0, (s.report.status & sim::kContactMissed) != 0);
  }
  EXPECT_LT(s.position()[2], 0.0);
  EXPECT_EQ(missed, 1);
  EXPECT_EQ(monitor.summary().contacts_missed, 1);
  ASSERT_EQ(monitor.events().size(), 1u);
  EXPECT_EQ(event_name(monitor.events()[0].kind), std::string("missed"));
}

// ---- energy -------------------------------------------------------------------------------

// A body of 10 kg that lies 0.5 mm deep is lifted out of the ground: m g d, all of it by drift.
TEST(Passing, WhatDriftCorrectionLiftsIsBookedAsDrift) {
  constexpr double kMass = 10.0, kDeep = 5e-4, kG = 9.81;
  SceneBuilder builder("sunk");
  builder.add_fixed(test::make_plane(), {});
  SceneBuilder::Body cube;
  cube.shape = test::make_box({0.1, 0.1, 0.1}), cube.mass = kMass;
  cube.pose.p = {0, 0, 0.1 - kDeep};
  builder.add_body(cube);
  Simulation s(builder.build());
  for (int k = 0; k < 100; ++k) {
    s.report = sim::step(s.world, {}, kStep, s.state, s.scratch);
    const double lifted = s.position()[2] - (0.1 - kDeep);
    EXPECT_NEAR(s.state.energy.drift, kMass * kG * lifted, 1e-12);
    EXPECT_NEAR(s.report.energy_error, 0.0, 1e-12);
    EXPECT_EQ(s.report.status, sim::kStepFine);
  }
  EXPECT_NEAR(s.state.energy.drift, kMass * kG * kDeep, kMass * kG * 3e-6);  // down to the slop
}

// The report is of the end of the step: its energy is that of the state, and a projectile's error
// is the one of symplectic Euler, -m g^2 h t / 2, at once.
TEST(Passing, EnergyIsThatOfTheEndOfTheStep) {
  constexpr double kMass = 2.0, kG = 9.81;
  SceneBuilder builder("thrown");
  SceneBuilder::Body ball;
  ball.shape = test::make_sphere(0.1), ball.mass = kMass;
  ball.velocity = {1, 0, 3};
  builder.add_body(ball);
  Simulation s(builder.build());
  const double before = test::calc_energy(s);
  for (int k = 1; k <= 50; ++k) {
    s.run(kStep, kStep);
    const double energy = test::calc_energy(s);
    EXPECT_NEAR(s.report.kinetic + s.report.potential, energy, 1e-12);
    EXPECT_NEAR(energy - before, -0.5 * kMass * kG * kG * kStep * (k * kStep), 1e-11);
    EXPECT_NEAR(s.report.energy_error, energy - before, 1e-12);
  }
}

}  // namespace
}  // namespace stance
