// A device while the world changes under it: objects come, a recording begins, the scene is reset.

#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "stance/haptics/check/emulator.h"
#include "stance/haptics/device_loop.h"
#include "stance/haptics/module.h"
#include "stance/io/scene.h"
#include "stance/run/simulation.h"

namespace stance::haptics {
namespace {

constexpr const char* kBall = R"(
version: 1
objects:
  ball: {shape: {sphere: {radius: 0.05}}, mass: 1.0, position: [0, 0, 0.5]}
environment:
  floor: {shape: {plane: {}}}
)";
constexpr const char* kFloating = R"(
version: 1
gravity: [0, 0, 0]
objects:
  ball: {shape: {sphere: {radius: 0.05}}, mass: 1.0, position: [0, 0, 0.5]}
)";
constexpr const char* kBrick = R"(
version: 1
objects:
  brick: {shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1.0, position: [1, 0, 0.05]}
)";

// What was done in a step.
struct Log final : run::Observer {
  void on_change(const run::StepAhead&, const run::Change& change) override {
    changes.push_back(change);
  }
  std::vector<run::Change> changes;
};

// A device and a session's part in it; every world goes with its scene.
struct Rig {
  Rig(Motion motion, const HapticOptions& options, const char* text = kBall)
      : device({}, std::move(motion)), module(options, exchange), loop(device, {}, exchange) {
    enter(text);
  }

  // From the start of a scene: another state, a jump.
  void enter(const char* text) {
    run = std::make_unique<run::Simulation>(io::parse_scene(text, "scene"));
    run->attach(module), run->attach(log);
  }
  // Another world, in which the state goes on.
  void go_on(std::unique_ptr<run::Simulation> next) {
    next->adopt(*run);
    run = std::move(next);
  }
  void go_on(const char* text) {
    go_on(std::make_unique<run::Simulation>(io::parse_scene(text, "scene")));
  }

  void step() {
    loop.tick(1e-3 * ticks);
    ++ticks;
    low = std::min(low, loop.probe().force[2]), high = std::max(high, loop.probe().force[2]);
    most = std::max(most, norm(loop.probe().force));
    log.changes.clear();
    run->advance();
    for (const sim::Outside::Pull& pull : run->outside().pulls())
      most_pull = std::max(most_pull, norm(pull.drag.force));
  }
  void go(double duration) {
    for (int k = 0; k < std::lround(1e3 * duration); ++k) step();
  }
  void forget() { low = 1e9, high = -1e9, most = most_pull = 0.0; }
  template <class What>
  int count() const {
    int out = 0;
    for (const run::Change& change : log.changes) out += run::find_action<What>(change) != nullptr;
    return out;
  }

  EmulatedDevice device;
  Exchange exchange;
  HapticModule module;
  DeviceLoop loop;
  Log log;
  std::unique_ptr<run::Simulation> run;
  std::int64_t ticks = 0;
  double low = 1e9, high = -1e9, most = 0.0, most_pull = 0.0;  // N
};

Motion hold_still() {
  return [](double) { return Intention{{0, 0, 0.5}, {}}; };
}

// A tower of so many boxes on slow steps, four contacts from one to the next.
std::string make_tower(int boxes, const std::string& law = "exact") {
  return "version: 1\nstep: 4e-3\ncontact: {law: " + law +
         "}\nenvironment: {floor: {shape: {plane: {}}}}\n"
         "objects: {box: {shape: {box: {size: [0.2, 0.2, 0.1]}}, mass: 1, copies: " +
         std::to_string(boxes) + ", position: [0, 0, 0.05 + 0.1 * i]}}\n";
}

// What a device feels between steps is a local model: where there is none, the module says why.
TEST(Worlds, ALocalModelThatCannotBeHadIsSaid) {
  const auto find_trouble = [](const std::string& scene) {
    Rig rig(hold_still(), {.hold = "box1"}, scene.c_str());
    std::string trouble;  // the first
    for (int k = 0; k < 100; ++k) {
      rig.step();
      if (trouble.empty()) trouble = rig.module.trouble();
    }
    EXPECT_FALSE(rig.module.view().held.empty());
    return trouble;
  };
  EXPECT_EQ(find_trouble(make_tower(3)), "");
  EXPECT_NE(find_trouble(make_tower(14)).find("more constraints"), std::string::npos);
  EXPECT_NE(find_trouble(make_tower(3, "penalty_clipped")).find("no penalty law"),
            std::string::npos);
}

TEST(Worlds, AHoldGoesOnWhenObjectsCome) {
  Rig rig(hold_still(), {.hold = "ball"});
  rig.go(3.0);
  rig.forget();
  // the world of before is gone once the object is there
  rig.run->apply(
      {"user", io::parse_object(
                   "new", "{shape: {sphere: {radius: 0.02}}, mass: 0.1, position: [1, 0, 0.02]}")});
  rig.step();
  EXPECT_EQ(rig.count<sim::DragBody>(), 0);  // nothing is known of this world yet
  EXPECT_EQ(rig.count<sim::Release>(), 0);
  rig.step();
  EXPECT_EQ(rig.count<sim::DragBody>(), 1);
  rig.go(0.5);
  EXPECT_EQ(rig.module.view().held, "ball");
  EXPECT_NEAR(rig.low, -9.81, 0.1);
  EXPECT_NEAR(rig.high, -9.81, 0.1);
}

// Where a recording begins, the run goes on from the same state, and knows of no inputs.
TEST(Worlds, AHoldIsToldAgainWhereInputsStartAfresh) {
  Rig rig(hold_still(), {.hold = "ball"});
  rig.go(3.0);
  rig.forget();
  rig.go_on(std::make_unique<run::Simulation>(
      std::make_shared<const scene::Scene>(io::parse_scene(kBall, "scene")), rig.run->moment()));
  rig.go(0.002);
  EXPECT_EQ(rig.run->outside().pulls().size(), 1u);
  rig.go(0.5);
  EXPECT_EQ(rig.module.view().held, "ball");
  // it fell for one step: g h = 1 cm/s, and 1 kg on 2,000 N/m takes that up with 0.44 N, undamped
  EXPECT_NEAR(rig.low, -9.81, 0.3);
  EXPECT_NEAR(rig.high, -9.81, 0.3);
}

// The ball was carried 10 cm aside when the scene is reset: 200 N, were it still pulled there.
TEST(Worlds, AfterAResetItIsTakenAnewWithoutAKick) {
  Rig rig(
      [](double time) {
        return Intention{{0.1 * std::min(1.0, time), 0, 0.5}, {}};
      },
      {.hold = "ball"}, kFloating);
  rig.go(3.0);
  EXPECT_NEAR(rig.run->state().q[4], 0.1, 0.01);
  rig.enter(kFloating);
  rig.forget();
  rig.go(0.5);
  EXPECT_EQ(rig.module.view().held, "ball");
  EXPECT_LT(rig.most, 0.1);
  EXPECT_LT(rig.most_pull, 0.1);
  EXPECT_NEAR(rig.run->state().q[4], 0.0, 1e-3);
}

TEST(Worlds, WhatIsNoLongerThereIsLetGo) {
  for (const bool jumps : {true, false}) {
    Rig rig(hold_still(), {.hold = "ball"});
    rig.go(1.0);
    if (jumps)
      rig.enter(kBrick);
    else
      rig.go_on(kBrick);
    rig.go(0.003);
    EXPECT_EQ(rig.module.view().held, "");
    EXPECT_TRUE(rig.run->outside().pulls().empty());
    EXPECT_EQ(norm(rig.loop.probe().force), 0.0);
  }
}

// A probe that leans on the floor does so in the next world; after a jump it starts where it is.
TEST(Worlds, TheProbeStaysOutsideWhatItLeansOn) {
  Rig rig(
      [](double time) {
        return Intention{{0.5, 0, 0.05 - 0.06 * std::min(1.0, time)}, {}};
      },
      {});
  rig.go(3.0);
  const double force = rig.loop.probe().force[2];
  EXPECT_GT(force, 1.0);
  rig.go_on(kBall);
  rig.forget();
  rig.go(0.5);
  EXPECT_NEAR(rig.low, force, 0.05 * force);
  rig.enter(kBall);
  rig.go(0.002);
  EXPECT_EQ(norm(rig.loop.probe().force), 0.0);
}

}  // namespace
}  // namespace stance::haptics
