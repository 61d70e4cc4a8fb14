// Motions in contact that a pencil can predict. Rows R1, R2, R13, R15, A3, A7, H17.

#include "sim/simulation.h"

namespace stance {
namespace {

using test::Simulation;
using test::Vec3d;

constexpr double kG = 9.81;
constexpr double kDegree = 3.14159265358979323846 / 180.0;

// ---- bouncing -----------------------------------------------------------------------------

// Times of the first bounces of a ball dropped from rest, seen at the end of the step.
std::vector<double> find_bounces(double h, double e, int count) {
  Simulation s(sim::make_bouncing_ball(1.0, e));
  std::vector<double> times;
  double last = 0.0;
  for (int k = 0; k < 1000000 && static_cast<int>(times.size()) < count; ++k) {
    s.run(h, h);
    if (last < 0.0 && s.velocity()[2] > 0.0) times.push_back(s.state.time);
    last = s.velocity()[2];
  }
  return times;
}

// t_n = t_0 (1 + 2 (e + e^2 + ... + e^n)), t_0 = sqrt(2 H / g), and the last at
// t_0 (1 + e) / (1 - e): first order in the step, with a jitter of as much since impacts are seen
// at the end of a step.
TEST(BouncingBall, BouncesAndRestsWhenItShould) {
  const double e = 0.7, t0 = std::sqrt(2.0 / kG);
  std::vector<double> errors, rest_errors;
  for (const double h : {1e-3, 1e-4, 1e-5}) {
    const std::vector<double> times = find_bounces(h, e, 6);
    ASSERT_EQ(times.size(), 6u);
    double expected = t0, flight = 2.0 * t0, worst = 0.0;
    for (const double time : times) {
      worst = std::max(worst, std::abs(time - expected));
      flight *= e;
      expected += flight;
    }
    errors.push_back(worst);

    // bounces that a step cannot tell from rest do not count; the others, some log(1 / h) of them,
    // each add their jitter
    Simulation s(sim::make_bouncing_ball(1.0, e));
    double last = 0.0;
    s.run(3.0, h, [&] {
      if (s.fastest() > kG * h) last = s.state.time;
    });
    EXPECT_LT(std::abs(s.position()[2] - 0.1), 1e-12);
    rest_errors.push_back(std::abs(last - t0 * (1.0 + e) / (1.0 - e)));
    EXPECT_LT(errors.back(), 10 * h);
    EXPECT_LT(rest_errors.back(), 100 * h);
  }
  EXPECT_NEAR(test::calc_order(errors, 10.0), 1.0, 0.25);
  EXPECT_NEAR(test::calc_order(rest_errors, 10.0), 1.0, 0.25);
}

// Row R2: a plastic impact stops the ball within a step, then the impulse carries its weight.
TEST(BouncingBall, PlasticImpactStopsItAtOnce) {
  Simulation s(sim::make_bouncing_ball(0.5, 0.0));
  const double h = 1e-3;
  s.run(0.4, h);
  EXPECT_NEAR(s.position()[2], 0.1, 1e-15);
  EXPECT_EQ(s.report.contact.points, 1);
  EXPECT_NEAR(s.scratch.contact.contacts[0].p[0], 1.0 * kG * h, 1e-15);
  EXPECT_LT(s.fastest(), 1e-15);
  EXPECT_LE(s.most_work, 0.0);
}

// ---- sliding ------------------------------------------------------------------------------

// Row R13: no creep. mu 0.5 holds at 20 degrees, for ever.
TEST(Brick, StaysOnARampThatHoldsIt) {
  Simulation s(sim::make_brick_on_ramp(20 * kDegree, 0.5));
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
  Simulation s(sim::make_brick_on_ramp(a, mu));
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
    Simulation s(sim::make_brick_on_ramp(a, mu, v0));
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
    Simulation s(sim::make_ball_on_ramp(a, mu));
    s.run(0.5, h);
    EXPECT_NEAR(norm(s.velocity()), 0.5 * 5.0 / 7.0 * kG * std::sin(a), 1e-9) << mu;
    EXPECT_NEAR(norm(s.spin()) * 0.1, norm(s.velocity()), 1e-9) << mu;  // no slip
  }
}

// Below the limit it slips: g (sin a - mu cos a), and spins by 5/2 mu g cos a / r.
TEST(Sphere, SlipsOnARampTooSteepForIt) {
  const double a = 20 * kDegree, mu = 0.08;
  ASSERT_LT(mu, 2.0 / 7.0 * std::tan(a));
  Simulation s(sim::make_ball_on_ramp(a, mu));
  s.run(0.5, 1e-3);
  EXPECT_NEAR(norm(s.velocity()), 0.5 * kG * (std::sin(a) - mu * std::cos(a)), 1e-9);
  EXPECT_NEAR(norm(s.spin()), 0.5 * 2.5 * mu * kG * std::cos(a) / 0.1, 1e-7);
}

// Thrown without spin it slides until t = 2 v0 / (7 mu g), then rolls with 5/7 v0.
TEST(Sphere, SlidesThenRolls) {
  const double v0 = 2.0, mu = 0.2, h = 1e-3;
  Simulation s(sim::make_thrown_ball(v0, mu));
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
    Simulation s(sim::make_billiard_ball(heading));
    const Vec3d v = s.velocity(), w = s.spin();
    s.run(1.5, 1e-3);
    const Vec3d expected = 5.0 / 7.0 * v + (2.0 / 7.0 * r) * Vec3d(w[1], -w[0], 0.0);
    EXPECT_LT(norm(s.velocity() - expected), 1e-9) << "heading " << heading / kDegree;
  }
}

// Row A32: torsional friction stops a spinning ball: w(t) = w0 - mu_t m g t / I.
TEST(Sphere, TorsionalFrictionStopsItsSpin) {
  Simulation s(sim::make_spinning_ball());
  const double slope = 0.002 * kG / (0.4 * 0.05 * 0.05);
  s.run(0.5, 1e-3);
  EXPECT_NEAR(s.spin()[2], 20 - 0.5 * slope, 1e-9);
  s.run(1.0, 1e-3);
  EXPECT_LT(s.fastest(), 1e-12);
}

// Rolling friction brakes a rolling sphere with a = mu_r g / (r (1 + 2/5)).
TEST(Sphere, RollingFrictionBrakesIt) {
  const double r = 0.1, mu_r = 0.001, v0 = 1.0;
  Simulation s(sim::make_rolling_ball(v0, mu_r));
  s.run(1.0, 1e-3);
  EXPECT_NEAR(s.velocity()[0], v0 - mu_r * kG / (1.4 * r), 1e-6);
  s.run(60.0, 1e-2);
  EXPECT_LT(s.fastest(), 1e-9);
}

// ---- tipping, stacks ----------------------------------------------------------------------

// A block on a ramp with much friction tips when the ramp is steeper than width over height.
TEST(Block, TipsBeyondItsDiagonal) {
  const double limit = std::atan(0.5);
  Simulation stands(sim::make_block_on_ramp(limit - 0.02));
  stands.run(1.0, 1e-3);
  EXPECT_LT(stands.fastest(), 1e-9);
  Simulation tips(sim::make_block_on_ramp(limit + 0.02));
  double fastest = 0.0;
  tips.run(1.0, 1e-3, [&] { fastest = std::max(fastest, norm(tips.spin())); });
  EXPECT_GT(fastest, 1.0);
  EXPECT_LT(tips.fastest(), 1e-9);  // and lies on its side in the end
  EXPECT_EQ(stands.unconverged + tips.unconverged, 0);
}

// Normal impulses between the boxes of a stack carry what stands above.
TEST(Stack, CarriesWhatStandsAbove) {
  Simulation s(sim::make_stack(5));
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

}  // namespace
}  // namespace stance
