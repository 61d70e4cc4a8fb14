// The ball of paper R under its law and under the laws it is compared with. Rows R1-R12, A4.
//
// Closed forms of the law p'' = -kp p - kv min(0, p'), w = sqrt(kp), z = kv / (2 w), from an impact
// with v0: deepest point v0 e(z) / w after acos(z) / (w sqrt(1 - z^2)), back at the surface a
// quarter period pi / (2 w) later with speed e(z) v0.

#include <complex>

#include "contact/penalty_scenes.h"

namespace stance {
namespace {

using namespace test;

constexpr double kPi = 3.14159265358979323846;
constexpr double kHeight = 1.5;                       // m, of the paper's figures 4 and 5
const double kSpeed = std::sqrt(2.0 * kG * kHeight);  // m/s, 5.425, at the floor

double gap(const Simulation& s) { return s.position()[2] - kRadius; }

// Normal force of the last step.
double force(const Simulation& s, double h) {
  return s.report.contact.points == 0 ? 0.0 : s.scratch.contact.contacts[0].p[0] / h;
}

// R11, and the time from impact to the deepest point in units of 1/w.
double restitution(double kp, double kv) {
  const std::complex<double> z = kv / (2.0 * std::sqrt(kp));
  return std::exp(-z * std::acos(z) / std::sqrt(1.0 - z * z)).real();
}
double time_down(double kp, double kv) {
  const std::complex<double> z = kv / (2.0 * std::sqrt(kp));
  return (std::acos(z) / std::sqrt(1.0 - z * z)).real() / std::sqrt(kp);
}

// What happens from the impact to the moment the ball leaves the floor again.
struct Bounce {
  double depth = 0.0, speed = 0.0, time = 0.0, least_force = 1e9, most_force = -1e9;
};

Bounce bounce(const ContactOptions& options, double v0, double h, double longest,
              double mass = 1.0) {
  Simulation s(make_ball(options, 0.0, -v0, mass));
  Bounce b;
  while (gap(s) <= 0.0 && s.state.time < longest) {
    s.run(h, h);
    b.depth = std::max(b.depth, -gap(s));
    b.speed = s.velocity()[2];
    b.least_force = std::min(b.least_force, force(s, h));
    b.most_force = std::max(b.most_force, force(s, h));
  }
  b.time = s.state.time;
  return b;
}

// Row R1: m p'' = -m g + fn. In flight the step is p_n = p_0 - g t (t + h) / 2 exactly; on the way
// through the contact p'' = fn / m - g in every step.
TEST(PenaltyBall, R1ObeysNewton) {
  const double h = 1e-3, mass = 2.0;
  Simulation s(make_ball(make_fbl(500, 250), 0.05, 0.0, mass));
  double v = 0.0;
  s.run(0.5, h, [&] {
    EXPECT_NEAR((s.velocity()[2] - v) / h, force(s, h) / mass - kG, 1e-9);
    v = s.velocity()[2];
  });
  Simulation flight(make_ball(make_fbl(500, 250), 1.0, 0.0, mass));
  flight.run(0.4, h);
  EXPECT_NEAR(gap(flight), 1.0 - 0.5 * kG * 0.4 * (0.4 + h), 1e-12);
}

// Row R2: rigid and plastic, under the laws that say so: impulse -m v, then the weight.
TEST(PenaltyBall, R2IdealImpactIsAnImpulseAndThenTheWeight) {
  for (const ContactLaw law : {ContactLaw::kExact, ContactLaw::kLcp}) {
    ContactOptions options;
    options.law = law;
    const double h = 1e-3, v0 = 2.0, mass = 3.0;
    Simulation s(make_ball(options, 0.0, -v0, mass));
    s.run(h, h);
    EXPECT_NEAR(force(s, h) * h, mass * (v0 + kG * h), 1e-12);
    s.run(h, h);
    EXPECT_NEAR(force(s, h), mass * kG, 1e-9);
    EXPECT_NEAR(gap(s), 0.0, 1e-15);
  }
}

// Row R3: spring and damper rest at depth m g / kp, and pull before they let go: -kv p' at p = 0.
// Order 1 in the step.
TEST(PenaltyBall, R3SpringDamperSinksInAndSticks) {
  const double k = 1e4, c = 20.0, mass = 2.0;
  const ContactOptions options = make_classical(ContactLaw::kPenaltyLinear, k, c);
  Simulation s(make_ball(options, 0.0, 0.0, mass));
  s.run(5.0, 1e-3);
  EXPECT_NEAR(-gap(s), mass * kG / k, 1e-12);
  EXPECT_NEAR(force(s, 1e-3), mass * kG, 1e-8);

  for (const double h : {1e-4, 1e-5, 1e-6}) {
    const Bounce b = bounce(options, 1.0, h, 1.0, mass);
    EXPECT_LT(b.least_force, -10.0);
    // the last step starts up to h v below the surface, with the spring still pressing
    EXPECT_NEAR(b.least_force, -c * b.speed, 1.1 * k * h * b.speed);
  }
}

// Row R4: clipped at zero the spring and damper never pull.
TEST(PenaltyBall, R4ClippedSpringDamperNeverPulls) {
  const Bounce linear =
      bounce(make_classical(ContactLaw::kPenaltyLinear, 1e4, 20.0), 1.0, 1e-5, 1.0);
  const Bounce clipped =
      bounce(make_classical(ContactLaw::kPenaltyClipped, 1e4, 20.0), 1.0, 1e-5, 1.0);
  EXPECT_LT(linear.least_force, -10.0);
  EXPECT_EQ(clipped.least_force, 0.0);
  EXPECT_GT(clipped.speed, linear.speed);  // nothing holds it back at the end
}

// Row R4: Hunt and Crossley's force is continuous and does not pull in a bounce slower than 1 / c,
// but does when something else pulls the ball off faster than that.
TEST(PenaltyBall, R4NonlinearDamperSticksOnAFastPullOff) {
  ContactOptions options;
  options.law = ContactLaw::kPenaltyHuntCrossley;
  options.penalty.hunt_damping = 0.5;  // s/m: pulls beyond 2 m/s
  const double h = 1e-5;
  const Bounce b = bounce(options, 1.0, h, 1.0);
  EXPECT_GE(b.least_force, 0.0);
  EXPECT_LT(b.speed, 0.9);

  // at rest, depth (m g / k)^(1/n); then pulled by 20 kN until it is off
  const double depth = std::pow(kG / options.penalty.hunt_stiffness, 1.0 / 1.5);
  Simulation s(make_ball(options, -depth, 0.0));
  s.run(h, h);
  EXPECT_NEAR(force(s, h), kG, 1e-9);
  std::vector<double> pull(6);
  pull[5] = 2e4;
  sim::Input input;
  input.tau = pull;
  double least = 0.0;
  while (gap(s) <= 0.0) {
    const double d = -gap(s), rate = -s.velocity()[2];
    s.report = sim::step(s.world, input, h, s.state, s.scratch);
    EXPECT_NEAR(force(s, h), 1e6 * std::pow(d, 1.5) * (1.0 + 0.5 * rate), 1e-9);
    least = std::min(least, force(s, h));
  }
  EXPECT_LT(least, -1.0);
}

// Row R5: fn = m g + m p''d in every step, never negative, and no steady penetration: what is left
// is what a step falls by, g h^2 and its damping away.
TEST(PenaltyBall, R5LawGivesTheDesiredAcceleration) {
  const double kp = 500.0, kv = 250.0, h = 1e-4;
  Simulation s(make_ball(make_fbl(kp, kv), 0.1, 0.0));
  int steps = 0;
  for (int k = 0; k < 30000; ++k) {
    s.run(h, h);
    EXPECT_GE(force(s, h), 0.0);
    if (s.report.contact.points == 0) continue;
    // taken at the end of the step; the gap that the step saw is one step behind
    const double v = s.velocity()[2];
    EXPECT_NEAR(force(s, h), kG - kp * gap(s) - kv * std::min(0.0, v), 1e-8);
    ++steps;
  }
  EXPECT_GT(steps, 20000);
  EXPECT_LT(std::abs(gap(s)), 50.0 * kG * h * h);
}

// Row R6: the same trajectory for 0.1, 1 and 100 kg.
TEST(PenaltyBall, R6MassDoesNotMatter) {
  Simulation light(make_ball(make_fbl(500, 250), 0.3, 0.0, 0.1));
  Simulation middle(make_ball(make_fbl(500, 250), 0.3, 0.0, 1.0));
  Simulation heavy(make_ball(make_fbl(500, 250), 0.3, 0.0, 100.0));
  for (int k = 0; k < 500; ++k) {
    for (Simulation* s : {&light, &middle, &heavy}) s->run(1e-3, 1e-3);
    EXPECT_NEAR(gap(light), gap(middle), 1e-12);
    EXPECT_NEAR(gap(heavy), gap(middle), 1e-12);
  }
}

// Row R7, figure 4: kp = 0 stays at -v0 / kv = -1.085 mm whatever the step. Dropped from 1.5 m the
// ball enters up to one step's way below the surface.
TEST(PenaltyBall, R7WithoutKpItStaysWhereItWasStopped) {
  for (const double h : {1e-3, 1e-5}) {
    Simulation s(make_ball(make_fbl(0, 5000), 0.0, -kSpeed));
    s.run(0.2, h);
    EXPECT_NEAR(gap(s), -kSpeed / 5000.0, 1e-12);
    EXPECT_NEAR(gap(s), -1.085e-3, 5e-7);
    s.run(0.2, h);
    EXPECT_NEAR(gap(s), -kSpeed / 5000.0, 1e-12);
    EXPECT_NEAR(force(s, h), kG, 1e-9);
  }
  const double h = 1e-5;
  Simulation s(make_ball(make_fbl(0, 5000), kHeight, 0.0));
  s.run(1.0, h);
  EXPECT_LT(gap(s), -1.085e-3 + 1e-6);
  EXPECT_GT(gap(s), -1.085e-3 - kSpeed * h);
}

// Row R7: kp = 1 and 5 come back to the surface after pi / (2 sqrt(kp)), 1.571 s and 0.702 s, order
// 1 in the step: stopping takes some steps longer, its 1 / (1 + h kv) falling short of exp(-h kv).
TEST(PenaltyBall, R7WithKpItComesBack) {
  EXPECT_NEAR(kPi / 2.0, 1.571, 5e-4);
  EXPECT_NEAR(kPi / (2.0 * std::sqrt(5.0)), 0.702, 5e-4);
  for (const double kp : {1.0, 5.0}) {
    const double expected = kPi / (2.0 * std::sqrt(kp)) + time_down(kp, 5000.0);
    for (const double h : {1e-3, 1e-4, 1e-5}) {
      const Bounce b = bounce(make_fbl(kp, 5000), kSpeed, h, 3.0);
      EXPECT_NEAR(b.time, expected, 9.0 * h) << kp;
      EXPECT_NEAR(b.depth, kSpeed * restitution(kp, 5000) / std::sqrt(kp), 2e-3 * h) << kp;
    }
  }
}

// Row R8, figure 5: on the way back fn = m g + m kp |p_min| cos(sqrt(kp) t).
TEST(PenaltyBall, R8ForcePlateaus) {
  const double h = 1e-4;
  const auto force_after = [&](double kp, double t) {
    Simulation s(make_ball(make_fbl(kp, 5000), 0.0, -kSpeed));
    s.run(kp > 0.0 ? std::round((time_down(kp, 5000) + t) / h) * h : t, h);
    return force(s, h);
  };
  // 5 ms after the deepest point, when the damper has let go
  EXPECT_NEAR(force_after(1.0, 5e-3), 9.8111, 5e-5);
  EXPECT_NEAR(force_after(5.0, 5e-3), 9.8154, 5e-5);
  EXPECT_NEAR(force_after(0.0, 0.1), kG, 1e-10);
  for (const double kp : {1.0, 5.0})
    for (const double t : {0.1, 0.3, 0.5}) {
      // up to nine steps late, as in R7
      const double height = kp * kSpeed / 5000.0, w = std::sqrt(kp);
      EXPECT_NEAR(force_after(kp, t), kG + height * std::cos(w * t), height * w * 9.0 * h)
          << kp << " after " << t;
    }
}

// Row R9: the peak at the impact is m g - m kv p', of kv only; order 1 in the step.
TEST(PenaltyBall, R9PeakDependsOnKvOnly) {
  const double kv = 250.0, v0 = 2.0, mass = 3.0;
  const double expected = mass * (kG + kv * v0);
  for (const double kp : {0.0, 5.0, 500.0}) {
    double error[2];
    int n = 0;
    for (const double h : {2e-6, 1e-6})
      error[n++] = expected - bounce(make_fbl(kp, kv), v0, h, 1e-3, mass).most_force;
    EXPECT_NEAR(error[0] / error[1], 2.0, 0.01);
    EXPECT_LT(std::abs(error[1]), 1e-3 * expected);
    EXPECT_NEAR(2.0 * error[1] - error[0], 0.0, 1e-6 * expected);  // carried on to h = 0
  }
}

// Row R10: depth falls with kv at kp = 0, as v0 / kv; with kv = 0 it is v0 / sqrt(kp), order 1.
TEST(PenaltyBall, R10DepthFallsWithTheGains) {
  const double v0 = 1.0;
  for (const double kv : {50.0, 250.0, 1000.0, 5000.0})
    EXPECT_NEAR(bounce(make_fbl(0, kv), v0, 1e-3, 1.0).depth, v0 / kv, 1e-9);
  for (const double kp : {100.0, 500.0, 2000.0}) {
    const double expected = v0 / std::sqrt(kp);
    double error[2];
    int n = 0;
    for (const double h : {2e-5, 1e-5})
      error[n++] = expected - bounce(make_fbl(kp, 0), v0, h, 1.0).depth;
    EXPECT_LT(std::abs(error[1]), 2e-3 * expected);
    EXPECT_NEAR(error[0] / error[1], 2.0, 0.1);
  }
}

// Row R11: restitution from 1 to 0 as kv^2 / kp grows; e(500, 250) = 0.0867. Order 1 in the step.
TEST(PenaltyBall, R11RestitutionIsAFunctionOfZ) {
  EXPECT_NEAR(restitution(500, 250), 0.0867, 5e-5);
  EXPECT_NEAR(restitution(500, 0), 1.0, 1e-12);
  double last = 2.0;
  for (const double kv : {0.0, 10.0, 44.0, 100.0, 250.0, 1000.0}) {
    const double expected = restitution(500, kv);
    double error[2];
    int n = 0;
    for (const double h : {2e-5, 1e-5})
      error[n++] = bounce(make_fbl(500, kv), 1.0, h, 1.0).speed - expected;
    // the step's own damping of an undamped swing: w h / 2 per radian, over half a turn
    EXPECT_LT(std::abs(error[1]), 1.1 * std::sqrt(500.0) * 1e-5 * kPi / 2.0) << kv;
    // leaving happens within a step, which blurs the order by up to g h
    EXPECT_LT(std::abs(error[1]), 0.6 * std::abs(error[0]) + kG * 1e-5) << kv;
    EXPECT_LT(expected, last);
    last = expected;
  }
}

// Row R12: with kp = 0 and kv growing the force becomes row R2's: 99 % of the impulse m v0 within
// ln(100) / kv.
TEST(PenaltyBall, R12ForceBecomesAnImpulse) {
  const double v0 = 2.0, mass = 3.0;
  for (const double kv : {500.0, 5000.0, 50000.0}) {
    const double h = 1e-3 / kv * 10.0;
    Simulation s(make_ball(make_fbl(0, kv), 0.0, -v0, mass));
    double impulse = 0.0;
    while (impulse < 0.99 * mass * v0 && s.state.time < 1.0) {
      s.run(h, h);
      impulse += h * (force(s, h) - mass * kG);
    }
    EXPECT_NEAR(s.state.time, std::log(100.0) / kv, 0.01 * std::log(100.0) / kv);
    s.run(30.0 / kv, h);
    EXPECT_NEAR(force(s, h), mass * kG, 1e-6);
  }
}

// Row A4: what penalties are blamed for. Beyond h = 2 sqrt(m / k) the spring feeds the ball; the
// law by feedback linearisation and the exact one do not mind.
TEST(PenaltyBall, A4SpringDamperNeedsTinySteps) {
  const double k = 1e5, limit = 2.0 / std::sqrt(k);
  const auto highest = [&](const ContactOptions& options, double h) {
    Simulation s(make_ball(options, 0.01, 0.0));
    double top = 0.0;
    s.run(2.0, h, [&] { top = std::max(top, gap(s)); });
    return top;
  };
  const ContactOptions spring = make_classical(ContactLaw::kPenaltyClipped, k, 0.0);
  EXPECT_LT(highest(spring, 0.2 * limit), 0.02);
  EXPECT_GT(highest(spring, 1.2 * limit), 1.0);
  EXPECT_LT(highest(make_fbl(1e5, 5000), 1.2 * limit), 0.011);
  EXPECT_LT(highest({}, 1.2 * limit), 0.011);
  // tuned for 1 kg, it lets 100 kg sink in a hundred times as deep
  for (const double mass : {1.0, 100.0}) {
    Simulation s(make_ball(make_classical(ContactLaw::kPenaltyLinear, k, 500), 0.0, 0.0, mass));
    s.run(10.0, 1e-3);
    EXPECT_NEAR(-gap(s), mass * kG / k, 1e-9);
  }
}

}  // namespace
}  // namespace stance
