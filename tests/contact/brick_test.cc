// The brick on a ramp of paper R. Rows R13-R15, A4.

#include "contact/penalty_scenes.h"

namespace stance {
namespace {

using namespace test;

constexpr double kH = 1e-3;

// Force along the ramp on the body, uphill positive, and off it, of the last step; downhill is the
// ramp's own x axis.
Vec3d force(const Simulation& s, double angle, double h) {
  Vec3d sum;
  for (std::size_t i = 0; i < s.scratch.contact.contacts.size(); ++i) {
    const auto& contact = s.scratch.contact.contacts[i];
    const double sign = s.scratch.contact.points[static_cast<int>(i)].body_a != 0 ? 1.0 : -1.0;
    sum = madd(sign * contact.p[0], s.scratch.contact.points[static_cast<int>(i)].n_W, sum);
    sum = madd(sign * contact.p[1], contact.t1, madd(sign * contact.p[2], contact.t2, sum));
  }
  const kernel::Mat3d R = make_rotation({0, 1, 0}, angle);
  return (1.0 / h) * Vec3d(-dot(R.c[0], sum), dot(R.c[1], sum), dot(R.c[2], sum));
}

ContactOptions make_exact() { return {}; }

// Row R13: with Coulomb's friction the brick stops, then f = m g sin a.
TEST(PenaltyBrick, R13CoulombStopsItAndHoldsIt) {
  const double a = 20 * kDegree, mu = 0.5, v0 = 0.5, mass = 2.0;
  Simulation s(make_brick(make_exact(), a, mu, v0, 0.0, mass));
  s.run(kH, kH);
  EXPECT_NEAR(force(s, a, kH)[0], mu * mass * kG * std::cos(a), 1e-6);
  s.run(1.0, kH);
  EXPECT_LT(s.fastest(), 1e-12);
  EXPECT_NEAR(force(s, a, kH)[0], mass * kG * std::sin(a), 1e-9);
}

// Row R14: friction of the law is saturated beyond vs = (g / kv) (mu cos a - sin a) downhill, and
// (g / kv) (mu cos a + sin a) uphill. Taken at the end of a step the switch is at vs (1 + h kv).
TEST(PenaltyBrick, R14SwitchesAtVsInBothDirections) {
  const double a = 20 * kDegree, mu = 0.5, kv = 250.0, mass = 2.0;
  for (const double way : {1.0, -1.0}) {
    const double vs = kG / kv * (mu * std::cos(a) - way * std::sin(a));
    for (const double h : {1e-3, 1e-5})
      for (const double factor : {1.0 - 1e-6, 1.0 + 1e-6}) {
        const double v = way * vs * (1.0 + h * kv) * factor;
        Simulation s(make_sled(make_fbl(500, kv, 1e-4), a, mu, v, 1e-4, mass));
        s.run(h, h);
        const Vec3d f = force(s, a, h);
        const double limit = mu * mass * kG * std::cos(a);
        const double wanted = mass * (kG * std::sin(a) + kv * v / (1.0 + h * kv));
        EXPECT_NEAR(f[2], mass * kG * std::cos(a), 1e-9);
        EXPECT_GT(std::abs(wanted), factor > 1.0 ? limit : 0.99 * limit);
        EXPECT_NEAR(f[0], way * std::min(std::abs(wanted), limit), 1e-8 * limit);
        if (factor < 1.0) {
          EXPECT_LT(std::abs(f[0]), limit * (1.0 - 1e-7));
        }
      }
  }
}

// Row R14: below vs the speed falls as exp(-kv t) (as (1 + h kv)^-n in steps), f -> m g sin a, and
// nothing creeps, whatever the speed was and however many corners the brick has.
TEST(PenaltyBrick, R14DecaysAndDoesNotCreep) {
  const double a = 20 * kDegree, mu = 0.5, kv = 250.0, mass = 2.0;
  Simulation sled(make_sled(make_fbl(500, kv, 1e-4), a, mu, 1e-3, 1e-4, mass));
  const double h = 1e-5;
  for (int n = 1; n <= 1000; ++n) {
    sled.run(h, h);
    EXPECT_NEAR(sled.state.v[0], 1e-3 * std::pow(1.0 + h * kv, -n), 1e-15);
    EXPECT_NEAR(sled.state.v[0], 1e-3 * std::exp(-kv * n * h), 1e-3 * 0.6 * kv * h);
  }
  for (const double v0 : {0.5, -0.5}) {
    Simulation s(make_brick(make_fbl(500, kv, 1e-4), a, mu, v0, 1e-4, mass));
    s.run(8.0, kH);  // what tilt is left from sliding goes with kp / kv = 2 1/s
    const Vec3d there = s.position();
    EXPECT_LT(s.fastest(), 1e-12);
    EXPECT_NEAR(force(s, a, kH)[0], mass * kG * std::sin(a), 1e-9);
    s.run(10.0, kH);
    EXPECT_LT(norm(s.position() - there), 1e-12);
    EXPECT_LT(s.fastest(), 1e-12);
  }
}

// Row R14: stops after v0 / (g (mu cos a -+ sin a)) and half of that times v0, on its four corners.
TEST(PenaltyBrick, R14StopsWhereItShould) {
  const double a = 20 * kDegree, mu = 0.5, kv = 250.0;
  for (const double v0 : {1.0, -1.0}) {
    const double brake = kG * (mu * std::cos(a) - (v0 > 0.0 ? 1.0 : -1.0) * std::sin(a));
    Simulation s(make_brick(make_fbl(500, kv, 1e-4), a, mu, v0, 1e-4));
    const Vec3d start = s.position();
    s.run(1.5, kH);
    // the last piece is a decay from vs: 1 / kv longer at less than vs
    const double vs = brake / kv;
    EXPECT_NEAR(norm(s.position() - start), 0.5 / brake + 0.5 * vs * vs / brake, 1.1 * kH);
    EXPECT_LT(s.deepest, 1.01e-4);
    EXPECT_EQ(s.unconverged, 0);
  }
}

// Cutting forces once, as paper R does, leaves a sliding body without the moments it counted on: at
// 1 m/s it digs its front in. The reason for Saturation::kConsistent.
TEST(PenaltyBrick, R21CuttingOnceDigsASlidingBrickIn) {
  ContactOptions once = make_fbl(500, 250, 1e-4);
  once.penalty.saturation = contact::Saturation::kOnce;
  Simulation s(make_brick(once, 10 * kDegree, 0.5, 1.0, 1e-4));
  s.run(0.2, kH);
  EXPECT_GT(s.deepest, kBrickZ);
  Simulation good(make_brick(make_fbl(500, 250, 1e-4), 10 * kDegree, 0.5, 1.0, 1e-4));
  good.run(0.2, kH);
  EXPECT_LT(good.deepest, 1.01e-4);
  EXPECT_LT(norm(good.spin()), 1e-6);
}

// Row R15: slides iff mu cos a < sin a, with g (sin a - mu cos a).
TEST(PenaltyBrick, R15SlidesBeyondTheFrictionAngle) {
  const double a = 30 * kDegree, t = 0.5;
  ASSERT_NEAR(std::tan(a), 0.5774, 1e-4);
  for (const double mu : {0.3, 0.577}) {
    const double v = t * kG * (std::sin(a) - mu * std::cos(a));
    Simulation brick(make_brick(make_fbl(500, 250, 1e-4), a, mu, 0.0, 1e-4));
    brick.run(t, kH);
    EXPECT_NEAR(norm(brick.velocity()), v, 1e-7) << mu;
    Simulation sled(make_sled(make_fbl(500, 250, 1e-4), a, mu, 0.0, 1e-4));
    sled.run(t, kH);
    EXPECT_NEAR(sled.state.v[0], v, 1e-9) << mu;
  }
  Simulation held(make_brick(make_fbl(500, 250, 1e-4), a, 0.578, 0.0, 1e-4));
  held.run(t, kH);
  EXPECT_LT(held.fastest(), 1e-12);
}

// Row A4: the classical laws hold the brick by springs, so it moves by m g sin a over their
// stiffness and then rests; too much friction damping for the step shakes it.
TEST(PenaltyBrick, A4ClassicalFrictionIsASpring) {
  const double a = 20 * kDegree, mu = 0.5;
  for (const ContactLaw law : {ContactLaw::kPenaltyClipped, ContactLaw::kPenaltyHuntCrossley}) {
    ContactOptions options = make_classical(law, 1e5, 100.0);
    options.penalty.tangential_stiffness = 2e4;
    options.penalty.tangential_damping = 100.0;
    options.penalty.hunt_damping = 20.0;
    Simulation s(make_brick(options, a, mu, 0.0));
    const Vec3d start = s.position();
    s.run(5.0, kH);
    const kernel::Mat3d R = make_rotation({0, 1, 0}, a);
    EXPECT_LT(s.fastest(), 1e-9);
    EXPECT_NEAR(force(s, a, kH)[0], kG * std::sin(a), 1e-6);
    // four springs; the lever of the friction turns it a little besides
    EXPECT_GT(dot(R.c[0], s.position() - start), 0.9 * kG * std::sin(a) / (4 * 2e4));
    EXPECT_LT(dot(R.c[0], s.position() - start), 3.0 * kG * std::sin(a) / (4 * 2e4));
  }
  // sliding: Coulomb's limit
  ContactOptions options = make_classical(ContactLaw::kPenaltyClipped, 1e5, 100.0);
  options.penalty.tangential_damping = 100.0;
  Simulation s(make_brick(options, 30 * kDegree, 0.3, 0.0));
  s.run(0.5, 1e-4);
  const double v = 0.5 * kG * (std::sin(30 * kDegree) - 0.3 * std::cos(30 * kDegree));
  EXPECT_NEAR(norm(s.velocity()), v, 0.01 * v);
}

}  // namespace
}  // namespace stance
