#include "stance/sim/sample_scenes.h"

#include <cmath>

#include "stance/kernel/random.h"

namespace stance::sim {

namespace {

using collision::make_box;
using collision::make_capsule;
using collision::make_cylinder;
using collision::make_plane;
using collision::make_sphere;
using contact::Material;
using Body = SceneBuilder::Body;

constexpr double kPi = 3.14159265358979323846;

Body make_ball(double radius, double mass) {
  Body ball;
  ball.name = "ball";
  ball.shape = make_sphere(radius);
  ball.mass = mass;
  ball.pose.p = {0, 0, radius};
  return ball;
}

Sample make_floor_scene(const std::string& name, const Body& body, const Material& material) {
  SceneBuilder builder(name);
  builder.set_material(0, material);
  builder.add_fixed(make_plane(), {});
  builder.add_body(body);
  return {builder.build(), {}, {}};
}

// A plane tilted about y, downhill is +x; pose and velocity of the body are given in its frame.
Sample make_ramp_scene(const std::string& name, Body body, double angle, double friction) {
  SceneBuilder builder(name);
  builder.set_material(0, {friction});
  const Mat3d R = make_rotation({0, 1, 0}, angle);
  builder.add_fixed(make_plane(), {R, {}});
  body.pose = {R * body.pose.R, R * body.pose.p};
  body.velocity = R * body.velocity;
  builder.add_body(body);
  return {builder.build(), {}, {}};
}

Vec3d make_vector(kernel::Random& random, double limit) {
  const double x = random.uniform(-limit, limit), y = random.uniform(-limit, limit);
  return {x, y, random.uniform(-limit, limit)};
}

}  // namespace

// ---- balls -------------------------------------------------------------------------------

Sample make_bouncing_ball(double height, double restitution) {
  Body ball = make_ball(0.1, 1.0);
  ball.pose.p = {0, 0, 0.1 + height};
  return make_floor_scene("bouncing_ball", ball, {0.5, restitution});
}

Sample make_ball_on_ramp(double angle, double friction) {
  return make_ramp_scene("ball_on_ramp", make_ball(0.1, 1.0), angle, friction);
}

Sample make_thrown_ball(double speed, double friction) {
  Body ball = make_ball(0.1, 1.0);
  ball.velocity = {speed, 0, 0};
  return make_floor_scene("thrown_ball", ball, {friction});
}

Sample make_billiard_ball(double heading) {
  const Mat3d R = make_rotation({0, 0, 1}, heading);
  Body ball = make_ball(0.03, 0.2);
  ball.velocity = R * Vec3d(1.5, 0, 0);
  ball.spin = R * Vec3d(30, -20, 0);
  return make_floor_scene("billiard_ball", ball, {0.2});
}

Sample make_spinning_ball() {
  Body ball = make_ball(0.05, 1.0);
  ball.spin = {0, 0, 20};
  return make_floor_scene("spinning_ball", ball, {0.5, 0.0, 2e-3, 0.0});
}

Sample make_rolling_ball(double speed, double rolling_friction) {
  Body ball = make_ball(0.1, 1.0);
  ball.velocity = {speed, 0, 0}, ball.spin = {0, speed / 0.1, 0};
  return make_floor_scene("rolling_ball", ball, {0.5, 0.0, 0.0, rolling_friction});
}

Sample make_cradle(int count, double gap, double restitution) {
  SceneBuilder builder("cradle");
  builder.set_gravity({});
  builder.set_material(0, {0.0, restitution});
  for (int k = 0; k < count; ++k) {
    Body ball = make_ball(0.05, 1.0);
    ball.name.clear();
    ball.pose.p = {k * (0.1 + gap) - (k == 0 ? 0.2 : 0.0), 0, 0};
    if (k == 0) ball.velocity = {1, 0, 0};
    builder.add_body(ball);
  }
  return {builder.build(), {}, {}};
}

// ---- blocks ------------------------------------------------------------------------------

Sample make_brick_on_ramp(double angle, double friction, double speed) {
  Body brick;
  brick.name = "brick";
  brick.shape = make_box({0.1, 0.05, 0.025});
  brick.pose.p = {0, 0, 0.025};
  brick.velocity = {speed, 0, 0};
  return make_ramp_scene("brick_on_ramp", brick, angle, friction);
}

Sample make_block_on_ramp(double angle) {
  Body block;
  block.name = "block";
  block.shape = make_box({0.05, 0.05, 0.1});
  block.pose.p = {0, 0, 0.1};
  return make_ramp_scene("block_on_ramp", block, angle, 2.0);
}

Sample make_stack(int count, double top_mass) {
  SceneBuilder builder("stack");
  builder.add_fixed(make_plane(), {});
  for (int k = 0; k < count; ++k) {
    Body box;
    box.shape = make_box({0.05, 0.05, 0.05});
    box.mass = k + 1 == count ? top_mass : 1.0;
    box.pose.p = {0, 0, 0.05 + 0.1 * k};
    builder.add_body(box);
  }
  return {builder.build(), {}, {}};
}

Sample make_masonry_arch(double thickness) {
  constexpr int kStones = 27;
  SceneBuilder builder("masonry_arch");
  builder.set_material(0, {0.8});
  builder.add_fixed(make_plane(), {});
  for (int k = 0; k < kStones; ++k) {
    std::vector<Vec3d> corners;
    for (const int joint : {k, k + 1})
      for (const double radius : {1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness})
        for (const double y : {-0.15, 0.15}) {
          const double angle = kPi * joint / kStones;
          corners.emplace_back(-radius * std::cos(angle), y, radius * std::sin(angle));
        }
    Body stone;
    stone.shape = builder.make_hull(corners);
    stone.mass = 2500.0 * kPi / kStones * thickness * 0.3;
    builder.add_body(stone);
  }
  return {builder.build(), {}, {}};
}

Sample make_rimless_wheel(const WheelSpec& wheel) {
  SceneBuilder builder("rimless_wheel");
  builder.set_material(0, {1.0});
  const Mat3d R = make_rotation({0, 1, 0}, wheel.angle);
  builder.add_fixed(make_plane(), {R, {}});
  std::vector<Vec3d> corners;
  for (int k = 0; k < wheel.spokes; ++k) {
    const double angle = 2.0 * kPi * (k + 0.5) / wheel.spokes;
    for (const double y : {-0.1, 0.1})
      corners.emplace_back(wheel.radius * std::sin(angle), y, wheel.radius * std::cos(angle));
  }
  // stands on a face and turns over the edge ahead
  const double a = kPi / wheel.spokes;
  const Vec3d p(0.0, 0.0, wheel.radius * std::cos(a));
  Body body;
  body.name = "wheel";
  body.shape = builder.make_hull(corners);
  body.mass = wheel.mass;
  body.pose = {R, R * p};
  body.spin = {0, wheel.spin, 0};
  body.velocity = R * cross(body.spin, p - Vec3d(wheel.radius * std::sin(a), 0.0, 0.0));
  builder.add_body(body);
  return {builder.build(), {}, {}};
}

Sample make_heap(int count, std::uint64_t seed) {
  kernel::Random random(8100 + seed);
  SceneBuilder builder("heap");
  // rolling friction, or balls roll for ever
  builder.set_material(0, {0.5, 0.0, 5e-3, 5e-3});
  builder.add_fixed(make_plane(), {});
  const int side = std::max(3, static_cast<int>(std::cbrt(1.5 * count)));
  const double pitch = 0.17, wall = 0.5 * pitch * side + 0.05;
  for (int k = 0; k < 4; ++k) {
    const Mat3d R = make_rotation({0, 0, 1}, 0.5 * kPi * k) * make_rotation({0, 1, 0}, 0.5 * kPi);
    builder.add_fixed(make_plane(), {R, -wall * R.c[2]});
  }
  for (int k = 0; k < count; ++k) {
    Body body;
    switch (k % 5) {
      case 0: body.shape = make_sphere(random.uniform(0.03, 0.06)); break;
      // drawn one after the other: compilers differ in the order of a call's arguments
      case 1: {
        const double half_length = random.uniform(0.02, 0.04);
        body.shape = make_capsule(random.uniform(0.02, 0.04), half_length);
        break;
      }
      case 2: {
        const double half_length = random.uniform(0.03, 0.05);
        body.shape = make_cylinder(random.uniform(0.03, 0.05), half_length);
        break;
      }
      case 3: body.shape = make_box(Vec3d(0.04, 0.04, 0.04) + make_vector(random, 0.02)); break;
      default: {
        std::vector<Vec3d> points;
        for (int i = 0; i < 12; ++i) {
          const Vec3d d = make_vector(random, 1.0);
          points.push_back((0.06 / std::max(norm(d), 0.1)) * d);
        }
        body.shape = builder.make_hull(points);
      }
    }
    body.mass = random.uniform(0.2, 2.0);
    const int x = k % side, y = k / side % side, z = k / (side * side);
    body.pose = {
        make_rotation(make_vector(random, 1.0) + Vec3d(0, 0, 1e-3), random.uniform(0, 3)),
        Vec3d(pitch * (x - 0.5 * (side - 1)), pitch * (y - 0.5 * (side - 1)), 0.12 + pitch * z) +
            make_vector(random, 0.01)};
    body.spin = make_vector(random, 5.0);
    builder.add_body(body);
  }
  return {builder.build(), {}, {}};
}

// ---- the table ---------------------------------------------------------------------------

std::span<const NamedScene> sample_scenes() {
  static constexpr NamedScene kScenes[] = {
      {"bouncing_ball",
       "bounces at t0 (1 + 2 (e + ... + e^n)), t0 = sqrt(2 H / g), and rests from t0 (1+e)/(1-e) "
       "on",
       [] { return make_bouncing_ball(); }},
      {"ball_on_ramp", "rolls with 5/7 g sin a while mu >= 2/7 tan a",
       [] { return make_ball_on_ramp(); }},
      {"thrown_ball", "slides for 2 v0 / (7 mu g), then rolls with 5/7 v0",
       [] { return make_thrown_ball(); }},
      {"billiard_ball", "slip turns its path; ends with 5/7 v + 2/7 r (w_y, -w_x)",
       [] { return make_billiard_ball(); }},
      {"spinning_ball", "torsional friction brakes its spin by mu_t m g / I",
       [] { return make_spinning_ball(); }},
      {"rolling_ball", "rolling friction brakes it by mu_r g / (1.4 r)",
       [] { return make_rolling_ball(); }},
      {"cradle", "balls in touch, hit by another: Moreau's law moves them all with (1 + e) v / N",
       [] { return make_cradle(); }},
      {"brick_on_ramp", "does not creep where mu > tan a, slides with g (sin a - mu cos a) else",
       [] { return make_brick_on_ramp(); }},
      {"block_on_ramp", "stands while tan a < width / height, tips beyond",
       [] { return make_block_on_ramp(); }},
      {"stack", "each joint carries the weight above it", [] { return make_stack(); }},
      {"masonry_arch", "half a ring of 27 stones stands while t / R > 0.1075",
       [] { return make_masonry_arch(); }},
      {"rimless_wheel",
       "rolls down over its edges at the speed where impacts take what gravity gives",
       [] { return make_rimless_wheel(); }},
      {"heap", "bodies of every kind fall on each other and come to rest",
       [] { return make_heap(); }},
      {"coulomb_oscillator", "loses 4 mu m g / k of amplitude a cycle, stops within mu m g / k",
       [] { return make_coulomb_oscillator(); }},
      {"pinch_grasp", "two fingers hold a block when mu >= m g / (2 F)",
       [] { return make_pinch_grasp(); }},
      {"wedge_grasp", "two fingers hold a wedge when mu >= tan a",
       [] { return make_wedge_grasp(); }},
      {"painleve_rod", "no sliding motion exists: its end stops at once, as after an impact",
       [] { return make_painleve_rod(); }},
  };
  return kScenes;
}

}  // namespace stance::sim
