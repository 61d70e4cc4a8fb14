// Motions that are smooth, with forces of constraints and lasting contacts, and bounces that keep
// energy.

#include <cmath>
#include <utility>

#include "stance/dynamics/centroidal.h"
#include "stance/sim/sample_scenes.h"
#include "stance/sim/step.h"

#include "sim/closed_forms.h"

namespace stance::bench {
namespace {

using kernel::Mat3d;
using kernel::Vec3d;
using sim::SceneBuilder;

constexpr double kG = 9.81, kPi = 3.14159265358979323846;
const Vec3d kUp(0.0, 0.0, 1.0);

// A scene while it runs.
struct Run {
  Run(sim::Scene scene_, Steps how)
      : scene(std::move(scene_)), h(how.h), x(scene.start), scratch(scene.world) {
    scene.world.integrator = how.integrator;
  }
  void go(double seconds) {
    for (long k = std::lround(seconds / h); k > 0; --k)
      report = sim::step(scene.world, {}, h, x, scratch);
  }
  // Kinetic and potential, of the state as it is.
  double calc_energy() {
    const dynamics::Bodies& at = update_start(scene.world, x, scratch);
    return calc_kinetic_energy(scene.world.model, at.inertias(), at.vel(),
                               std::span<const double>(x.v)) +
           calc_potential_energy(scene.world.model, scene.world.gravity, at.kin(), at.inertias());
  }
  // What it gains or loses within so many seconds.
  double calc_loss(double seconds) {
    const double before = calc_energy();
    go(seconds);
    return std::abs(calc_energy() - before);
  }
  const dynamics::Kinematics<double>& kin() { return update_start(scene.world, x, scratch).kin(); }
  Mat3d attitude(int body) { return kin().R_WB[body]; }
  Vec3d place(int body) {
    return kin().calc_position(scene.world.model, model::BodyIndex(body), Vec3d());
  }

  sim::Scene scene;
  double h;
  sim::State x;
  sim::Scratch scratch;
  sim::StepReport report;
};

// ---- a rod on a pivot ---------------------------------------------------------------------------

// Of 1 m, hung at one end, from `start` rad on; on a joint, or a loose body on a hinge. The rod
// lies along x at zero and turns about y.
sim::Scene make_rod(bool is_joint, double start) {
  constexpr double kHalf = 0.5;
  SceneBuilder builder("rod");
  const collision::Shape rod = collision::make_box({kHalf, 0.01, 0.01});
  if (is_joint) {
    sim::RobotSpec robot;
    robot.name = "rod";
    model::LinkSpec link;
    link.name = "rod", link.mass = 1.0, link.com = {kHalf, 0.0, 0.0};
    link.inertia = sim::calc_solid_inertia(rod).moments;
    robot.parts.add_link(link);
    model::JointSpec joint;
    joint.name = "pivot", joint.child = "rod", joint.axis = Eigen::Vector3d::UnitY();
    joint.type = model::JointType::kRevolute;
    robot.parts.add_joint(joint);
    robot.start = {{"pivot", start}};
    builder.add_robot(robot);
  } else {
    const Mat3d R = sim::make_rotation({0, 1, 0}, start);
    builder.add_body({.name = "rod", .shape = rod, .pose = {R, R * Vec3d(kHalf, 0.0, 0.0)}});
    const Mat3d z_to_y = sim::make_rotation({1, 0, 0}, -0.5 * kPi);
    builder.add_loop({.kind = contact::LoopKind::kHinge,
                      .link_a = "rod",
                      .pose_a = {z_to_y, {-kHalf, 0.0, 0.0}},
                      .pose_b = {z_to_y, {}}});
  }
  return builder.build();
}

// Where its tip is after `end` s, by Runge and Kutta's method with steps of 20 us.
Vec3d calc_tip(double end) {
  const double inertia =
      sim::calc_solid_inertia(collision::make_box({0.5, 0.01, 0.01})).moments(1, 1) + 0.25;
  const double rate = 0.5 * kG / inertia, dt = 2e-5;
  double a = 0.0, w = 0.0;  // downwards from the horizontal
  for (long k = std::lround(end / dt); k > 0; --k) {
    const auto f = [&](double angle) { return rate * std::cos(angle); };
    const double k1 = f(a), k2 = f(a + 0.5 * dt * w);
    const double k3 = f(a + 0.5 * dt * w + 0.25 * dt * dt * k1);
    const double k4 = f(a + dt * w + 0.5 * dt * dt * k2);
    a += dt * w + dt * dt / 6.0 * (k1 + k2 + k3);
    w += dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  return {std::cos(a), 0.0, -std::sin(a)};
}

double find_tip(bool is_joint, Steps how) {
  constexpr double kEnd = 5.0;
  static const Vec3d expected = calc_tip(kEnd);
  Run run(make_rod(is_joint, 0.0), how);
  run.go(kEnd);
  const Vec3d tip = run.place(1) + run.attitude(1) * Vec3d(is_joint ? 1.0 : 0.5, 0.0, 0.0);
  return norm(tip - expected);
}

// ---- a top --------------------------------------------------------------------------------------

// A wheel on a stem of 0.1 m, its foot in a ball joint: precesses steadily at a tilt whose tangent
// is 1/2 where cos(tilt) I1 W^2 - I3 w3 W + m g l = 0. On a spherical joint or a loop.
struct Top {
  static constexpr double kLength = 0.1, kSpin = 150.0;
  collision::Shape wheel = collision::make_cylinder(0.1, 0.02);
  double tilt = std::atan(0.5), rate = 0.0;

  Top() {
    const auto moments = sim::calc_solid_inertia(wheel).moments;
    const double i1 = moments(0, 0) + kLength * kLength, i3 = moments(2, 2);
    const double b = i3 * kSpin, c = kG * kLength, a = std::cos(tilt) * i1;
    rate = 2.0 * c / (b + std::sqrt(b * b - 4.0 * a * c));
  }
  sim::Scene make(bool is_joint) const {
    SceneBuilder builder("top");
    const Mat3d R = sim::make_rotation({0, 1, 0}, tilt);
    const Vec3d axis = R * kUp, spin = kSpin * axis + rate * (kUp - std::cos(tilt) * axis);
    if (!is_joint) {
      builder.add_body({.name = "wheel",
                        .shape = wheel,
                        .pose = {R, kLength * axis},
                        .velocity = cross(spin, kLength * axis),
                        .spin = spin});
      builder.add_loop({.link_a = "wheel", .pose_a = {Mat3d::identity(), {0.0, 0.0, -kLength}}});
      return builder.build();
    }
    sim::RobotSpec robot;
    robot.name = "top";
    model::LinkSpec link;
    link.name = "wheel", link.mass = 1.0, link.com = {0.0, 0.0, kLength};
    link.inertia = sim::calc_solid_inertia(wheel).moments;
    robot.parts.add_link(link);
    model::JointSpec joint;
    joint.name = "foot", joint.child = "wheel", joint.type = model::JointType::kSpherical;
    robot.parts.add_joint(joint);
    builder.add_robot(robot);
    sim::Scene scene = builder.build();
    const Vec3d half(0.0, std::sin(0.5 * tilt), 0.0);
    scene.start.q = {std::cos(0.5 * tilt), half[0], half[1], half[2]};
    scene.start.v = {spin[0], spin[1], spin[2]};
    return scene;
  }
};

// Tilt after ten seconds, rad.
double keep_tilt(bool is_joint, Steps how) {
  const Top top;
  Run run(top.make(is_joint), how);
  run.go(10.0);
  return std::abs(std::acos(dot(run.attitude(1) * kUp, kUp)) - top.tilt);
}

// ---- rolling ------------------------------------------------------------------------------------

// A ball rolls on a table that turns with W: its centre goes round a circle with 2/7 W.
double roll_on_turntable(Steps how) {
  constexpr double kTurn = 3.0, kRadius = 0.1, kEnd = 2.0;
  const Vec3d x0(1.0, 0.0, kRadius), v0(0.3, 0.0, 0.0);
  SceneBuilder builder("turntable");
  builder.set_material(0, {.friction = 1.0});
  sim::RobotSpec table;
  table.name = "table";
  model::LinkSpec link;
  link.name = "plate", link.mass = 1e6;
  const collision::Shape plate = collision::make_cylinder(4.0, 0.1);
  link.inertia = 1e6 * sim::calc_solid_inertia(plate).moments;
  table.parts.add_link(link);
  model::JointSpec joint;
  joint.name = "axle", joint.child = "plate", joint.type = model::JointType::kRevolute;
  joint.axis = Eigen::Vector3d::UnitZ();
  table.parts.add_joint(joint);
  table.shapes.push_back({"plate", plate, {Mat3d::identity(), {0.0, 0.0, -0.1}}, 0});
  builder.add_robot(table);
  const Vec3d slip = kTurn * cross(kUp, x0) - v0;
  builder.add_body({.name = "ball",
                    .shape = collision::make_sphere(kRadius),
                    .pose = {Mat3d::identity(), x0},
                    .velocity = v0,
                    .spin = (-1.0 / kRadius) * cross(kUp, slip)});
  sim::Scene scene = builder.build();
  scene.start.v[scene.world.model.v_start[scene.world.model.find_joint("table/axle")]] = kTurn;
  const int ball = scene.bodies[0];
  Run run(std::move(scene), how);
  run.go(kEnd);
  const double rate = 2.0 / 7.0 * kTurn, a = rate * kEnd;
  const Vec3d way = (1.0 / rate) * (std::sin(a) * v0 + (1.0 - std::cos(a)) * cross(kUp, v0));
  return norm(run.place(ball) - x0 - way);
}

// A disk that rolls round on its edge while its centre stays where it is (Euler's disk without
// losses): W^2 sin a (I1 cos a - I3 d / R sin a) = m g (R cos a - d sin a), a from the floor.
double roll_round(Steps how) {
  constexpr double kRadius = 0.1, kHalf = 0.005, kTilt = 0.5, kEnd = 1.0;
  const collision::Shape disk = collision::make_cylinder(kRadius, kHalf);
  const auto moments = sim::calc_solid_inertia(disk).moments;
  const double s = std::sin(kTilt), c = std::cos(kTilt);
  const double rate = std::sqrt(kG * (kRadius * c - kHalf * s) /
                                (s * (moments(0, 0) * c - moments(2, 2) * kHalf / kRadius * s)));
  SceneBuilder builder("disk");
  builder.set_material(0, {.friction = 2.0});
  builder.add_fixed(collision::make_plane(), {});
  const Mat3d R = sim::make_rotation({0, 1, 0}, kTilt);
  const Vec3d e = R * Vec3d(-1.0, 0.0, 0.0), axis = R * kUp;  // upwards along the disk, its axis
  const double along = rate * s;
  const Vec3d start(0.0, 0.0, kRadius * s + kHalf * c);
  builder.add_body({.name = "disk",
                    .shape = disk,
                    .pose = {R, start},
                    .spin = along * (e + (kHalf / kRadius) * axis)});
  Run run(builder.build(), how);
  run.go(kEnd);
  return norm(run.place(1) - start) +
         kRadius * std::abs(std::acos(dot(run.attitude(1) * kUp, kUp)) - kTilt);
}

// ---- bounces ------------------------------------------------------------------------------------

sim::Scene make_bouncing(const collision::Shape& shape, const Vec3d& spin) {
  SceneBuilder builder("bouncing");
  builder.set_material(0, {.friction = 0.0, .restitution = 1.0});
  builder.add_fixed(collision::make_plane(), {});
  builder.add_body(
      {.name = "body", .shape = shape, .pose = {Mat3d::identity(), {0.0, 0.0, 1.0}}, .spin = spin});
  return builder.build();
}

// Two bars of 0.4 m on a joint, falling onto the floor.
sim::Scene make_flail() {
  SceneBuilder builder("flail");
  builder.set_material(0, {.friction = 0.0, .restitution = 1.0});
  builder.add_fixed(collision::make_plane(), {});
  sim::RobotSpec robot;
  robot.name = "flail";
  const collision::Shape bar = collision::make_capsule(0.03, 0.2);
  for (const char* name : {"upper", "lower"}) {
    model::LinkSpec link;
    link.name = name, link.mass = 1.0;
    link.inertia = sim::calc_solid_inertia(bar).moments;
    robot.parts.add_link(link);
    robot.shapes.push_back({name, bar, {}, 0});
  }
  model::JointSpec joint;
  joint.name = "base", joint.child = "upper", joint.type = model::JointType::kFree;
  robot.parts.add_joint(joint);
  joint.name = "hinge", joint.parent = "upper", joint.child = "lower";
  joint.type = model::JointType::kRevolute, joint.axis = Eigen::Vector3d::UnitY();
  joint.p_PJ = {0.0, 0.0, -0.5};
  robot.parts.add_joint(joint);
  robot.base = {sim::make_rotation({0, 1, 0}, 1.0), {0.0, 0.0, 1.2}};
  robot.start = {{"hinge", 0.5}};
  builder.add_robot(robot);
  return builder.build();
}

constexpr ClosedForm kForms[] = {
    {"rod of 1 m, joint", "tip at 5 s", "m", "Runge-Kutta, 20 us",
     [](Steps how) { return find_tip(true, how); }},
    {"rod of 1 m, hinge", "tip at 5 s", "m", "Runge-Kutta, 20 us",
     [](Steps how) { return find_tip(false, how); }},
    {"rod of 1 m, joint", "energy in 60 s", "J", "kept",
     [](Steps how) { return Run(make_rod(true, 0.0), how).calc_loss(60.0); }},
    {"rod of 1 m, hinge", "energy in 60 s", "J", "kept",
     [](Steps how) { return Run(make_rod(false, 0.0), how).calc_loss(60.0); }},
    {"top, spherical joint", "tilt at 10 s", "rad", "steady precession",
     [](Steps how) { return keep_tilt(true, how); }},
    {"top, ball", "tilt at 10 s", "rad", "steady precession",
     [](Steps how) { return keep_tilt(false, how); }},
    {"ball on a turntable", "place at 2 s", "m", "circle with 2/7 of the rate", roll_on_turntable},
    {"disk that rolls round", "place and tilt at 1 s", "m", "steady precession", roll_round},
    {"elastic ball", "energy in 10 s", "J", "kept",
     [](Steps how) {
       return Run(make_bouncing(collision::make_sphere(0.1), {}), how).calc_loss(10.0);
     }},
    {"elastic box", "energy in 10 s", "J", "kept",
     [](Steps how) {
       return Run(make_bouncing(collision::make_box({0.1, 0.15, 0.2}), {3.0, 4.0, 5.0}), how)
           .calc_loss(10.0);
     }},
    {"elastic flail", "energy in 2 s", "J", "kept",
     [](Steps how) { return Run(make_flail(), how).calc_loss(2.0); }},
};

}  // namespace

std::span<const ClosedForm> smooth_forms() { return kForms; }

}  // namespace stance::bench
