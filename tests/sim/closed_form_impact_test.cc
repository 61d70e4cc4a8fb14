// Impacts that a pencil can predict: Newton's cradle, a wheel that rolls over its edges, Painleve's
// rod. Rows A3, A7.

#include "sim/simulation.h"

namespace stance {
namespace {

using test::SceneBuilder;
using test::Simulation;
using test::Vec3d;

constexpr double kG = 9.81;
constexpr double kPi = 3.14159265358979323846;

// ---- Newton's cradle ----------------------------------------------------------------------

// Balls that are apart, however little, pass the blow on one by one: the last one leaves.
TEST(Cradle, PassesTheBlowOnBetweenBallsThatAreApart) {
  Simulation s(sim::make_cradle(4, 0.003, 1.0));
  s.run(0.5, 1e-3);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(s.velocity(k)[0], 0.0, 1e-12) << k;
  EXPECT_NEAR(s.velocity(3)[0], 1.0, 1e-12);
}

// Balls in touch are one impact problem. Newton's law at every contact, u+ >= -e u-, asks of the
// struck contact to open with e v and of the others, which did not close, only not to close. With
// impulses p_k at contact k: p_(k-1) - 2 p_k + p_(k+1) = 0 behind the first, so p_k = c (N - k) and
// 2 p_1 - p_2 = N c = (1 + e) v: all struck balls leave together with c = (1 + e) v / N, as if they
// were one. That is not what a real cradle does (waves do not pass through rigid bodies), but for
// e = 1 it keeps momentum and energy too.
TEST(Cradle, MovesAllBallsInTouchTogether) {
  for (const int count : {2, 3, 5})
    for (const double e : {0.0, 0.5, 1.0}) {
      SCOPED_TRACE(testing::Message() << count << " balls, e " << e);
      Simulation s(sim::make_cradle(count, 0.0, e));
      double energy = 0.0;
      s.run(0.5, 1e-3);
      const double together = (1.0 + e) / count;
      EXPECT_NEAR(s.velocity(0)[0], 1.0 - (count - 1) * together, 1e-8);
      for (int k = 1; k < count; ++k) EXPECT_NEAR(s.velocity(k)[0], together, 1e-8) << k;
      for (int k = 0; k < count; ++k) energy += 0.5 * dot(s.velocity(k), s.velocity(k));
      if (e == 1.0) {
        EXPECT_NEAR(energy, 0.5, 1e-8);
      }
      EXPECT_EQ(s.unconverged, 0);
    }
}

// ---- a wheel without a rim ------------------------------------------------------------------

// Spin just before impacts, mean over the last of them.
double find_impact_spin(const sim::WheelSpec& wheel, double h) {
  Simulation s(sim::make_rimless_wheel(wheel));
  std::vector<double> peaks;
  double last = 0.0;
  bool rises = false;
  s.run(8.0, h, [&] {
    const double spin = s.spin()[1];
    if (spin < last - 0.02 * wheel.spin && rises) peaks.push_back(last);
    rises = spin >= last;
    last = spin;
  });
  double sum = 0.0;
  EXPECT_GE(peaks.size(), 12u);
  for (std::size_t k = peaks.size() - 8; k < peaks.size(); ++k) sum += peaks[k] / 8.0;
  EXPECT_EQ(s.unconverged, 0);
  EXPECT_LT(std::abs(s.position()[1]), 1e-7);  // it rolls straight on
  return sum;
}

// With i = I / (m r^2) and a = pi / n an impact leaves b = (i + cos 2a) / (i + 1) of the spin, and
// a step down gains 2 m g r sin a sin(slope): the spin before impacts tends to
//   w^2 = 4 g sin a sin(slope) / (r (1 + i) (1 - b^2)).
TEST(RimlessWheel, RollsAtTheSpeedThatImpactsAllow) {
  const sim::WheelSpec wheel;
  const double a = kPi / wheel.spokes, i = (2.0 + std::cos(2.0 * a)) / 6.0;
  const double b = (i + std::cos(2.0 * a)) / (i + 1.0);
  const double expected = std::sqrt(4.0 * kG * std::sin(a) * std::sin(wheel.angle) /
                                    (wheel.radius * (1.0 + i) * (1.0 - b * b)));
  std::vector<double> errors;
  for (const double h : {2e-3, 1e-3, 5e-4, 2.5e-4}) {
    if (test::kIsSlow && h < 4e-4) continue;
    errors.push_back(std::abs(find_impact_spin(wheel, h) - expected));
    EXPECT_LT(errors.back(), 8.0 * expected * h) << h;
  }
  EXPECT_NEAR(test::calc_order(errors, 2.0), 1.0, 0.25);
}

// ---- Painleve's rod -------------------------------------------------------------------------

// The rod in its plane: mass, moment, and from the centre to the point that touches.
struct Rod {
  Rod(const Simulation& s, const Vec3d& center)
      : m(s.world.model.mass[1]),
        i(s.world.model.inertia[1].column(1)[1]),
        r(s.scratch.contact.points[0].p_W - center) {}
  // what an impulse (x, z) at the point changes its velocity by
  double xx() const { return 1.0 / m + r[2] * r[2] / i; }
  double zz() const { return 1.0 / m + r[0] * r[0] / i; }
  double xz() const { return -r[0] * r[2] / i; }

  double m, i;
  Vec3d r;
};

// The end slides away from the rod, towards -x: friction mu N towards +x turns the rod about its
// centre and presses the end into the floor. When mu xz + zz < 0 it does so more than N can lift:
// no force satisfies the laws (Painleve 1895). The impulse that does stops the end within the step
// (impact without collision): p = -W^-1 (v, 0), inside the cone exactly when there is no sliding
// motion; the limit of the answer for h to 0 has a closed form, and is met with an error ~ h.
TEST(PainleveRod, StopsAtOnceWhereNoSlidingMotionExists) {
  const sim::RodSpec spec{1.1, 2.0, -1.0};
  std::vector<double> errors;
  for (const double h : {1e-3, 5e-4, 2.5e-4}) {
    Simulation s(sim::make_painleve_rod(spec));
    const Vec3d start = s.position();
    s.run(h, h);
    ASSERT_EQ(s.report.contact.points, 1);
    const Rod rod(s, start);
    ASSERT_LT(rod.zz() + spec.friction * rod.xz(), 0.0);
    const double det = rod.xx() * rod.zz() - rod.xz() * rod.xz();
    const double px = -rod.zz() * spec.speed / det, pz = rod.xz() * spec.speed / det;
    EXPECT_GT(pz, 0.0);
    EXPECT_LT(std::abs(px), spec.friction * pz);
    const double spin = (rod.r[2] * px - rod.r[0] * pz) / rod.i;
    errors.push_back(norm(s.velocity() - Vec3d(spec.speed + px / rod.m, 0.0, pz / rod.m)) +
                     std::abs(s.spin()[1] - spin));
    EXPECT_LT(errors.back(), 30.0 * h);
    EXPECT_LT(norm(s.scratch.contact.contacts[0].u), 1e-12);
    EXPECT_LT(s.report.contact.work, 0.0);
    EXPECT_EQ(s.unconverged, 0);
  }
  EXPECT_NEAR(test::calc_order(errors, 2.0), 1.0, 0.1);
}

// Drawn behind the rod the same end slides on: N = m g / (m (zz - mu xz)), all of it finite.
TEST(PainleveRod, SlidesOnWhenDrawn) {
  const sim::RodSpec spec{1.1, 2.0, 1.0};
  const double h = 1e-4;
  Simulation s(sim::make_painleve_rod(spec));
  const Vec3d start = s.position();
  s.run(h, h);
  const Rod rod(s, start);
  const double normal = kG / (rod.zz() - spec.friction * rod.xz());
  EXPECT_NEAR(s.scratch.contact.contacts[0].p[0] / h, normal, 1e-9);
  EXPECT_NEAR(s.velocity()[0], 1.0 - spec.friction * normal * h / rod.m, 1e-12);
}

// At any angle, friction and speed: every answer finite and dissipative, every step converged, the
// rod at rest in the end.
TEST(PainleveRod, AlwaysComesToRest) {
  for (const double angle : {0.4, 0.8, 1.1, 1.3, 1.5})
    for (const double friction : {0.5, 1.5, 3.0, 10.0})
      for (const double speed : {-4.0, -1.0, 1.0, 4.0}) {
        if (test::kIsSlow && (angle != 1.1 || friction == 0.5)) continue;
        SCOPED_TRACE(testing::Message() << angle << " rad, mu " << friction << ", v " << speed);
        Simulation s(sim::make_painleve_rod({angle, friction, speed}));
        double fastest = 0.0;
        s.run(5.0, 1e-3, [&] { fastest = std::max(fastest, s.fastest()); });
        EXPECT_LE(s.most_work, 1e-12);
        EXPECT_LT(fastest, 6.0 * std::abs(speed) + 12.0);  // falling over gives 3 sqrt(g / l)
        EXPECT_LT(s.fastest(), 1e-9);
        EXPECT_EQ(s.unconverged, 0);
      }
}

// A bar that spins about its middle: the tip falls by 10 mm in a step, the middle not at all. What
// it may enter the floor by is the way that its arc is off its tangent, w^2 r h^2 / 2.
TEST(SpinningBar, TipDoesNotPassThroughTheFloor) {
  constexpr double kHalf = 0.5, kSpin = 20.0, kStep = 1e-3;
  for (const double height : {0.05, 0.0523, 0.0541, 0.0576, 0.059}) {
    SceneBuilder builder("bar");
    builder.add_fixed(test::make_plane(), {});
    builder.set_gravity({});
    SceneBuilder::Body bar;
    bar.shape = test::make_box({kHalf, 0.02, 0.02});
    bar.pose.p = {0, 0, height};
    bar.spin = {0, kSpin, 0};
    builder.add_body(bar);
    Simulation s(builder.build());
    s.run(0.05, kStep);
    EXPECT_LT(s.deepest, 0.5 * kSpin * kSpin * kHalf * kStep * kStep) << height;
    EXPECT_GT(s.velocity()[2], 0.1) << "it was thrown up";
  }
}

}  // namespace
}  // namespace stance
