// Motions in contact that a pencil can predict. Rows R1, R2, R13, R15, A3, A7, H17.

#include "sim/simulation.h"

namespace stance {
namespace {

using contact::Material;
using sim::SceneBuilder;
using test::Simulation;
using test::Vec3d;

constexpr double kG = 9.81;
constexpr double kDegree = 3.14159265358979323846 / 180.0;

SceneBuilder::Body make_ball(double radius, double mass, double height) {
  SceneBuilder::Body ball;
  ball.shape = test::make_sphere(radius);
  ball.mass = mass;
  ball.pose.p = {0.0, 0.0, height};
  return ball;
}

sim::Scene make_floor_scene(const SceneBuilder::Body& body, const Material& material) {
  SceneBuilder builder("floor");
  builder.set_material(0, material);
  builder.add_fixed(test::make_plane(), {});
  builder.add_body(body);
  return builder.build();
}

// A body lying on a plane that is tilted about y: downhill is +x.
sim::Scene make_ramp_scene(SceneBuilder::Body body, double lift, double angle, double friction) {
  SceneBuilder builder("ramp");
  builder.set_material(0, {friction});
  const kernel::Mat3d R = sim::make_rotation({0, 1, 0}, angle);
  builder.add_fixed(test::make_plane(), {R, {}});
  body.pose = {R, R * Vec3d(0, 0, lift)};
  body.velocity = R * body.velocity;
  builder.add_body(body);
  return builder.build();
}

SceneBuilder::Body make_brick(const Vec3d& velocity) {
  SceneBuilder::Body brick;
  brick.shape = test::make_box({0.1, 0.05, 0.025});
  brick.velocity = velocity;
  return brick;
}

// ---- bouncing -----------------------------------------------------------------------------

// Times of the first bounces of a ball dropped from rest, seen at the end of the step.
std::vector<double> find_bounces(double h, double e, int count) {
  Simulation s(make_floor_scene(make_ball(0.1, 1.0, 0.1 + 1.0), {0.5, e}));
  std::vector<double> times;
  double last = 0.0;
  for (int k = 0; k < 1000000 && static_cast<int>(times.size()) < count; ++k) {
    s.run(h, h);
    if (last < 0.0 && s.velocity()[2] > 0.0) times.push_back(s.state.time);
    last = s.velocity()[2];
  }
  return times;
}

// t_n = t_0 (1 + 2 (e + e^2 + ... + e^n)), t_0 = sqrt(2 H / g); first order in the step.
TEST(BouncingBall, BouncesWhenItShould) {
  const double e = 0.7, t0 = std::sqrt(2.0 / kG);
  double error[2] = {};
  int n = 0;
  for (const double h : {1e-3, 1e-4}) {
    const std::vector<double> times = find_bounces(h, e, 6);
    ASSERT_EQ(times.size(), 6u);
    double expected = t0, flight = 2.0 * t0;
    for (const double time : times) {
      error[n] = std::max(error[n], std::abs(time - expected));
      flight *= e;
      expected += flight;
    }
    ++n;
  }
  EXPECT_LT(error[0], 10 * 1e-3);
  EXPECT_LT(error[1], 10 * 1e-4);
}

// Row R2: a plastic impact stops the ball within a step, then the impulse carries its weight.
TEST(BouncingBall, PlasticImpactStopsItAtOnce) {
  Simulation s(make_floor_scene(make_ball(0.1, 2.0, 0.1 + 0.5), {}));
  const double h = 1e-3;
  s.run(0.4, h);
  EXPECT_NEAR(s.position()[2], 0.1, 1e-15);
  EXPECT_EQ(s.report.contact.points, 1);
  EXPECT_NEAR(s.scratch.contact.contacts[0].p[0], 2.0 * kG * h, 1e-15);
  EXPECT_LT(s.fastest(), 1e-15);
  EXPECT_LE(s.most_work, 0.0);
}

// ---- sliding ------------------------------------------------------------------------------

// Row R13: no creep. mu 0.5 holds at 20 degrees, for ever.
TEST(Brick, StaysOnARampThatHoldsIt) {
  Simulation s(make_ramp_scene(make_brick({}), 0.025, 20 * kDegree, 0.5));
  const Vec3d start = s.position();
  s.run(1.0, 1e-3);
  EXPECT_LT(s.fastest(), 1e-12);
  s.run(9.0, 1e-3);
  EXPECT_LT(s.fastest(), 1e-12);
  EXPECT_LT(norm(s.position() - start), 1e-12);
}

// Row R15: beyond the friction angle it slides with g (sin a - mu cos a).
TEST(Brick, SlidesDownASteepRamp) {
  const double a = 30 * kDegree, mu = 0.3;
  Simulation s(make_ramp_scene(make_brick({}), 0.025, a, mu));
  s.run(0.5, 1e-3);
  EXPECT_NEAR(norm(s.velocity()), 0.5 * kG * (std::sin(a) - mu * std::cos(a)), 1e-9);
  EXPECT_LT(norm(s.spin()), 1e-9);
  EXPECT_LE(s.most_work, 0.0);
}

// Thrown downhill on a ramp that holds it: stops after v0 / (g (mu cos a - sin a)), v0^2 / (2 ...).
TEST(Brick, StopsOnARampThatHoldsIt) {
  const double a = 10 * kDegree, mu = 0.5, v0 = 1.0;
  const double brake = kG * (mu * std::cos(a) - std::sin(a));
  double error[2] = {};
  int n = 0;
  for (const double h : {1e-3, 5e-4}) {
    Simulation s(make_ramp_scene(make_brick({v0, 0.0, 0.0}), 0.025, a, mu));
    const Vec3d start = s.position();
    double stopped = 0.0;
    s.run(0.5, h, [&] {
      if (norm(s.velocity()) > 1e-6) stopped = s.state.time;
    });
    EXPECT_NEAR(stopped, v0 / brake, 2 * h);
    EXPECT_LT(s.fastest(), 1e-12);
    error[n++] = std::abs(norm(s.position() - start) - 0.5 * v0 * v0 / brake);
  }
  EXPECT_LT(error[0], v0 * 1e-3);
  EXPECT_NEAR(error[0] / error[1], 2.0, 0.3);  // first order
}

// ---- rolling ------------------------------------------------------------------------------

// A solid sphere rolls down with 5/7 g sin a while mu >= 2/7 tan a.
TEST(Sphere, RollsDownARamp) {
  const double a = 20 * kDegree, h = 1e-4;
  for (const double mu : {0.12, 0.5}) {
    Simulation s(make_ramp_scene(make_ball(0.1, 1.0, 0.0), 0.1, a, mu));
    s.run(0.5, h);
    EXPECT_NEAR(norm(s.velocity()), 0.5 * 5.0 / 7.0 * kG * std::sin(a), 1e-9) << mu;
    EXPECT_NEAR(norm(s.spin()) * 0.1, norm(s.velocity()), 1e-9) << mu;  // no slip
  }
}

// Below the limit it slips: g (sin a - mu cos a), and spins by 5/2 mu g cos a / r.
TEST(Sphere, SlipsOnARampTooSteepForIt) {
  const double a = 20 * kDegree, mu = 0.08;
  ASSERT_LT(mu, 2.0 / 7.0 * std::tan(a));
  Simulation s(make_ramp_scene(make_ball(0.1, 1.0, 0.0), 0.1, a, mu));
  s.run(0.5, 1e-3);
  EXPECT_NEAR(norm(s.velocity()), 0.5 * kG * (std::sin(a) - mu * std::cos(a)), 1e-9);
  EXPECT_NEAR(norm(s.spin()), 0.5 * 2.5 * mu * kG * std::cos(a) / 0.1, 1e-7);
}

// Thrown without spin it slides until t = 2 v0 / (7 mu g), then rolls with 5/7 v0.
TEST(Sphere, SlidesThenRolls) {
  const double v0 = 2.0, mu = 0.2, h = 1e-3;
  SceneBuilder::Body ball = make_ball(0.1, 1.0, 0.1);
  ball.velocity = {v0, 0, 0};
  Simulation s(make_floor_scene(ball, {mu}));
  double slipped = 0.0;
  s.run(1.0, h, [&] {
    if (std::abs(s.velocity()[0] - 0.1 * s.spin()[1]) > 1e-9) slipped = s.state.time;
  });
  EXPECT_NEAR(slipped, 2.0 * v0 / (7.0 * mu * kG), 1.5 * h);
  EXPECT_NEAR(s.velocity()[0], 5.0 / 7.0 * v0, 1e-9);
}

// Row H17: a billiard ball struck with side spin. Friction is opposite to the slip of the lowest
// point; slip keeps its direction, so the path is a parabola and the final velocity is
// 5/7 v + 2/7 r (w_y, -w_x), the same whatever the direction: cones, not pyramids.
TEST(Sphere, TurnsAsACuedBilliardBallDoes) {
  const double r = 0.03;
  for (const double heading : {0.0, 17 * kDegree, 45 * kDegree, 80 * kDegree}) {
    SceneBuilder::Body ball = make_ball(r, 0.2, r);
    const kernel::Mat3d R = sim::make_rotation({0, 0, 1}, heading);
    const Vec3d v = R * Vec3d(1.5, 0.0, 0.0), w = R * Vec3d(30.0, -20.0, 0.0);
    ball.velocity = v, ball.spin = w;
    Simulation s(make_floor_scene(ball, {0.2}));
    s.run(1.5, 1e-3);
    const Vec3d expected = 5.0 / 7.0 * v + (2.0 / 7.0 * r) * Vec3d(w[1], -w[0], 0.0);
    EXPECT_LT(norm(s.velocity() - expected), 1e-9) << "heading " << heading / kDegree;
  }
}

// Row A32: torsional friction stops a spinning ball: w(t) = w0 - mu_t m g t / I.
TEST(Sphere, TorsionalFrictionStopsItsSpin) {
  SceneBuilder::Body ball = make_ball(0.05, 1.0, 0.05);
  ball.spin = {0, 0, 20};
  Simulation s(make_floor_scene(ball, {0.5, 0.0, 0.002, 0.0}));
  const double slope = 0.002 * kG / (0.4 * 0.05 * 0.05);
  s.run(0.5, 1e-3);
  EXPECT_NEAR(s.spin()[2], 20 - 0.5 * slope, 1e-9);
  s.run(1.0, 1e-3);
  EXPECT_LT(s.fastest(), 1e-12);
}

// Rolling friction brakes a rolling sphere with a = mu_r g / (r (1 + 2/5)).
TEST(Sphere, RollingFrictionBrakesIt) {
  const double r = 0.1, mu_r = 0.001, v0 = 1.0;
  SceneBuilder::Body ball = make_ball(r, 1.0, r);
  ball.velocity = {v0, 0, 0}, ball.spin = {0, v0 / r, 0};
  Simulation s(make_floor_scene(ball, {0.5, 0.0, 0.0, mu_r}));
  s.run(1.0, 1e-3);
  EXPECT_NEAR(s.velocity()[0], v0 - mu_r * kG / (1.4 * r), 1e-6);
  s.run(60.0, 1e-2);
  EXPECT_LT(s.fastest(), 1e-9);
}

// ---- tipping, stacks ----------------------------------------------------------------------

// A block on a ramp with much friction tips when the ramp is steeper than width over height.
TEST(Block, TipsBeyondItsDiagonal) {
  SceneBuilder::Body block;
  block.shape = test::make_box({0.05, 0.05, 0.1});
  const double limit = std::atan(0.5);
  Simulation stands(make_ramp_scene(block, 0.1, limit - 0.02, 2.0));
  stands.run(1.0, 1e-3);
  EXPECT_LT(stands.fastest(), 1e-9);
  Simulation tips(make_ramp_scene(block, 0.1, limit + 0.02, 2.0));
  double fastest = 0.0;
  tips.run(1.0, 1e-3, [&] { fastest = std::max(fastest, norm(tips.spin())); });
  EXPECT_GT(fastest, 1.0);
  EXPECT_LT(tips.fastest(), 1e-9);  // and lies on its side in the end
  EXPECT_EQ(stands.unconverged + tips.unconverged, 0);
}

// Normal impulses between the boxes of a stack carry what stands above.
TEST(Stack, CarriesWhatStandsAbove) {
  SceneBuilder builder("stack");
  builder.add_fixed(test::make_plane(), {});
  for (int k = 0; k < 5; ++k) {
    SceneBuilder::Body box;
    box.shape = test::make_box({0.05, 0.05, 0.05});
    box.pose.p = {0, 0, 0.05 + 0.1 * k};
    builder.add_body(box);
  }
  Simulation s(builder.build());
  const double h = 1e-3;
  s.run(0.5, h);
  double below[6] = {};  // what carries body k + 1
  for (int i = 0; i < s.scratch.contact.points.size(); ++i) {
    const auto& point = s.scratch.contact.points[i];
    below[std::max(point.body_a, point.body_b)] += s.scratch.contact.contacts[i].p[0];
  }
  for (int k = 1; k <= 5; ++k) EXPECT_NEAR(below[k], (6 - k) * kG * h, 1e-7) << k;
  EXPECT_LT(s.fastest(), 1e-7);
}

// Newton's cradle as Moreau's law gives it: equal balls in touch are one impact problem, solved at
// once. With restitution 1 all pairs would have to separate with the speed they approached, which
// the first ball's hit asks of one pair only: e = 1 sends the last ball off and stops the others
// when the balls are apart, however little.
TEST(Cradle, PassesTheBlowOnBetweenBallsThatAreApart) {
  SceneBuilder builder("cradle");
  builder.set_gravity({});
  builder.set_material(0, {0.0, 1.0});
  for (int k = 0; k < 4; ++k) {
    SceneBuilder::Body ball = make_ball(0.05, 1.0, 0.0);
    ball.pose.p = {k * 0.103 - (k == 0 ? 0.2 : 0.0), 0, 0};
    if (k == 0) ball.velocity = {1, 0, 0};
    builder.add_body(ball);
  }
  Simulation s(builder.build());
  s.run(0.5, 1e-3);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(s.velocity(k)[0], 0.0, 1e-12) << k;
  EXPECT_NEAR(s.velocity(3)[0], 1.0, 1e-12);
}

}  // namespace
}  // namespace stance
