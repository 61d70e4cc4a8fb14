// What goes wrong around a device: a simulation that stops, lines that shake and lie, light things.

#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "stance/haptics/check/figures.h"
#include "stance/haptics/check/lock_step.h"
#include "stance/haptics/recorded.h"
#include "stance/io/scene.h"

namespace stance::haptics {
namespace {

constexpr const char* kBall = R"(
version: 1
objects:
  ball: {shape: {sphere: {radius: 0.05}}, mass: 1.0, position: [0, 0, 0.5]}
)";

// A device that says what it is told to, and shows every force.
class Puppet final : public Device {
 public:
  Puppet() {
    facts_.name = "puppet", facts_.damping = 2.0, facts_.max_force = 20.0;
    facts_.workspace = 0.5;
  }
  const DeviceFacts& facts() const override { return facts_; }
  Reading read(double, DeviceSample& sample) override {
    sample = next;
    sample.applied = number_, sample.since = 1e-3;
    return Reading::kFresh;
  }
  void write(double, const DeviceForce& force) override {
    number_ = force.number;
    last = force.force;
  }
  void set_oriented(bool is_oriented) { facts_.has_orientation = is_oriented; }

  DeviceSample next;
  Vec3d last{};

 private:
  DeviceFacts facts_;
  std::uint64_t number_ = 0;
};

// ---- a simulation that stops or is slow -------------------------------------------------------

LoopOptions make_plain_loop() {
  LoopOptions out;
  out.stiffness = 1000.0, out.use_bound = out.use_account = false;
  return out;
}

// 1 m/s for a step of 1 ms is 1 mm, and no more, however long nothing comes.
TEST(Pause, NothingMovesByMoreThanAStepBeyondTheLastState) {
  constexpr double h = 1e-3, speed = 1.0, stiffness = 1000.0;
  for (const SceneState::Mode mode : {SceneState::Mode::kAttach, SceneState::Mode::kTouch}) {
    for (const bool use_account : {false, true}) {
      Puppet device;
      Exchange exchange;
      LoopOptions options = make_plain_loop();
      options.use_account = use_account;
      DeviceLoop loop(device, options, exchange);
      SceneState& scene = exchange.scene.back();
      scene.mode = mode, scene.h = scene.cost = h, scene.stiffness = stiffness;
      scene.local.velocity = {0, 0, speed};
      scene.num_planes = 1, scene.planes[0] = {{0, 0, 1}, 0.0}, scene.speeds[0] = speed;
      exchange.scene.publish();
      double most = 0.0;
      for (int k = 0; k < 1000; ++k) {
        loop.tick(1e-3 * k);
        most = std::max(most, norm(device.last));
      }
      EXPECT_LE(most, stiffness * speed * h * (1.0 + 1e-9));
      if (!use_account) {
        EXPECT_NEAR(device.last[2], stiffness * speed * h, 1e-9);
      }
      EXPECT_LE(loop.account().stored(), stiffness * speed * h * speed * h);
    }
  }
}

// A tenth of the speed: a state every 10 ms that is 1 ms further. What is felt goes evenly from one
// state to the next, and never beyond.
TEST(Pause, SlowMotionIsEvenlySlow) {
  constexpr double h = 1e-3, speed = 1.0, stiffness = 1000.0;
  Puppet device;
  Exchange exchange;
  DeviceLoop loop(device, make_plain_loop(), exchange);
  double before = 0.0, largest = 0.0;
  for (int k = 0; k < 1000 * 2; ++k) {
    const double newest = speed * h * (k / 10 % 10);  // to and fro, so that forces stay small
    if (k % 10 == 0) {
      SceneState& scene = exchange.scene.back();
      scene.mode = SceneState::Mode::kAttach, scene.h = h, scene.cost = 0.2e-3;
      scene.stiffness = stiffness, scene.step = k / 10 + 1;
      scene.local.position = {0, 0, newest}, scene.local.velocity = {0, 0, speed};
      exchange.scene.publish();
    }
    loop.tick(1e-3 * k);
    const double felt = device.last[2] / stiffness;
    if (k > 1000 && k % 100 >= 10) {
      EXPECT_LE(felt, newest + 0.05 * speed * h);
      EXPECT_GE(felt, newest - 1.05 * speed * h);
      largest = std::max(largest, std::abs(felt - before));
    }
    before = felt;
  }
  EXPECT_LT(largest, 0.2 * speed * h);
}

// ---- lines that shake and lie -----------------------------------------------------------------

// Samples and forces that are late by 5 to 8 ms each, at random: what their times of arrival say of
// speeds is wrong, but nothing is drawn that was not burnt.
TEST(Jitter, TheAccountIsNeverOverdrawn) {
  for (const double latency : {0.0, 1e-3, 5e-3}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      WallTest wall;
      wall.hand.latency = latency, wall.hand.jitter = 3e-3, wall.hand.seed = seed;
      wall.loop.use_bound = false;
      wall.duration = 10.0;
      const WallResult result = press_on_wall(wall);
      EXPECT_LE(result.overdrawn, 1e-9) << latency << " s, seed " << seed;
    }
  }
}

// A sample that is 1 m away would pull by 2,000 N.
TEST(Glitch, OneOddSampleIsNone) {
  const scene::Scene scene = io::parse_scene(kBall, "ball");
  Puppet device;
  device.next.position = {0, 0, 0.5};
  LockStep run(scene, device, {}, {.hold = "ball"});
  double most = 0.0;
  run.after_step = [&](const sim::StepView&, const sim::Outside& outside) {
    for (const sim::Outside::Pull& pull : outside.pulls())
      most = std::max(most, norm(pull.drag.force));
  };
  run.run(2.0);
  for (const Vec3d& odd : {Vec3d(1, 0, 0.5), Vec3d(0, 0, 100.0), Vec3d(0, 0.2, 0.5)}) {
    most = 0.0;
    device.next.position = odd;
    run.run(0.001);
    device.next.position = {0, 0, 0.5};
    run.run(0.1);
    EXPECT_NEAR(most, 9.81, 0.1);
    EXPECT_EQ(run.module().view().held, "ball");
  }
  // it stays there: the ball is taken anew where it is
  most = 0.0;
  device.next.position = {0.4, 0, 0.5};
  run.run(1.0);
  EXPECT_LT(most, 20.0);
  EXPECT_EQ(run.module().view().held, "ball");
  EXPECT_NEAR(run.module().view().probe[0], 0.4, 1e-12);
  EXPECT_LT(std::abs(run.scene().state().q[4]), 1e-3);
}

// A handle whose orientation becomes known while it holds something does not twist it.
TEST(Glitch, AnOrientationThatAppearsTurnsNothing) {
  const scene::Scene scene = io::parse_scene(kBall, "ball");
  Puppet device;
  device.next.position = {0, 0, 0.5};
  LockStep run(scene, device, {}, {.hold = "ball"});
  run.run(0.5);
  device.set_oriented(true);
  device.next.orientation = Mat3d(Vec3d(0, 1, 0), Vec3d(-1, 0, 0), Vec3d(0, 0, 1));
  double most = 0.0;
  run.after_step = [&](const sim::StepView& view, const sim::Outside&) {
    for (int k = 0; k < 3; ++k) most = std::max(most, std::abs(view.state.v[k]));
  };
  run.run(0.5);
  EXPECT_LT(most, 1e-6);
  device.set_oriented(false);
  run.run(0.1);
  device.set_oriented(true);
  device.next.orientation = Mat3d::identity();
  run.run(0.5);
  EXPECT_LT(most, 1e-6);
}

// ---- touch ------------------------------------------------------------------------------------

Vec3d find_push(const sim::Outside& outside) {
  for (const sim::InputChange& change : outside.list_changes())
    if (const auto* push = std::get_if<sim::PushBody>(&change.what)) return push->force;
  return {};
}

// 8 cm deep at 2,000 N/m are 160 N: more than the device shows, or than one without force may.
TEST(Touch, PushesByNoMoreThanTheDeviceShows) {
  const scene::Scene scene = io::parse_scene(R"(
version: 1
gravity: [0, 0, 0]
objects:
  block: {shape: {box: {size: [0.2, 0.2, 0.2]}}, mass: 1e6, position: [0.15, 0, 0]}
)",
                                             "block");
  RecordedDevice blind("time,x,y,z\n0,0,0,0\n0.5,0.12,0,0\n", "push");
  LockStep run(scene, blind, {}, {.coefficient = 2.0});
  double most = 0.0;
  run.after_step = [&](const sim::StepView&, const sim::Outside& outside) {
    most = std::max(most, norm(find_push(outside)));
  };
  run.run(1.0);
  EXPECT_NEAR(most, 2.0 * 100.0, 1e-9);

  HandOptions hand;
  hand.stiffness = 2000.0, hand.max_force = 5.0;
  EmulatedDevice weak(hand, [](double time) {
    return Intention{{0.12 * std::min(1.0, time), 0, 0}, {}};
  });
  LockStep pushed(scene, weak, {}, {});
  most = 0.0;
  pushed.after_step = run.after_step;
  pushed.run(1.5);
  EXPECT_GT(most, 4.9);
  EXPECT_LE(most, 5.0 + 1e-9);
}

// A probe between the two prongs of a fork leans on both: by symmetry the fork does not turn.
TEST(Touch, TwoShapesOfABodyAddUpToForceAndTorque) {
  const std::string prong =
      R"(<geometry><box size="0.04 0.1 0.1"/></geometry></collision><collision>)"
      R"(<origin xyz="-0.03 0 0"/><geometry><box size="0.04 0.1 0.1"/></geometry></collision>)";
  const std::string file = testing::TempDir() + "stance_fork.urdf";
  std::ofstream(file) << R"(<robot name="fork"><link name="fork"><inertial><mass value="10"/>)"
                         R"(<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>)"
                         R"(</inertial><collision><origin xyz="0.03 0 0"/>)"
                      << prong << "</link></robot>";
  const scene::Scene scene = io::parse_scene(
      "version: 1\ngravity: [0, 0, 0]\nrobots:\n  fork: {urdf: " + file + ", base: free}\n",
      "fork");
  RecordedDevice device("time,x,y,z\n0,0,0,0.1\n0.2,0,0,0.045\n", "push");
  LockStep run(scene, device, {}, {.probe_radius = 0.015});
  run.run(0.3);
  const std::vector<double>& v = run.scene().state().v;
  EXPECT_LT(v[5], -0.01);  // it is pushed down
  for (const int k : {0, 1, 2, 3, 4}) EXPECT_NEAR(v[k], 0.0, 1e-9);
}

// A grain of 0.1 g before a probe at 0.1 m/s: at 2,000 N/m from the step's start it would be thrown
// by h K / m = 20,000 1/s times the depth.
TEST(Touch, DoesNotThrowLightThings) {
  const scene::Scene scene = io::parse_scene(R"(
version: 1
gravity: [0, 0, 0]
objects:
  grain: {shape: {sphere: {radius: 0.003}}, mass: 1e-4, position: [0.02, 0, 0]}
)",
                                             "grain");
  RecordedDevice device("time,x,y,z\n0,0,0,0\n0.5,0.05,0,0\n", "push");
  LockStep run(scene, device, {}, {});
  double fastest = 0.0;
  run.after_step = [&](const sim::StepView& view, const sim::Outside&) {
    fastest = std::max(fastest, std::abs(view.state.v[3]));
  };
  run.run(0.6);
  EXPECT_GT(fastest, 0.05);
  EXPECT_LT(fastest, 0.3);
}

}  // namespace
}  // namespace stance::haptics
