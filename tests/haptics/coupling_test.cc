// Device and physics together, on one simulated clock.

#include <cmath>

#include <gtest/gtest.h>

#include "stance/dynamics/jacobian.h"
#include "stance/haptics/check/emulator.h"
#include "stance/haptics/check/figures.h"
#include "stance/haptics/check/lock_step.h"
#include "stance/io/scene.h"

namespace stance::haptics {
namespace {

constexpr const char* kBall = R"(
version: 1
duration: 60
objects:
  ball: {shape: {sphere: {radius: 0.05}}, mass: 1.0, position: [0, 0, 0.5]}
environment:
  floor: {shape: {plane: {}}}
)";

// ---- the figures ------------------------------------------------------------------------------

TEST(Figures, EachIsReached) {
  for (const Figure& figure : measure_figures())
    EXPECT_TRUE(figure.is_reached) << figure.name << ": " << figure.value << " " << figure.unit
                                   << ", wanted " << figure.wanted;
}

// Without the bound and the account the same hand on the same wall shakes itself loose: the figures
// can fail.
TEST(Figures, FailWithoutWhatMakesThemHold) {
  WallTest wall;
  wall.hand.latency = 5e-3;
  wall.loop.use_bound = wall.loop.use_account = false;
  const WallResult shaken = press_on_wall(wall);
  EXPECT_FALSE(shaken.is_stable());
  EXPECT_GT(shaken.overdrawn, 1e-3);

  // the account alone keeps it passive
  wall.loop.use_account = true;
  EXPECT_LE(press_on_wall(wall).overdrawn, 1e-9);
}

// ---- holding ----------------------------------------------------------------------------------

TEST(Coupling, TakingHoldDoesNotJerk) {
  const scene::Scene scene = io::parse_scene(kBall, "ball");
  EmulatedDevice device({}, [](double) { return Intention{{0.3, 0.1, 0.8}, {}}; });
  LockStep run(scene, device, {}, {.hold = "ball"});
  run.run(0.005);
  EXPECT_LT(norm(run.loop().probe().force), 0.5);  // at 2,000 N/m the distance would be 800 N
  EXPECT_EQ(run.module().view().held, "ball");
}

// The held body follows the handle, and the hand feels its inertia: at 2 Hz and 5 cm the mass of
// 1 kg needs m a, which the spring shows.
TEST(Coupling, TheHandFeelsTheMassOfWhatItMoves) {
  const scene::Scene scene = io::parse_scene(kBall, "ball");
  HandOptions hand;
  hand.stiffness = 5000.0, hand.hand_damping = 20.0, hand.max_force = 100.0;
  const double w = 2.0 * M_PI * 1.0, a = 0.03;
  EmulatedDevice device(hand, [=](double time) {
    return Intention{{a * (1.0 - std::cos(w * time)), 0, 0.5}, {a * w * std::sin(w * time), 0, 0}};
  });
  LockStep run(scene, device, {}, {.hold = "ball"});
  double most = 0.0;
  run.after_tick = [&](double time) {
    if (time > 2.0) most = std::max(most, std::abs(run.loop().probe().force[0]));
  };
  run.run(4.0);
  // m a w^2, and what the damper on the object's side takes over of it is little
  EXPECT_NEAR(most, a * w * w, 0.1 * a * w * w);
}

// With the bound for 5 ms, the object's side is as soft as the device's.
TEST(Coupling, BothSidesHaveTheSameForceAtRest) {
  const scene::Scene scene = io::parse_scene(kBall, "ball");
  HandOptions hand;
  hand.latency = 5e-3;
  EmulatedDevice device(hand, [](double) { return Intention{{0, 0, 0.5}, {}}; });
  LockStep run(scene, device, {}, {.hold = "ball"});
  run.run(20.0);
  ASSERT_EQ(run.scene().outside().pulls().size(), 1u);
  const Vec3d pull = run.scene().outside().pulls()[0].drag.force;
  EXPECT_NEAR(pull[2], 9.81, 1e-3);
  EXPECT_NEAR(run.loop().probe().force[2], -9.81, 1e-3);
}

// A grain of 1 g at 2,000 N/m would leave an explicit spring at 1 ms; it is held as stiffly as
// anything, and the device feels just its weight.
TEST(Coupling, LightThingsWeighWhatTheyWeigh) {
  const scene::Scene scene = io::parse_scene(R"(
version: 1
objects:
  grain: {shape: {sphere: {radius: 0.005}}, mass: 0.001, position: [0, 0, 0.5]}
)",
                                             "grain");
  EmulatedDevice device({}, [](double) { return Intention{{0, 0, 0.5}, {}}; });
  LockStep run(scene, device, {}, {.hold = "grain"});
  run.run(5.0);
  EXPECT_NEAR(run.loop().probe().force[2], -9.81e-3, 1e-5);
  const sim::Drag& drag = run.scene().outside().pulls()[0].drag;
  EXPECT_NEAR(drag.target[2] - drag.position[2], 9.81e-3 / 2000.0, 1e-8);
}

TEST(Coupling, TurnsWhatIsHeld) {
  class Turned final : public Device {
   public:
    Turned() { facts_.has_orientation = true, facts_.name = "turned", facts_.workspace = 0.5; }
    const DeviceFacts& facts() const override { return facts_; }
    Reading read(double now, DeviceSample& sample) override {
      const double angle = std::min(now, 1.0);
      sample.position = {0, 0, 0.5};
      sample.orientation = Mat3d(Vec3d(std::cos(angle), std::sin(angle), 0),
                                 Vec3d(-std::sin(angle), std::cos(angle), 0), Vec3d(0, 0, 1));
      return Reading::kFresh;
    }
    void write(double, const DeviceForce&) override {}

   private:
    DeviceFacts facts_;
  } device;
  const scene::Scene scene = io::parse_scene(kBall, "ball");
  LockStep run(scene, device, {}, {.hold = "ball"});
  run.run(3.0);
  const sim::World& world = run.scene().part().scene.world;
  dynamics::Kinematics<double> kin(world.model);
  update_kinematics(world.model, std::span<const double>(run.scene().state().q), kin);
  const auto body = world.model.frames[world.model.find_frame("ball")].body;
  EXPECT_NEAR(std::atan2(kin.R_WB[body](1, 0), kin.R_WB[body](0, 0)), 1.0, 1e-3);
}

// ---- physics slower than the device
// --------------------------------------------------------------

// Something is dragged to and fro in jerks about where it is. After every fifth step the local
// model goes on for five periods by itself, along the same path of the probe, and is compared with
// where the physics, which took the steps, has the point then. m, root of mean squares: solved
// again, and straight on.
struct Prediction {
  double solved = 0.0, straight = 0.0;
  int most_blocks = 0;
};
Prediction predict(const scene::Scene& scene, const std::string& name, double size,
                   double stiffness) {
  run::Simulation run(scene);
  const model::Model& model = run.part().scene.world.model;
  const model::BodyIndex body = model.frames[model.find_frame(name)].body;
  dynamics::Kinematics<double> kin(model);
  dynamics::Velocities<double> velocities(model);
  LocalModelMaker maker(model);
  LocalMotion solved, straight;
  const auto local = std::make_unique<LocalModel>();
  update_kinematics(model, std::span<const double>(run.state().q), kin);
  const Vec3d middle = kin.calc_position(model, body, Vec3d());
  sim::DragBody drag{.body = name, .stiffness = stiffness};
  Prediction out;
  int count = 0;
  for (int k = 0; k < 3000; ++k) {
    const double t = 1e-3 * k, a = size, b = 0.5 * size;
    drag.to = middle + Vec3d(a * std::sin(25.0 * t), b * std::sin(17.0 * t), 0.0);
    drag.velocity = {25.0 * a * std::cos(25.0 * t), 17.0 * b * std::cos(17.0 * t), 0.0};
    run.apply({"device", drag});
    run.step();
    update_kinematics(model, std::span<const double>(run.state().q), kin);
    update_velocities(model, kin, std::span<const double>(run.state().v), velocities);
    const Vec3d point = kin.calc_position(model, body, Vec3d());
    const Vec3d there = drag.to + 1e-3 * drag.velocity;  // at the end of the step
    if (k > 100) solved.advance(*local, 1e-3, there, drag.velocity);
    if (k > 100) straight.go_on(*local, 1e-3);
    if (k % 5 == 0 && k > 100) {
      out.solved += dot(solved.position() - point, solved.position() - point);
      out.straight += dot(straight.position() - point, straight.position() - point);
      ++count;
    }
    if (k % 5 == 0 && k >= 100) {
      local->position = point;
      local->velocity = calc_point_velocity(kin, velocities, body, Vec3d());
      maker.update(run.view(), run.outside().pulls()[0].drag, *local);
      EXPECT_TRUE(local->is_known) << name;
      out.most_blocks = std::max(out.most_blocks, local->num_blocks);
      solved.start(*local), straight.start(*local);
    }
  }
  out.solved = std::sqrt(out.solved / count), out.straight = std::sqrt(out.straight / count);
  return out;
}

constexpr const char* kBlocks = R"(
version: 1
materials: {default: {friction: 0.3}}
objects:
  block: {shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1.0, position: [0, 0, 0.05]}
)";

TEST(LocalModel, KnowsWhereTheHeldPointGoesBetweenSteps) {
  const auto read = [](const std::string& more) {
    return io::parse_scene(kBlocks + more, "blocks");
  };
  const Prediction free = predict(read("gravity: [0, 0, 0]\n"), "block", 0.02, 2000.0);
  EXPECT_EQ(free.most_blocks, 0);
  EXPECT_LT(free.solved, 1e-9 * free.straight) << free.solved << " m, straight " << free.straight;

  const std::string floor = "environment: {floor: {shape: {plane: {}}}}\n";
  const Prediction rubbing = predict(read(floor), "block", 0.02, 2000.0);
  EXPECT_LT(rubbing.solved, 1e-3 * rubbing.straight)
      << rubbing.solved << " m, straight " << rubbing.straight;

  // it pushes another one along, and carries a third
  const Prediction leaning = predict(
      read("  next: {shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1.0, position: [0.1, 0, 0.05]}\n"
           "  upper: {shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1.0, position: [0, 0, 0.15]}\n" +
           floor),
      "block", 0.02, 2000.0);
  EXPECT_GE(leaning.most_blocks, 12);
  EXPECT_LT(leaning.solved, 1e-2 * leaning.straight)
      << leaning.solved << " m, straight " << leaning.straight;
}

// A standing humanoid whose hand is shaken: feet, dry friction and all.
TEST(LocalModel, KnowsWhereARobotsHandGoes) {
  const scene::Scene scene = io::load_scene(STANCE_SOURCE_DIR "/scenes/humanoid_stand.yaml");
  const Prediction hand = predict(scene, "humanoid/right_hand", 0.02, 500.0);
  EXPECT_GE(hand.most_blocks, 8);
  EXPECT_LT(hand.solved, 0.15 * hand.straight) << hand.solved << " m, straight " << hand.straight;
}

// A period of no length, as after a clock that stood still, changes nothing.
TEST(LocalModel, StepsOfNoLengthDoNothing) {
  LocalModel local;
  local.is_known = true, local.spring = 1000.0, local.mobility = Mat3d::identity();
  local.velocity = {1, 0, 0};
  LocalMotion straight, stopped;
  straight.start(local), stopped.start(local);
  stopped.advance(local, 0.0, {}, {});
  straight.advance(local, 1e-3, {}, {}), stopped.advance(local, 1e-3, {}, {});
  EXPECT_EQ(norm(straight.position() - stopped.position()), 0.0);
  EXPECT_GT(straight.position()[0], 5e-4);
}

// Steps of 5 ms that take all of that time: the hand still holds still, and reads the weight.
TEST(LocalModel, SlowPhysicsStaysStable) {
  const scene::Scene scene = io::parse_scene(std::string("step: 0.005\n") + (kBall + 1), "ball");
  EmulatedDevice device({}, [](double) { return Intention{{0, 0, 0.5}, {}}; });
  LockStep run(scene, device, {}, {.hold = "ball"});
  run.set_step_cost(0.0049);
  run.run(30.0);
  EXPECT_NEAR(run.loop().probe().force[2], -9.81, 0.0981);
}

// ---- touching ---------------------------------------------------------------------------------

// A 1 kg block on ice, pushed from the side: it moves as the device's force times the coefficient
// says.
TEST(Coupling, TouchedBodiesFeelTheForceTimesTheCoefficient) {
  const scene::Scene scene = io::parse_scene(R"(
version: 1
gravity: [0, 0, 0]
objects:
  block: {shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 50.0, position: [0.08, 0, 0]}
)",
                                             "block");
  for (const double coefficient : {1.0, 3.0}) {
    EmulatedDevice device({}, [](double time) {
      return Intention{{0.05 * std::min(1.0, 5.0 * time), 0, 0}, {}};
    });
    LockStep run(scene, device, {}, {.coefficient = coefficient});
    double impulse = 0.0;
    run.after_tick = [&](double) { impulse += run.loop().probe().force[0] * -1e-3; };
    run.run(0.5);
    EXPECT_GT(impulse, 0.1);
    const double momentum = 50.0 * run.scene().state().v[3];
    EXPECT_NEAR(momentum, coefficient * impulse, 0.02 * coefficient * impulse);
    EXPECT_EQ(run.module().view().touched, "block");
  }
}

// Pressing the button takes what is touched; letting it go drops it.
TEST(Coupling, TheButtonTakesWhatIsTouched) {
  const scene::Scene scene = io::parse_scene(kBall, "ball");
  EmulatedDevice device({}, [](double time) {
    return Intention{{0, 0, time < 1.0 ? 0.3 - 0.2 * time : 0.1 + 0.1 * (time - 1.0)}, {}};
  });
  LockStep run(scene, device, {}, {});
  run.run(1.0);  // the ball has fallen to the floor, the probe leans on it
  EXPECT_EQ(run.module().view().touched, "ball");
  device.set_buttons(1);
  run.run(2.0);
  EXPECT_EQ(run.module().view().held, "ball");
  EXPECT_LT(run.loop().probe().force[2], -9.0);
  device.set_buttons(0);
  run.run(1.0);
  EXPECT_EQ(run.module().view().held, "");
  EXPECT_TRUE(run.scene().outside().pulls().empty());
}

// ---- lost devices -----------------------------------------------------------------------------

TEST(Coupling, ALostDeviceFadesAndComesBack) {
  const scene::Scene scene = io::parse_scene(kBall, "ball");
  EmulatedDevice device({}, [](double) { return Intention{{0, 0, 0.5}, {}}; });
  LockStep run(scene, device, {}, {.hold = "ball"});
  run.run(2.0);
  EXPECT_LT(run.loop().probe().force[2], -9.0);
  device.set_connected(false);
  run.run(0.05);
  EXPECT_EQ(norm(run.loop().probe().force), 0.0);
  EXPECT_TRUE(run.scene().outside().is_idle());
  const double height = run.scene().state().q[6];
  run.run(0.1);
  EXPECT_LT(run.scene().state().q[6], height);  // falls: the simulation goes on
  device.set_connected(true);
  run.run(2.0);
  EXPECT_EQ(run.module().view().held, "ball");
  EXPECT_NEAR(run.loop().probe().force[2], -9.81, 0.1);
}

TEST(Coupling, NumbersThatAreNoneCountAsNoSample) {
  class Mad final : public Device {
   public:
    Mad() { facts_.damping = 2.0, facts_.max_force = 10.0; }
    const DeviceFacts& facts() const override { return facts_; }
    Reading read(double now, DeviceSample& sample) override {
      sample.position = {0, 0, now < 0.5 ? 0.5 : std::nan("")};
      return Reading::kFresh;
    }
    void write(double, const DeviceForce& force) override {
      EXPECT_TRUE(std::isfinite(norm(force.force)));
      last = force.force;
    }
    Vec3d last{};

   private:
    DeviceFacts facts_;
  } device;
  const scene::Scene scene = io::parse_scene(kBall, "ball");
  LockStep run(scene, device, {}, {.hold = "ball"});
  run.run(1.0);
  EXPECT_EQ(norm(device.last), 0.0);
  EXPECT_TRUE(run.scene().outside().is_idle());
}

// What a device did, given to another run as changes, leads to the same bits.
TEST(Coupling, WhatADeviceDidReplaysToTheBit) {
  const scene::Scene scene = io::parse_scene(kBall, "ball");
  EmulatedDevice device({}, [](double time) {
    return Intention{{0.05 * std::sin(5 * time), 0, 0.5}, {}};
  });
  Exchange exchange;
  HapticModule module({.hold = "ball"}, exchange);
  DeviceLoop loop(device, {}, exchange);
  run::Simulation live(scene), again(scene);
  struct Copier final : run::Observer {
    explicit Copier(run::Simulation& simulation) : to(simulation) {}
    void on_change(const run::StepAhead&, const run::Change& change) override {
      to.apply(change);
      ++count;
    }
    run::Simulation& to;
    int count = 0;
  } copier(again);
  live.attach(module), live.attach(copier);
  for (int k = 0; k < 2000; ++k) {
    loop.tick(k * 1e-3);
    live.advance();
    again.step();
  }
  EXPECT_GT(copier.count, 1900);
  EXPECT_EQ(live.state().q, again.state().q);
  EXPECT_EQ(live.state().v, again.state().v);
  EXPECT_GT(std::abs(live.state().q[0]), 1e-3);
}

}  // namespace
}  // namespace stance::haptics
