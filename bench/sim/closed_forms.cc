#include "sim/closed_forms.h"

#include <cmath>
#include <memory>

#include "stance/sim/sample_scenes.h"
#include "stance/sim/step.h"

namespace stance::bench {
namespace {

using kernel::Mat3d;
using kernel::Vec3d;
using sim::Sample;
using sim::SceneBuilder;

constexpr double kG = 9.81, kPi = 3.14159265358979323846;

// ---- runs ---------------------------------------------------------------------------------------

Vec3d three(const double* x) { return {x[0], x[1], x[2]}; }

// A sample while it runs; its first body.
struct Run {
  explicit Run(Sample sample_, Steps how)
      : sample(std::move(sample_)), h(how.h), x(sample.scene.start), scratch(sample.scene.world) {
    sample.scene.world.integrator = how.integrator;
    const int body = sample.scene.bodies.empty() ? 1 : static_cast<int>(sample.scene.bodies[0]);
    q = sample.scene.world.model.q_start[body], v = sample.scene.world.model.v_start[body];
  }
  void go(double seconds) {
    for (long k = std::lround(seconds / h); k > 0; --k)
      (void)sim::step(sample.scene.world, sample.input(), h, x, scratch);
  }
  Vec3d position() const { return three(x.q.data() + q + 4); }
  Vec3d spin() const { return three(x.v.data() + v); }
  Mat3d attitude() const {
    return kernel::make_rotation(kernel::Quat<double>{x.q[q], x.q[q + 1], x.q[q + 2], x.q[q + 3]});
  }

  Sample sample;
  double h;
  sim::State x;
  sim::Scratch scratch;
  int q = 0, v = 0;
};

// ---- flight and impact
// ----------------------------------------------------------------------------

// Dropped by 1 m, restitution 0.7; on its second flight at 0.8 s.
double bounce(Steps how) {
  Run run(sim::make_bouncing_ball(1.0, 0.7), how);
  run.go(0.8);
  const double t0 = std::sqrt(2.0 / kG), t = 0.8 - t0;
  return std::abs(run.position()[2] - (0.1 + 0.7 * kG * t0 * t - 0.5 * kG * t * t));
}

// ---- rolling and sliding
// --------------------------------------------------------------------------

double roll_down(Steps how) {
  const double a = 0.35;
  Run run(sim::make_ball_on_ramp(a, 0.5), how);
  const Vec3d start = run.position();
  run.go(0.5);
  return std::abs(norm(run.position() - start) - 0.5 * 5.0 / 7.0 * kG * std::sin(a) * 0.25);
}

double slide_down(Steps how) {
  const double a = 30.0 * kPi / 180.0;
  Run run(sim::make_brick_on_ramp(a, 0.3), how);
  const Vec3d start = run.position();
  run.go(0.5);
  const double slope = kG * (std::sin(a) - 0.3 * std::cos(a));
  return std::abs(norm(run.position() - start) - 0.5 * slope * 0.25);
}

double slide_and_stop(Steps how) {
  const double a = 10.0 * kPi / 180.0;
  Run run(sim::make_brick_on_ramp(a, 0.5, 1.0), how);
  const Vec3d start = run.position();
  run.go(0.5);
  const double brake = kG * (0.5 * std::cos(a) - std::sin(a));
  return std::abs(norm(run.position() - start) - 0.5 / brake);
}

// Slips until 2 v0 / (7 mu g), then rolls with 5/7 v0.
double slide_then_roll(Steps how) {
  const double v0 = 2.0, mu = 0.2, t1 = 2.0 * v0 / (7.0 * mu * kG);
  Run run(sim::make_thrown_ball(v0, mu), how);
  const double start = run.position()[0];
  run.go(1.0);
  const double path = v0 * t1 - 0.5 * mu * kG * t1 * t1 + 5.0 / 7.0 * v0 * (1.0 - t1);
  return std::abs(run.position()[0] - start - path);
}

// The slip keeps its direction and shrinks by 7/2 mu g; the path is a parabola, then straight.
double curve(Steps how) {
  constexpr double kRadius = 0.03, kMu = 0.2, kEnd = 1.5;
  Run run(sim::make_billiard_ball(0.3), how);
  const Vec3d start = run.position();
  const Vec3d w = run.spin(), v = three(run.x.v.data() + run.v + 3);
  const Vec3d slip = v + kRadius * Vec3d(-w[1], w[0], 0.0);
  const double t1 = 2.0 * norm(slip) / (7.0 * kMu * kG);
  const Vec3d brake = (-kMu * kG / norm(slip)) * slip;
  run.go(kEnd);
  const Vec3d path = t1 * v + (0.5 * t1 * t1) * brake + (kEnd - t1) * (v + t1 * brake);
  return norm(run.position() - start - path);
}

// Torsional friction takes mu_t m g of torque from a solid sphere's spin.
double brake_spin(Steps how) {
  Run run(sim::make_spinning_ball(), how);
  run.go(0.5);
  return std::abs(run.spin()[2] - (20.0 - 0.5 * 0.002 * kG / (0.4 * 0.05 * 0.05)));
}

// Rolling friction stops it after v0^2 / 2 a, a = mu_r g / (7/5 r).
double roll_and_stop(Steps how) {
  const double v0 = 0.2, brake = 1e-3 * kG / (1.4 * 0.1);
  Run run(sim::make_rolling_ball(v0, 1e-3), how);
  const double start = run.position()[0];
  run.go(4.0);
  return std::abs(run.position()[0] - start - 0.5 * v0 * v0 / brake);
}

// ---- springs and pendulums
// ------------------------------------------------------------------------

// Cosines about +-mu m g / k, whose amplitude shrinks at each turn.
double oscillate(Steps how) {
  const sim::OscillatorSpec spec;
  const double dead = spec.friction * spec.mass * kG / spec.stiffness;
  const double rate = std::sqrt(spec.stiffness / spec.mass), end = 0.8;
  double turn = spec.stretch, t = end;
  for (; t > kPi / rate; t -= kPi / rate) turn = (turn > 0.0 ? 2.0 : -2.0) * dead - turn;
  const double center = turn > 0.0 ? dead : -dead;
  Run run(sim::make_coulomb_oscillator(spec), how);
  run.go(end);
  const model::Model& model = run.sample.scene.world.model;
  const double x = run.x.q[model.q_start[model.find_joint("sledge/spring")]];
  return std::abs(x - (center + (turn - center) * std::cos(rate * t)));
}

// A bar of 0.5 m, hung at its end and let go at 1.5 rad; on a joint, or a loose body on a hinge.
constexpr double kHalf = 0.25, kSwing = 1.5;

Sample make_pendulum(bool is_joint) {
  SceneBuilder builder("pendulum");
  const collision::Shape bar = collision::make_box({0.02, 0.02, kHalf});
  const Mat3d R = sim::make_rotation({0, 1, 0}, kSwing);
  if (is_joint) {
    sim::RobotSpec robot;
    robot.name = "pendulum";
    model::LinkSpec link;
    link.name = "bar", link.mass = 1.0;
    link.com = {0.0, 0.0, -kHalf};
    link.inertia = sim::calc_solid_inertia(bar).moments;
    robot.parts.add_link(link);
    model::JointSpec joint;
    joint.name = "pivot", joint.child = "bar";
    joint.type = model::JointType::kRevolute;
    joint.axis = Eigen::Vector3d::UnitY();
    robot.parts.add_joint(joint);
    robot.start = {{"pivot", kSwing}};
    builder.add_robot(robot);
  } else {
    builder.add_body({.name = "bar", .shape = bar, .pose = {R, R * Vec3d(0.0, 0.0, -kHalf)}});
    const Mat3d z_to_y = sim::make_rotation({1, 0, 0}, -0.5 * kPi);
    builder.add_loop({.kind = contact::LoopKind::kHinge,
                      .link_a = "bar",
                      .pose_a = {z_to_y, {0.0, 0.0, kHalf}},
                      .pose_b = {z_to_y, {}}});
  }
  return {builder.build(), {}, {}};
}

// Its angle at `end`, by Runge and Kutta's method with steps of 10 us.
double calc_swing(double end) {
  const double inertia =
      sim::calc_solid_inertia(collision::make_box({0.02, 0.02, kHalf})).moments(1, 1);
  const double rate = kG * kHalf / (inertia + kHalf * kHalf), dt = 1e-5;
  double a = kSwing, w = 0.0;
  for (long k = std::lround(end / dt); k > 0; --k) {
    const auto f = [&](double angle) { return -rate * std::sin(angle); };
    const double k1 = f(a), k2 = f(a + 0.5 * dt * w),
                 k3 = f(a + 0.5 * dt * w + 0.25 * dt * dt * k1);
    const double k4 = f(a + dt * w + 0.5 * dt * dt * k2);
    a += dt * w + dt * dt / 6.0 * (k1 + k2 + k3);
    w += dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  return a;
}

double swing(bool is_joint, Steps how) {
  constexpr double kEnd = 2.0;
  static const double expected = calc_swing(kEnd);
  Run run(make_pendulum(is_joint), how);
  run.go(kEnd);
  double angle = run.x.q[run.q];
  if (!is_joint) {
    const Vec3d down = run.attitude() * Vec3d(0.0, 0.0, -1.0);
    angle = std::atan2(-down[0], -down[2]);
  }
  return std::abs(angle - expected);
}

// ---- bodies that turn
// -----------------------------------------------------------------------------

Sample make_turning(const Vec3d& half, double mass, const Vec3d& spin) {
  SceneBuilder builder("turning");
  builder.set_gravity({});
  builder.add_body({.name = "box", .shape = collision::make_box(half), .mass = mass, .spin = spin});
  return {builder.build(), {}, {}};
}

// The axis of a symmetric body goes round the angular momentum L with |L| / I1.
double precess(Steps how) {
  const Vec3d half(0.1, 0.1, 0.3);
  Run run(make_turning(half, 1.0, {2.0, 0.0, 10.0}), how);
  const auto moments = sim::calc_solid_inertia(collision::make_box(half)).moments;
  const Vec3d L(2.0 * moments(0, 0), 0.0, 10.0 * moments(2, 2));
  run.go(1.0);
  const Mat3d R = sim::make_rotation((1.0 / norm(L)) * L, norm(L) / moments(0, 0));
  const Vec3d z(0.0, 0.0, 1.0);
  return norm(cross(run.attitude() * z, R * z));
}

// Angular momentum of a free box that tumbles (moments 0.97, 0.82, 0.17 kg m^2), after ten seconds.
double tumble(Steps how) {
  const Vec3d half(0.05, 0.2, 0.45), spin(0.1, 5.0, 0.1);
  Run run(make_turning(half, 12.0, spin), how);
  const auto moments = (12.0 * sim::calc_solid_inertia(collision::make_box(half)).moments).eval();
  const auto calc_momentum = [&] {
    const Mat3d R = run.attitude();
    const Vec3d w = transpose(R) * run.spin();
    return R * Vec3d(moments(0, 0) * w[0], moments(1, 1) * w[1], moments(2, 2) * w[2]);
  };
  const Vec3d before = calc_momentum();
  run.go(10.0);
  return norm(calc_momentum() - before) / norm(before);
}

constexpr ClosedForm kForms[] = {
    {"bouncing ball", "height at 0.8 s", "m", "e g t0 t - g t^2 / 2", bounce},
    {"ball on a ramp", "path in 0.5 s", "m", "5/14 g sin a t^2", roll_down},
    {"brick on a ramp", "path in 0.5 s", "m", "g (sin a - mu cos a) t^2 / 2", slide_down},
    {"brick that stops", "path", "m", "v0^2 / 2 g (mu cos a - sin a)", slide_and_stop},
    {"thrown ball", "path in 1 s", "m", "slides for 2 v0 / 7 mu g, rolls with 5/7 v0",
     slide_then_roll},
    {"billiard ball", "place at 1.5 s", "m", "a parabola, then straight", curve},
    {"spinning ball", "spin at 0.5 s", "rad/s", "w0 - mu_t m g t / I", brake_spin},
    {"rolling ball", "path", "m", "7/10 r v0^2 / mu_r g", roll_and_stop},
    {"Coulomb's oscillator", "place at 0.8 s", "m", "cosines about +-mu m g / k", oscillate},
    {"pendulum, joint", "angle at 2 s", "rad", "Runge-Kutta, 10 us",
     [](Steps how) { return swing(true, how); }},
    {"pendulum, hinge", "angle at 2 s", "rad", "Runge-Kutta, 10 us",
     [](Steps how) { return swing(false, how); }},
    {"symmetric top", "axis at 1 s", "rad", "goes round L with |L| / I1", precess},
    {"tumbling box", "angular momentum in 10 s", "of it", "kept", tumble},
};

}  // namespace

std::span<const ClosedForm> closed_forms() { return kForms; }

}  // namespace stance::bench
