// Springs, grasps and masonry that a pencil can predict. Rows A3, A7, R15.

#include "sim/simulation.h"

namespace stance {
namespace {

using test::Simulation;
using test::Vec3d;

constexpr double kG = 9.81;

// ---- Coulomb's oscillator -----------------------------------------------------------------

// Every half cycle loses 2 mu m g / k, that is 4 mu m g / k a cycle; it stops at the first turning
// point within mu m g / k. The spring is implicit, which damps with order h on top.
TEST(CoulombOscillator, LosesTheSameAmplitudeInEveryCycle) {
  const sim::OscillatorSpec spec;
  const double dead = spec.friction * spec.mass * kG / spec.stiffness;
  std::vector<double> expected;
  for (double x = spec.stretch; std::abs(x) > dead; expected.push_back(x))
    x = x > 0.0 ? 2.0 * dead - x : -2.0 * dead - x;
  const double half_cycle = 3.14159265358979323846 * std::sqrt(spec.mass / spec.stiffness);
  ASSERT_EQ(expected.size(), 5u);

  std::vector<double> errors;
  for (const double h : {4e-4, 2e-4, 1e-4}) {
    Simulation s(sim::make_coulomb_oscillator(spec));
    const int slide = s.world.model.v_start[s.world.model.find_joint("sledge/spring")];
    std::vector<double> turns;
    double last = 0.0, stopped = 0.0;
    s.run(2.0, h, [&] {
      const double v = s.state.v[slide];
      if (std::abs(v) < 1e-9) return;  // at a turning point friction may hold it for a step
      if (v * last < 0.0 && turns.size() < 4) turns.push_back(s.state.q[slide]);
      stopped = s.state.time;
      last = v;
    });
    turns.push_back(s.state.q[slide]);
    ASSERT_EQ(turns.size(), 5u) << h;
    double worst = 0.0;
    for (std::size_t k = 0; k < turns.size(); ++k)
      worst = std::max(worst, std::abs(turns[k] - expected[k]));
    errors.push_back(worst);
    EXPECT_LT(worst, 10.0 * h);
    EXPECT_NEAR(stopped, 5.0 * half_cycle, 5.0 * h);
    EXPECT_LT(s.fastest(), 1e-12);  // for ever
    EXPECT_EQ(s.unconverged, 0);
  }
  EXPECT_NEAR(test::calc_order(errors, 2.0), 1.0, 0.1);
}

// ---- grasps -------------------------------------------------------------------------------

// The lowest friction that holds what is grasped, by bisection.
template <class Make>
double find_friction_limit(double low, double high, Make&& make) {
  for (int k = 0; k < 30; ++k) {
    const double friction = 0.5 * (low + high);
    Simulation s(make(friction));
    s.run(0.05, 1e-3);
    EXPECT_EQ(s.unconverged, 0);
    (norm(s.velocity()) < 1e-8 ? high : low) = friction;
  }
  return high;
}

// Two fingers that press with F each hold a block when 2 mu F >= m g.
TEST(Grasp, PinchHoldsAWeightWithinTwiceTheFriction) {
  for (const double mass : {0.5, 1.0, 3.0}) {
    const double limit = find_friction_limit(0.0, 2.0, [&](double friction) {
      return sim::make_pinch_grasp({mass, 20.0, friction});
    });
    EXPECT_NEAR(limit, mass * kG / (2.0 * 20.0), 1e-7) << mass;
  }
}

// Between the faces of a wedge fingers hold when mu >= tan a, however hard they press.
TEST(Grasp, WedgeHoldsWithinTheFrictionAngle) {
  for (const double angle : {0.1, 0.3, 0.5}) {
    const double limit = find_friction_limit(
        0.0, 2.0, [&](double friction) { return sim::make_wedge_grasp(angle, friction); });
    EXPECT_NEAR(limit, std::tan(angle), 1e-7) << angle;
  }
}

// ---- masonry ------------------------------------------------------------------------------

// Half a ring stands while its thickness is more than 0.1075 of the mean radius (Milankovitch
// 1907): at 0.12 nothing moves, at 0.09 it falls, and five hundredths on either side of the limit
// are told apart too.
TEST(MasonryArch, StandsWhenThickEnough) {
  for (const double thickness : {0.12, 0.11}) {
    Simulation s(sim::make_masonry_arch(thickness));
    const Vec3d crown = s.position(13);
    double fastest = 0.0;
    s.run(test::kIsSlow ? 0.05 : 1.0, 1e-3, [&] { fastest = std::max(fastest, s.fastest()); });
    EXPECT_LT(norm(s.position(13) - crown), 1e-7) << thickness;
    EXPECT_LT(fastest, 1e-5) << thickness;
    EXPECT_LT(s.deepest, 1e-8);
    EXPECT_LE(s.unconverged, 10);  // 112 contacts, redundant: the first steps are hard
  }
}

TEST(MasonryArch, FallsWhenThin) {
  for (const double thickness : {0.105, 0.09}) {
    if (test::kIsSlow && thickness > 0.1) continue;
    Simulation s(sim::make_masonry_arch(thickness));
    const Vec3d crown = s.position(13);
    s.run(test::kIsSlow ? 0.1 : 0.45, 1e-3);
    const double drop = crown[2] - s.position(13)[2];
    EXPECT_GT(drop, test::kIsSlow ? 1e-3 : 0.03) << thickness;
    EXPECT_LE(s.most_work, 1e-9) << thickness;
  }
}

}  // namespace
}  // namespace stance
