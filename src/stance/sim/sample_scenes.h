#pragma once

// Named scenes with a known answer, built once for tests, benchmarks, examples and viewer alike.
// What each one shows, and which formula, stands in the table of sample_scenes().

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "stance/sim/scene_builder.h"

namespace stance::sim {

// A scene and what acts on its joints all the time, per velocity coordinate; empty is zero.
struct Sample {
  Scene scene;
  std::vector<double> tau, stiffness;

  Input input() const { return {tau, stiffness, {}, {}}; }
};

// ---- balls -------------------------------------------------------------------------------

// A ball of 0.1 m dropped on a floor from `height` below its lowest point.
Sample make_bouncing_ball(double height = 1.0, double restitution = 0.7);
// A ball of 0.1 m at rest on a ramp that falls towards +x.
Sample make_ball_on_ramp(double angle = 0.35, double friction = 0.5);
// A ball of 0.1 m thrown along a floor without spin.
Sample make_thrown_ball(double speed = 1.0, double friction = 0.1);
// A ball of 0.03 m struck with side spin, everything turned by `heading` about z.
Sample make_billiard_ball(double heading = 0.0);
// A ball of 0.05 m spinning about z with 20 rad/s, with torsional friction of 2 mm.
Sample make_spinning_ball();
// A ball of 0.1 m that rolls with `speed`, braked by rolling friction (m).
Sample make_rolling_ball(double speed = 1.0, double rolling_friction = 1e-3);
// Balls of 0.05 m and 1 kg in a row, `gap` apart; the first comes from 0.2 m away at 1 m/s.
Sample make_cradle(int count = 4, double gap = 0.0, double restitution = 1.0);

// ---- blocks ------------------------------------------------------------------------------

// A brick of 0.2 x 0.1 x 0.05 m on a ramp that falls towards +x, sliding with `speed` at first.
Sample make_brick_on_ramp(double angle = 0.35, double friction = 0.5, double speed = 0.0);
// A block twice as high as it is wide on a ramp with friction 2: tips beyond atan 1/2.
Sample make_block_on_ramp(double angle = 0.44);
// Cubes of 0.1 m and 1 kg on each other; the highest may be heavier.
Sample make_stack(int count = 5, double top_mass = 1.0);
// Half a ring of 27 voussoirs, mean radius 1 m, thickness as a part of it; friction 0.8.
Sample make_masonry_arch(double thickness = 0.12);
// A prism with `spokes` corners at 0.5 m rolls down a ramp over its edges.
struct WheelSpec {
  int spokes = 8;
  double radius = 0.5, mass = 2.0, angle = 0.175, spin = 2.0;  // m, kg, rad, rad/s
};
Sample make_rimless_wheel(const WheelSpec& wheel = {});
// Bodies of all kinds falling on each other between walls.
Sample make_heap(int count = 50, std::uint64_t seed = 1);

// ---- mechanisms --------------------------------------------------------------------------

// A mass on a spring and a rough floor, let go at x = stretch.
struct OscillatorSpec {
  double mass = 1.0, stiffness = 100.0, friction = 0.2, stretch = 0.2;  // kg, N/m, -, m
};
Sample make_coulomb_oscillator(const OscillatorSpec& oscillator = {});
// A block held against its weight by two fingers that press with `force` each.
struct PinchSpec {
  double mass = 1.0, force = 20.0, friction = 0.3;  // kg, N, -
};
Sample make_pinch_grasp(const PinchSpec& pinch = {});
// A wedge between two fingers, without gravity: faces lean by `angle`, fingers press along x.
Sample make_wedge_grasp(double angle = 0.3, double friction = 0.4);
// A rod of 1 m, `angle` above the floor, whose lower end (towards -x) slides with `speed` along x.
struct RodSpec {
  double angle = 1.1, friction = 2.0, speed = 1.0;  // rad, -, m/s
};
Sample make_painleve_rod(const RodSpec& rod = {});

// ---- the table ---------------------------------------------------------------------------

struct NamedScene {
  std::string_view name;
  std::string_view shows;  // what happens, and the formula
  Sample (*make)();        // with the defaults above
};
std::span<const NamedScene> sample_scenes();

}  // namespace stance::sim
