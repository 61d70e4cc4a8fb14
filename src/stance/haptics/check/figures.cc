#include "stance/haptics/check/figures.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stance/haptics/check/lock_step.h"
#include "stance/io/scene.h"

namespace stance::haptics {
namespace {

struct Swing {
  double low = INFINITY, high = -INFINITY;
  void add(double x) { low = std::min(low, x), high = std::max(high, x); }
  double size() const { return high > low ? high - low : 0.0; }
};

scene::Scene make_scene(const std::string& objects) {
  return io::parse_scene(
      "version: 1\nduration: 60\n" + objects + "environment:\n  floor: {shape: {plane: {}}}\n",
      "check");
}

double find_height(const run::Simulation& run) {
  const sim::World& world = run.part().scene.world;
  dynamics::Kinematics<double> kin(world.model);
  update_kinematics(world.model, std::span<const double>(run.state().q), kin);
  return kin.calc_position(world.model, model::BodyIndex(1), Vec3d())[2];
}

}  // namespace

// Taps at 0.5 m/s, presses by 2 cm, then still from 6 s on: what swings then swings by itself.
WallResult press_on_wall(const WallTest& test) {
  const scene::Scene scene = make_scene("");
  EmulatedDevice device(test.hand, [](double time) {
    if (time < 3.0) return Intention{{0, 0, 0.01 - 0.02 * std::sin(25.0 * time)}, {}};
    return Intention{{0, 0, 0.01 - 0.02 * std::min(1.0, time - 3.0)}, {}};
  });
  LockStep run(scene, device, test.loop, {});
  WallResult out;
  Swing early, late;
  run.after_tick = [&](double time) {
    const Hand& hand = device.hand();
    if (time >= 3.0 && time < 6.0) early.add(hand.position()[2]);
    if (time >= test.duration - 3.0) late.add(hand.position()[2]);
    out.overdrawn = std::max(out.overdrawn, hand.drawn() - hand.burnt());
    out.held_back = std::max(out.held_back, run.loop().probe().held_back);
  };
  run.run(test.duration);
  out.early = early.size(), out.late = late.size();
  out.stiffness = run.loop().probe().stiffness, out.force = norm(run.loop().probe().force);
  return out;
}

HoldResult hold_body(double mass, const HandOptions& hand, const LoopOptions& loop) {
  const scene::Scene scene =
      make_scene(fmt::format("objects:\n  body: {{shape: {{sphere: {{radius: 0.05}}}}, mass: {}, "
                             "position: [0, 0, 0.5]}}\n",
                             mass));
  EmulatedDevice device(hand, [](double time) {
    const double size = time < 10.0 ? 0.03 : 0.0;
    return Intention{
        {size * std::sin(9.0 * time), size * std::sin(14.0 * time), size * std::sin(5.0 * time)},
        {}};
  });
  LockStep run(scene, device, loop, {.hold = "body"});
  HoldResult out;
  Swing late;
  double given = 0.0;  // by the body to the spring
  run.after_tick = [&](double time) {
    if (time >= 27.0) late.add(device.hand().position()[2]);
    out.overdrawn = std::max(out.overdrawn, device.hand().drawn() - device.hand().burnt() - given);
  };
  // the body's own account: what the spring's force did on it, by the mean of its velocities
  Vec3d before{};
  run.after_step = [&](const sim::StepView& view, const sim::Outside& outside) {
    const Vec3d after(view.state.v[3], view.state.v[4], view.state.v[5]);
    for (const sim::Outside::Pull& pull : outside.pulls()) {
      const Vec3d stretch = pull.drag.target - pull.drag.position +
                            view.h * (pull.drag.velocity - after);  // at the end of the step
      const Vec3d spring = pull.drag.stiffness * stretch;
      given -= 0.5 * view.h * dot(spring, before + after);
    }
    before = after;
  };
  run.run(30.0);
  out.stiffness = run.loop().probe().stiffness;
  out.force = -run.loop().probe().force[2];
  out.late = late.size();
  return out;
}

LossResult lose_device() {
  const scene::Scene scene = make_scene(
      "objects:\n  body: {shape: {sphere: {radius: 0.05}}, mass: 1, position: [0, 0, 0.5]}\n");
  EmulatedDevice device({}, [](double) { return Intention{{0, 0, 0.5}, {}}; });
  LockStep run(scene, device, {}, {.hold = "body"});
  run.run(3.0);
  LossResult out;
  device.set_connected(false);
  bool is_gone = false;
  run.after_tick = [&](double time) {
    if (!is_gone && norm(run.loop().probe().force) == 0.0)
      out.fade = time - 3.0 + 1e-3, is_gone = true;  // the last sample came one tick before
  };
  const double height = find_height(run.scene());
  run.run(0.2);
  if (!is_gone) out.fade = INFINITY;
  out.goes_on = find_height(run.scene()) < height - 0.05;
  device.set_connected(true);
  run.run(3.0);
  out.comes_back = std::abs(run.loop().probe().force[2] + 9.81) < 0.1;
  return out;
}

std::vector<Figure> measure_figures() {
  std::vector<Figure> out;
  const auto add = [&](std::string name, double value, std::string unit, std::string wanted,
                       bool is_reached) {
    out.push_back({std::move(name), std::move(unit), std::move(wanted), value, is_reached});
  };
  constexpr double kPassive = 1e-9;  // J, rounding of 30 s

  struct Case {
    const char* name;
    double latency, low, high;
  };
  for (const Case& c :
       {Case{"no delay", 0.0, 2000, 2000}, Case{"one sample of delay", 1e-3, 1000, 2000},
        Case{"5 ms of delay", 5e-3, 100, 300}}) {
    WallTest wall;
    wall.hand.latency = c.latency;
    const WallResult w = press_on_wall(wall);
    add(fmt::format("wall, {}: stiffness", c.name), w.stiffness, "N/m",
        fmt::format("{} to {}", c.low, c.high), w.stiffness >= c.low && w.stiffness <= c.high);
    add(fmt::format("wall, {}: swing after 27 s", c.name), w.late, "m",
        "below 1e-4 and not growing", w.is_stable());
    add(fmt::format("wall, {}: energy overdrawn", c.name), w.overdrawn, "J", "none",
        w.overdrawn <= kPassive);
    add(fmt::format("wall, {}: most held back", c.name), w.held_back, "N", "-", true);
    for (const double mass : {0.1, 1.0}) {
      HandOptions hand;
      hand.latency = c.latency;
      const HoldResult h = hold_body(mass, hand, {});
      add(fmt::format("{} kg held, {}: force", mass, c.name), h.force, "N",
          fmt::format("{:.4g} within 1 %", 9.81 * mass),
          std::abs(h.force - 9.81 * mass) < 0.01 * 9.81 * mass);
      add(fmt::format("{} kg held, {}: swing after 27 s", mass, c.name), h.late, "m", "below 1e-4",
          h.late < 1e-4);
      add(fmt::format("{} kg held, {}: energy overdrawn", mass, c.name), h.overdrawn, "J", "none",
          h.overdrawn <= kPassive);
    }
  }
  const LossResult loss = lose_device();
  add("lost device: to no force", 1e3 * loss.fade, "ms", "50 at most", loss.fade <= 0.05);
  add("lost device: simulation goes on", loss.goes_on, "", "yes", loss.goes_on);
  add("lost device: comes back", loss.comes_back, "", "yes", loss.comes_back);
  return out;
}

}  // namespace stance::haptics
