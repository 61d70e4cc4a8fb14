// Joint limits, dry friction, mimic joints and loops, solved together with contacts.

#include <numbers>

#include <gtest/gtest.h>

#include "stance/dynamics/jacobian.h"
#include "stance/io/urdf.h"
#include "stance/scene/add_robot.h"

#include "heap_counter.h"
#include "simulation.h"

namespace stance::test {
namespace {

using model::JointSpec;
using model::JointType;
using model::LinkSpec;

constexpr double kGravity = 9.81;

LinkSpec make_rod(const std::string& name, double mass, double length) {
  LinkSpec link;
  link.name = name, link.mass = mass;
  link.com = {0.0, 0.0, -0.5 * length};
  const double across = mass * length * length / 12.0;
  link.inertia = Eigen::Vector3d(across, across, 1e-6).asDiagonal();
  return link;
}

JointSpec make_hinge(const std::string& name, const std::string& parent, const std::string& child,
                     const Eigen::Vector3d& at) {
  JointSpec joint;
  joint.name = name, joint.type = JointType::kRevolute;
  joint.parent = parent, joint.child = child;
  joint.p_PJ = at;
  joint.axis = Eigen::Vector3d::UnitY();
  return joint;
}

sim::World make_world(const model::ModelBuilder& builder) {
  return {.model = builder.build(), .shapes = collision::CollisionBuilder().build()};
}

struct Runner {
  explicit Runner(sim::World w) : world(std::move(w)), state(world), scratch(world) {}
  void run(double seconds, double h, const std::function<void()>& watch = {}) {
    for (int k = static_cast<int>(std::lround(seconds / h)); k > 0; --k) {
      report = sim::step(world, input, h, state, scratch);
      ASSERT_EQ(report.status, 0u) << "at " << state.time << " s";
      if (watch) watch();
    }
  }
  sim::World world;
  sim::State state;
  sim::Scratch scratch;
  sim::Input input;
  sim::StepReport report;
};

sim::World make_pendulum(double friction, double lower = -model::kInfinity,
                         double upper = model::kInfinity) {
  model::ModelBuilder builder("pendulum");
  builder.add_link(make_rod("rod", 1.0, 1.0));
  JointSpec joint = make_hinge("pivot", "", "rod", {0.0, 0.0, 0.0});
  joint.friction = friction, joint.lower = lower, joint.upper = upper;
  builder.add_joint(joint);
  return make_world(builder);
}

// m g l sin(angle) below the friction torque: it does not creep, however long.
TEST(DryFriction, HoldsWhatItCanHold) {
  const double angle = 0.3, torque = 0.5 * kGravity * std::sin(angle);
  Runner holding(make_pendulum(1.001 * torque));
  holding.state.q[0] = angle;
  holding.run(10.0, 1e-3);
  EXPECT_EQ(holding.state.q[0], angle);
  Runner sliding(make_pendulum(0.999 * torque));
  sliding.state.q[0] = angle;
  sliding.run(1.0, 1e-3);
  EXPECT_LT(sliding.state.q[0], angle - 1e-4);
}

// Every half swing loses the friction torque times the angle passed; the first turning point b
// after a follows from (m g l / 2)(cos b - cos a) = torque (a + b). First order in h.
TEST(DryFriction, TakesItsWorkFromASwing) {
  const double start = 1.0, torque = 0.3;
  double low = 0.0, high = start;  // bisection on the energy balance
  for (int k = 0; k < 100; ++k) {
    const double b = 0.5 * (low + high);
    const double left = 0.5 * kGravity * (std::cos(b) - std::cos(start)) - torque * (start + b);
    (left > 0.0 ? low : high) = b;
  }
  double errors[2];
  int n = 0;
  for (const double h : {1e-3, 5e-4}) {
    Runner swing(make_pendulum(torque));
    swing.state.q[0] = start;
    double lowest = start;
    swing.run(2.0, h, [&] { lowest = std::min(lowest, swing.state.q[0]); });
    errors[n++] = std::abs(-lowest - low);
  }
  EXPECT_LT(errors[0], 2e-3);
  EXPECT_LT(errors[1], 0.6 * errors[0]);
}

TEST(JointLimit, StopsAndNeverPulls) {
  Runner fall(make_pendulum(0.0, -0.2, 1.5));
  fall.state.q[0] = 1.0;
  double deepest = 0.0;
  fall.run(3.0, 1e-3, [&] {
    deepest = std::max(deepest, -0.2 - fall.state.q[0]);
    for (const contact::JointRow& row : fall.scratch.contact.joint_rows) ASSERT_GE(row.p, 0.0);
  });
  EXPECT_LT(deepest, 1e-5);
  // hits the stop on its way down past zero and swings back from there: no energy is given
  EXPECT_LT(std::abs(fall.state.q[0]), 0.2 + 1e-5);
}

TEST(JointLimit, RestsOnIt) {
  Runner rest(make_pendulum(0.0, 0.4, 2.0));
  rest.state.q[0] = 0.5;
  rest.run(3.0, 1e-3);
  EXPECT_NEAR(rest.state.q[0], 0.4, 2e-6);
  EXPECT_NEAR(rest.state.v[0], 0.0, 1e-12);
  // what the stop carries
  ASSERT_EQ(rest.scratch.contact.joint_rows.size(), 1u);
  EXPECT_NEAR(rest.scratch.contact.joint_rows[0].p / 1e-3, 0.5 * kGravity * std::sin(0.4), 1e-5);
}

// Two equal pendulums, the second bound to minus the first: M = 2 I, no torque left over, so the
// pair moves as if weightless about its start; bound to plus the first it swings as one.
TEST(Mimic, BindsTwoJoints) {
  for (const double ratio : {1.0, -1.0}) {
    model::ModelBuilder builder("pair");
    for (const char* name : {"a", "b"}) {
      builder.add_link(make_rod(std::string("rod_") + name, 1.0, 1.0));
      JointSpec joint = make_hinge(name, "", std::string("rod_") + name, {0.0, 0.0, 0.0});
      if (*name == 'b') joint.mimic = model::MimicSpec{"a", ratio, 0.0};
      builder.add_joint(joint);
    }
    Runner pair(make_world(builder));
    pair.state.q[0] = 0.4, pair.state.q[1] = ratio * 0.4;
    Runner single(make_pendulum(0.0));
    single.state.q[0] = 0.4;
    double apart = 0.0, worst = 0.0;
    for (int k = 0; k < 2000; ++k) {
      pair.run(1e-3, 1e-3), single.run(1e-3, 1e-3);
      apart = std::max(apart, std::abs(pair.state.q[1] - ratio * pair.state.q[0]));
      worst = std::max(worst, std::abs(pair.state.q[0] - single.state.q[0]));
    }
    EXPECT_LT(apart, 1e-9);
    EXPECT_LT(worst, 1e-9);  // by symmetry each moves as it would alone
  }
}

// A heavy leader and a light follower with an offset and a ratio, against the pendulum of their
// joint inertia.
TEST(Mimic, RatioAddsReflectedInertia) {
  const double ratio = 3.0;
  model::ModelBuilder builder("gear");
  builder.add_link(make_rod("leader", 1.0, 1.0));
  LinkSpec wheel;
  wheel.name = "wheel", wheel.mass = 0.5;
  wheel.inertia = Eigen::Vector3d(0.01, 0.02, 0.01).asDiagonal();
  builder.add_link(wheel);
  builder.add_joint(make_hinge("a", "", "leader", {0.0, 0.0, 0.0}));
  JointSpec joint = make_hinge("b", "", "wheel", {1.0, 0.0, 0.0});
  joint.mimic = model::MimicSpec{"a", ratio, 0.1};
  builder.add_joint(joint);
  Runner gear(make_world(builder));
  gear.state.q[0] = 0.5, gear.state.q[1] = ratio * 0.5 + 0.1;
  sim::World alone = make_pendulum(0.0);
  alone.model.rotor_inertia[0] = ratio * ratio * 0.02;
  Runner pendulum(std::move(alone));
  pendulum.state.q[0] = 0.5;
  gear.run(2.0, 1e-3), pendulum.run(2.0, 1e-3);
  EXPECT_NEAR(gear.state.q[0], pendulum.state.q[0], 1e-9);
  EXPECT_NEAR(gear.state.q[1], ratio * gear.state.q[0] + 0.1, 1e-8);
}

// A plate on two equal parallel bars: a parallelogram that swings as a pendulum with all of the
// plate's mass at the end of the bar, never turning.
struct FourBar {
  FourBar(contact::LoopKind kind, double start) {
    model::ModelBuilder builder("four_bar");
    for (const char* name : {"left", "right"}) builder.add_link(make_rod(name, 0.2, 1.0));
    LinkSpec plate;
    plate.name = "plate", plate.mass = 2.0, plate.com = {0.25, 0.0, 0.0};
    plate.inertia = Eigen::Vector3d(0.1, 0.1, 0.1).asDiagonal();
    builder.add_link(plate);
    builder.add_joint(make_hinge("a", "", "left", {0.0, 0.0, 0.0}));
    builder.add_joint(make_hinge("b", "", "right", {0.5, 0.0, 0.0}));
    builder.add_joint(make_hinge("c", "left", "plate", {0.0, 0.0, -1.0}));
    sim::World world = make_world(builder);
    contact::Loop loop;
    loop.kind = kind;
    loop.body_a = world.model.find_body("plate"), loop.body_b = world.model.find_body("right");
    loop.p_AF = {0.5, 0.0, 0.0}, loop.p_BG = {0.0, 0.0, -1.0};
    // the frame's z is the hinge's axis
    loop.R_AF = loop.R_BG = make_rotation({1.0, 0.0, 0.0}, -0.5 * std::numbers::pi);
    world.loops.push_back(loop);
    runner = std::make_unique<Runner>(std::move(world));
    const model::Model& m = runner->world.model;
    for (const char* name : {"a", "b", "c"})
      runner->state.q[m.q_start[m.find_joint(name)]] = *name == 'c' ? -start : start;
  }
  std::unique_ptr<Runner> runner;
};

TEST(Loop, FourBarSwingsAsAPendulum) {
  // closed form by the same integrator: one coordinate with the inertia and weight of the linkage
  const double bar = 0.2, plate = 2.0, start = 0.6;
  for (const auto kind : {contact::LoopKind::kBall, contact::LoopKind::kHinge}) {
    double errors[2];
    int n = 0;
    for (const double h : {1e-3, 5e-4}) {
      FourBar bars(kind, start);
      double angle = start, rate = 0.0, worst = 0.0;
      const double inertia = 2.0 * bar / 3.0 + plate, weight = kGravity * (bar + plate);
      double time = 0.0, loop_error = 0.0;
      bars.runner->run(3.0, h, [&] {
        // fine steps of the closed form
        for (int k = 0; k < 100; ++k) {
          rate -= 0.01 * h * weight / inertia * std::sin(angle + 0.005 * h * rate);
          angle += 0.01 * h * rate;
        }
        time += h;
        worst = std::max(worst, std::abs(bars.runner->state.q[0] - angle));
        loop_error = std::max(loop_error, bars.runner->report.contact.loop_error);
      });
      errors[n++] = worst;
      EXPECT_LT(loop_error, 1e-5);
      // the plate does not turn
      const auto& q = bars.runner->state.q;
      const model::Model& m = bars.runner->world.model;
      EXPECT_NEAR(q[m.q_start[m.find_joint("a")]] + q[m.q_start[m.find_joint("c")]], 0.0, 1e-5);
    }
    EXPECT_LT(errors[0], 0.02) << static_cast<int>(kind);
    EXPECT_LT(errors[1], 0.6 * errors[0]);
  }
}

// Loops that cannot all be closed: no crash, no lost number, and the report says how far off.
TEST(Loop, ContradictionIsReported) {
  FourBar bars(contact::LoopKind::kBall, 0.3);
  sim::World world = bars.runner->world;
  contact::Loop far = world.loops[0];
  far.p_BG = {0.0, 0.0, -0.5};  // the same point of the plate, elsewhere on the bar
  world.loops.push_back(far);
  contact::Loop weld = world.loops[0];
  weld.kind = contact::LoopKind::kWeld, weld.body_b = 0, weld.p_BG = {5.0, 0.0, 0.0};
  world.loops.push_back(weld);
  Runner hopeless(std::move(world));
  hopeless.state.q = bars.runner->state.q;
  for (int k = 0; k < 200; ++k) {
    const sim::StepReport report =
        sim::step(hopeless.world, {}, 1e-3, hopeless.state, hopeless.scratch);
    EXPECT_GT(report.contact.loop_error, 0.1);
    EXPECT_EQ(report.status & sim::kNotFinite, 0u);
    for (const double q : hopeless.state.q) ASSERT_TRUE(std::isfinite(q));
  }
}

// A free body welded to the world hangs there; its weight is what the weld carries.
TEST(Loop, WeldCarriesWeight) {
  SceneBuilder scene("weld");
  scene.add_body({.name = "block",
                  .shape = make_box({0.1, 0.1, 0.1}),
                  .mass = 3.0,
                  .pose = {.p = {0.0, 0.0, 1.0}}});
  scene.add_loop({.kind = contact::LoopKind::kWeld,
                  .link_a = "block",
                  .pose_a = {.p = {0.1, 0.0, 0.0}},
                  .pose_b = {.p = {0.1, 0.0, 1.0}}});
  Simulation s(scene.build());
  s.run(1.0, 1e-3);
  EXPECT_LT(norm(s.position() - Vec3d(0.0, 0.0, 1.0)), 1e-5);
  EXPECT_LT(s.fastest(), 1e-10);
  ASSERT_EQ(s.scratch.contact.loop_blocks.size(), 2u);
  EXPECT_NEAR(s.scratch.contact.loop_blocks[0].p[2] / 1e-3, 3.0 * kGravity, 1e-5);
}

// A distance between two free balls is kept while they spin about each other; momentum stays.
TEST(Loop, DistanceOfADumbbell) {
  SceneBuilder scene("dumbbell");
  scene.set_gravity({});
  for (const double side : {-1.0, 1.0})
    scene.add_body({.name = side < 0.0 ? "a" : "b",
                    .shape = make_sphere(0.05),
                    .pose = {.p = {0.5 * side, 0.0, 0.0}},
                    .velocity = {0.1, 2.0 * side, 0.0}});
  scene.add_loop(
      {.kind = contact::LoopKind::kDistance, .link_a = "a", .link_b = "b", .length = 1.0});
  Simulation s(scene.build());
  double worst = 0.0;
  s.run(3.0, 1e-3,
        [&] { worst = std::max(worst, std::abs(norm(s.position(0) - s.position(1)) - 1.0)); });
  EXPECT_LT(worst, 1e-4);
  const Vec3d momentum = s.velocity(0) + s.velocity(1);
  EXPECT_LT(norm(momentum - Vec3d(0.2, 0.0, 0.0)), 1e-12);
}

// A ball on a rod from a hook lands on the floor that the hook belongs to. Once a constraint to the
// world put the whole world out of the body's way.
TEST(Loop, WhatHangsOnTheWorldStillMeetsTheFloor) {
  SceneBuilder scene("rope");
  scene.add_fixed(make_plane(), {});
  scene.add_body({.name = "ball", .shape = make_sphere(0.05), .pose = {.p = {0.0, 0.0, 0.5}}});
  scene.add_loop({.kind = contact::LoopKind::kDistance,
                  .link_a = "ball",
                  .link_b = "",
                  .pose_b = {.p = {1.0, 0.0, 0.5}},
                  .length = 1.0});
  Simulation s(scene.build());
  double lowest = 1.0;
  s.run(2.0, 1e-3, [&] { lowest = std::min(lowest, s.position()[2]); });
  EXPECT_NEAR(lowest, 0.05, 1e-3);
  EXPECT_NEAR(norm(s.position() - Vec3d(1.0, 0.0, 0.5)), 1.0, 1e-4);
}

// ---- all of it together
// ---------------------------------------------------------------------------

// A humanoid falls on the floor: contacts, dry friction in thirty joints, limits as they come.
struct Falling {
  explicit Falling(int threads = 1, double h = 1e-3) : step_size(h) {
    const io::Robot robot = io::load_urdf(std::string(STANCE_SOURCE_DIR) + "/models/humanoid.urdf");
    SceneBuilder scene("falling");
    scene.add_fixed(make_plane(), {});
    scene.contact().threads = threads;
    scene::add_robot(robot, {.name = "one", .base = {.p = {0.0, 0.0, 1.2}}}, scene);
    scene::add_robot(robot, {.name = "two", .base = {.p = {3.0, 0.0, 1.2}}}, scene);
    simulation = std::make_unique<Simulation>(scene.build());
    Simulation& s = *simulation;
    s.state.v[0] = 1.0, s.state.v[4] = 0.5;
  }
  sim::StepReport step() {
    Simulation& s = *simulation;
    return sim::step(s.world, {}, step_size, s.state, s.scratch);
  }
  double step_size;
  std::unique_ptr<Simulation> simulation;
};

constexpr int kSteps = kIsSlow ? 900 : 1500;

// The velocities that the impulses of all rows lead to are those that the rows were solved for:
// bodies and coordinates respond to each other as M^-1 says.
TEST(AllRows, VelocitiesAreWhatTheRowsSay) {
  Falling fall;
  int limits = 0, points = 0, unconverged = 0;
  for (int k = 0; k < kSteps; ++k) {
    const sim::StepReport report = fall.step();
    ASSERT_EQ(report.status & ~sim::kNotConverged, 0u);
    unconverged += report.status != 0;
    const Simulation& s = *fall.simulation;
    const model::Model& model = s.world.model;
    for (const contact::JointRow& row : s.scratch.contact.joint_rows) {
      ASSERT_NEAR(row.u, row.c1 * s.state.v[row.k1], 1e-9 * (1.0 + std::abs(row.u)));
      limits += row.kind == contact::JointRowKind::kLimit && row.p > 0.0;
      if (row.kind == contact::JointRowKind::kFriction) {
        ASSERT_LE(std::abs(row.p), row.bound * (1.0 + 1e-12));
        ASSERT_LE(row.p * row.u, 1e-9);
      }
    }
    dynamics::Velocities<double> after(model);
    update_velocities(model, s.scratch.start.kin(), std::span<const double>(s.state.v), after);
    for (int i = 0; i < s.scratch.contact.points.size(); ++i) {
      const auto& point = s.scratch.contact.points[i];
      const int body = point.body_a != 0 ? point.body_a : point.body_b;
      if (point.body_a != 0 && point.body_b != 0) continue;
      const double sign = point.body_a != 0 ? 1.0 : -1.0;
      const Vec3d r = point.p_W - s.scratch.start.kin().p_WO[model.tree[body]];
      const Vec3d speed = sign * (after.V[body].lin + cross(after.V[body].ang, r));
      ASSERT_NEAR(dot(point.n_W, speed), s.scratch.contact.contacts[i].u[0], 1e-8);
      points += s.scratch.contact.contacts[i].p[0] > 0.0;
    }
  }
  EXPECT_GT(points, 100);
  EXPECT_GT(limits, 10);
  EXPECT_LT(unconverged, kSteps / 100);
  RecordProperty("unconverged", unconverged);
}

TEST(AllRows, AsksForNoMemory) {
  Falling fall;
  for (int k = 0; k < kSteps; ++k) (void)fall.step();
  // more may touch than ever before while it still falls: these steps once, and once more
  const sim::State before = fall.simulation->state;
  for (int k = 0; k < 50; ++k) (void)fall.step();
  fall.simulation->state = before;
  const bench::HeapCounter counter;
  for (int k = 0; k < 50; ++k) (void)fall.step();
  EXPECT_EQ(counter.calls(), 0);
}

// Same bits on one, two and three threads.
TEST(AllRows, ThreadsDoNotChangeABit) {
  Falling one(1), two(2), three(3);
  for (int k = 0; k < kSteps / 2; ++k) (void)one.step(), (void)two.step(), (void)three.step();
  EXPECT_EQ(one.simulation->state.q, two.simulation->state.q);
  EXPECT_EQ(one.simulation->state.v, two.simulation->state.v);
  EXPECT_EQ(one.simulation->state.q, three.simulation->state.q);
}

// The account of energy: what is left over is the integrator's, and falls with the step.
TEST(Energy, WhatIsLeftOverFallsWithTheStep) {
  double errors[2];
  int n = 0;
  for (const double h : {1e-3, 5e-4}) {
    Falling fall(1, h);
    double error = 0.0;
    for (int k = 0; k < static_cast<int>(std::lround(0.3 / h)); ++k)
      error = fall.step().energy_error;
    errors[n++] = std::abs(error);
  }
  const double scale = 80.0 * kGravity;  // J: a humanoid falling a metre
  EXPECT_LT(errors[0], 1e-2 * scale);
  EXPECT_LT(errors[1], 0.6 * errors[0]);
}

TEST(Energy, DrivesAndDampersAreBooked) {
  // no gravity, no contact: a spring drive swings a damped rod; the account must close
  model::ModelBuilder builder("drive");
  builder.add_link(make_rod("rod", 1.0, 1.0));
  JointSpec joint = make_hinge("pivot", "", "rod", {0.0, 0.0, 0.0});
  joint.damping = 0.2, joint.friction = 0.1;
  builder.add_joint(joint);
  sim::World world = make_world(builder);
  world.gravity = {};
  Runner drive(std::move(world));
  const std::vector<double> stiffness = {50.0}, damping = {0.5}, target = {1.0}, tau = {0.3};
  drive.input = {tau, stiffness, damping, target};
  drive.run(2.0, 1e-3);
  const sim::EnergyAccount& account = drive.state.energy;
  EXPECT_GT(account.input, 0.01);
  EXPECT_LT(account.joints, -0.01);
  // one coordinate of constant inertia: nothing is left to the integrator but rounding
  EXPECT_NEAR(drive.report.energy_error, 0.0, 1e-12);
}

}  // namespace
}  // namespace stance::test
