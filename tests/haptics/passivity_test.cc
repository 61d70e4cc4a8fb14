#include "stance/haptics/passivity.h"

#include <cmath>

#include <gtest/gtest.h>

#include "stance/haptics/check/emulator.h"

namespace stance::haptics {
namespace {

Motion still() {
  return [](double) { return Intention{}; };
}

// A handle of mass m and damping b on a sampled spring K with a delay of whole samples, no hand.
// True when its swing is larger after n samples than a while before.
bool grows(double mass, double damping, double stiffness, double period, int delay) {
  HandOptions options;
  options.mass = mass, options.stiffness = 0.0, options.damping = damping;
  options.latency = delay * period, options.max_force = 1e30, options.watchdog = 1e9;
  EmulatedDevice device(options, still());
  device.hand().place({0.001, 0, 0}, {});
  double early = 0.0, late = 0.0;
  DeviceSample sample;
  constexpr int kTicks = 40000;
  for (int k = 0; k < kTicks; ++k) {
    const double now = k * period;
    device.read(now, sample);
    device.write(now, {(-stiffness) * sample.position, static_cast<std::uint64_t>(k + 1)});
    const double x = std::abs(device.hand().position()[0]);
    if (!(x < 1e6)) return true;
    if (k > kTicks / 4 && k < kTicks / 2) early = std::max(early, x);
    if (k > 3 * kTicks / 4) late = std::max(late, x);
  }
  return late > early;
}

double find_limit(double mass, double damping, double period, int delay, double guess) {
  double low = 0.3 * guess, high = 3.0 * guess;
  for (int k = 0; k < 12; ++k) {
    const double middle = 0.5 * (low + high);
    (grows(mass, damping, middle, period, delay) ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

// The sampled wall with a zero-order hold: x+ = x + a v + g F, v+ = E v + (1 - E) / b F, F = -K x,
// with E = exp(-b T / m), a = m (1 - E) / b, g = (T - a) / b. It is stable while the determinant
// E (1 - K g) + K a (1 - E) / b stays below 1.
TEST(SampledWall, BecomesUnstableWhereTheClosedFormSays) {
  const double m = 0.5, b = 2.0, T = 1e-3;
  const double E = std::exp(-b * T / m), a = m * (1.0 - E) / b, g = (T - a) / b;
  const double exact = (1.0 - E) / (a * (1.0 - E) / b - E * g);
  EXPECT_NEAR(exact, 2.0 * b / T, 0.01 * exact);  // b = K T / 2
  EXPECT_NEAR(find_limit(m, b, T, 0, exact), exact, 0.01 * exact);
}

TEST(SampledWall, BearsLessWithDelayAsTheBoundSays) {
  const double m = 0.5, b = 2.0, T = 1e-3;
  for (const int delay : {1, 2, 5}) {
    const double bound = calc_stiffest(b, T, delay * T, 0.0);
    EXPECT_NEAR(find_limit(m, b, T, delay, bound), bound, 0.03 * bound) << delay;
  }
}

TEST(CalcStiffest, HasTheFiguresOfTheBound) {
  EXPECT_DOUBLE_EQ(calc_stiffest(2.0, 1e-3, 0.0, 0.0), 4000.0);
  EXPECT_DOUBLE_EQ(calc_stiffest(2.0, 1e-3, 1e-3, 0.0), 2.0 / 1.5e-3);
  EXPECT_DOUBLE_EQ(calc_stiffest(2.0, 1e-3, 0.0, -0.5), 3000.0);
  EXPECT_EQ(calc_stiffest(2.0, 1e-3, 0.0, 3.0), 0.0);
}

TEST(Timing, MeasuresTheDelayOfEveryLatency) {
  for (const double latency : {0.0, 0.3e-3, 1e-3, 2e-3, 5e-3}) {
    HandOptions options;
    options.latency = latency;
    EmulatedDevice device(options, still());
    Timing timing(1e-3);
    DeviceSample sample;
    for (int k = 0; k < 100; ++k) {
      const double now = k * 1e-3;
      timing.tick(now);
      if (device.read(now, sample) == Reading::kFresh)
        timing.applied(now, sample.applied, sample.since);
      device.write(now, {{}, static_cast<std::uint64_t>(k + 1)});
      timing.sent(now, static_cast<std::uint64_t>(k + 1));
    }
    EXPECT_TRUE(timing.is_known());
    EXPECT_NEAR(timing.delay(), latency, 1e-9);
    EXPECT_NEAR(timing.period(), 1e-3, 1e-9);
  }
}

// Whatever the hand does and however wild the forces that are wanted, what the account lets through
// takes no more out of the device than its damping burns.
TEST(EnergyAccount, NeverGivesMoreThanTheDampingBurns) {
  kernel::Random random(3);
  for (const int delay : {0, 1, 5}) {
    HandOptions options;
    options.latency = delay * 1e-3, options.max_force = 1e9;
    Vec3d wish{};
    EmulatedDevice device(options, [&](double time) {
      return Intention{Vec3d(0.02 * std::sin(7.0 * time), 0.01 * std::sin(31.0 * time), 0.0), {}};
    });
    EnergyAccount account(options.damping);
    DeviceSample sample, before;
    double worst = -1.0, most = 0.0;
    for (int k = 0; k < 20000; ++k) {
      const double now = k * 1e-3;
      if (device.read(now, sample) == Reading::kFresh) {
        account.moved(sample.position - before.position, 1e-3, 1e-3, before.applied, sample.applied,
                      sample.since);
        before = sample;
      }
      // pushes along the motion, as an unstable wall would
      const double gain = random.uniform(0.0, 60.0);
      wish = gain * device.hand().velocity();
      const Vec3d force =
          account.limit(wish, 1e-3, static_cast<std::uint64_t>(k + 1), sample.applied);
      device.write(now, {force, static_cast<std::uint64_t>(k + 1)});
      worst = std::max(worst, device.hand().drawn() - device.hand().burnt());
      most = std::max(most, norm(force));
    }
    EXPECT_LE(worst, 1e-12) << delay;
    EXPECT_GT(most, 0.01) << delay;  // it is not just silent
  }
}

// A sample that names a force of long ago, or one of another connection: any that is remembered may
// have acted.
TEST(EnergyAccount, CountsTheWorstWhereAForceIsForgotten) {
  for (const std::uint64_t before : {44u, 250u}) {
    EnergyAccount account(2.0);
    account.moved({0, 0.1, 0}, 1e-3, 1e-3, 0, 0, 1e-3);
    for (std::uint64_t k = 1; k <= 300; ++k)
      account.limit(k == 100 ? Vec3d(1, 0, 0) : Vec3d(), 1e-3, k, k - 1);
    const double stored = account.stored(), dx = 1e-6;
    account.moved({dx, 0, 0}, 1e-3, 1e-3, before, 44, 1e-3);  // 44 and 300 share a place
    EXPECT_NEAR(account.stored() - stored, 1.8 * dx * dx / 1e-3 - 1.0 * dx, 1e-12);
  }
}

// A time that is not known counts in the account's favour: the damping by the longest, the forces
// by the worst part that each may have had.
TEST(EnergyAccount, CountsTheLongestAndTheWorst) {
  EnergyAccount account(2.0);
  account.moved({0, 0.1, 0}, 1e-3, 1e-3, 0, 0, 1e-3);
  account.limit({1, 0, 0}, 1e-3, 1, 0);
  account.limit({3, 0, 0}, 1e-3, 2, 1);
  const double stored = account.stored(), dx = 1e-6;
  account.moved({dx, 0, 0}, 1e-3, 4e-3, 1, 2, 0.5e-3);
  EXPECT_NEAR(account.stored() - stored, 1.8 * dx * dx / 4e-3 - (0.5 * 1.0 + 0.5 * 3.0) * dx,
              1e-12);
}

// ---- the emulated hand ------------------------------------------------------------------------

// Settings that are allowed: the lightest hand with the strongest dampers and springs.
TEST(Hand, StaysFiniteWhateverItIsMadeOf) {
  for (const double stiffness : {0.0, 300.0, 1e5})
    for (const double hand_damping : {0.0, 1e3}) {
      HandOptions options;
      options.mass = 1e-3, options.damping = 100.0;
      options.stiffness = stiffness, options.hand_damping = hand_damping;
      Hand hand(options, still());
      hand.place({0.01, 0, 0}, {1, 0, 0});
      for (int k = 1; k <= 50; ++k) hand.advance(1e-3 * k);
      EXPECT_LT(norm(hand.position()), 0.011) << stiffness << " " << hand_damping;
    }
}

TEST(Hand, IsWhereItWantsToBeAfterAnIdleHour) {
  int asked = 0;
  Hand hand({}, [&](double time) {
    ++asked;
    return Intention{{0.01 * time, 0, 0}, {0.01, 0, 0}};
  });
  hand.advance(3600.0);
  EXPECT_LT(asked, 1'000'000);
  EXPECT_NEAR(hand.position()[0], 36.0, 1e-3);
}

}  // namespace
}  // namespace stance::haptics
