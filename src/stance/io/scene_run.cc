#include "stance/io/scene_run.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stance/sim/step.h"
#include "stance/sim/transfer.h"

namespace stance::io {
namespace {

std::vector<sim::Monitor::Faller> find_fallers(const LoadedScene& part) {
  std::vector<sim::Monitor::Faller> out;
  for (const SceneRobot& robot : part.robots)
    if (robot.base) out.push_back({robot.name.empty() ? part.name : robot.name, *robot.base});
  return out;
}

std::int64_t count_steps(const LoadedScene& scene, const sim::State& state) {
  return std::llround(state.time / scene.step);
}

}  // namespace

SceneRun::SceneRun(const LoadedScene& scene) : SceneRun(scene, scene.scene.start) {}

SceneRun::SceneRun(const LoadedScene& scene, const sim::State& from)
    : scene_(scene),
      part_(&scene.find_part(count_steps(scene, from))),
      state_(from),
      scratch_(std::make_unique<sim::Scratch>(part_->scene.world)),
      actuation_(std::make_unique<sim::Actuation>(part_->make_actuation())),
      monitor_(part_->scene.world, part_->scene.start, find_fallers(*part_)),
      steps_(count_steps(scene, from)) {}

void SceneRun::update_world() {
  const LoadedScene& part = scene_.find_part(steps_ + 1);
  if (&part == part_) return;
  // one after the other: what comes and goes between two would otherwise be left out
  for (const LoadedScene& next : scene_.later)
    if (next.begins > part_->begins && next.begins <= steps_) enter(next);
}

void SceneRun::enter(const LoadedScene& part) {
  sim::State next = transfer(part_->scene.world, state_, part.scene);
  part_ = &part;
  state_ = std::move(next);
  scratch_ = std::make_unique<sim::Scratch>(part.scene.world);
  actuation_ = std::make_unique<sim::Actuation>(part.make_actuation());
  outside_.change(part.scene.world);
  monitor_.change(part.scene.world, part.scene.start, find_fallers(part));
  for (const std::string& name : part.gone)
    monitor_.add(sim::Event::Kind::kDisappears, state_.time, name, 0.0);
  for (const std::string& name : part.come)
    monitor_.add(sim::Event::Kind::kAppears, state_.time, name, 0.0);
  if (!part.come.empty()) check_arrivals();
}

// At the start of a scene what overlaps by so much is refused, too.
void SceneRun::check_arrivals() const {
  constexpr double kDeep = 1e-3;  // m
  const sim::World& world = part_->scene.world;
  sim::Scratch scratch(world);
  update_kinematics(world.model, std::span<const double>(state_.q), scratch.kin);
  contact::find(world.model, world.shapes, scratch.kin, 0.0, scratch.contact);
  const auto is_new = [&](const std::string& name) {
    return std::find(part_->come.begin(), part_->come.end(), name) != part_->come.end();
  };
  for (const collision::ContactPoint& point : scratch.contact.points.points()) {
    const std::string& a = world.shapes.geometries[point.geometry_a].name;
    const std::string& b = world.shapes.geometries[point.geometry_b].name;
    if (point.gap < -kDeep && (is_new(a) || is_new(b)))
      throw Error(
          fmt::format("at {:g} s '{}' appears inside '{}', by {:.3g} mm; let it appear "
                      "elsewhere or at another time",
                      state_.time, is_new(b) ? b : a, is_new(b) ? a : b, -1e3 * point.gap));
  }
}

void SceneRun::apply(const sim::InputChange& change) {
  sim::InputChange whole = change;
  if (change.kind == sim::InputChange::Kind::kDrag && change.value == 0.0)
    whole.value = scene_.interaction.stiffness;
  outside_.apply(part_->scene.world, whole);
}

const sim::StepReport& SceneRun::step() {
  if (!scene_.later.empty()) update_world();
  const sim::World& world = part_->scene.world;
  const sim::Input& input = actuation_->update(world, scene_.step, state_, outside_);
  const double began = state_.time;
  report_ = sim::step(world, input, scene_.step, state_, *scratch_);
  for (const sim::Touch& touch : outside_.touches())
    monitor_.add(sim::Event::Kind::kTouch, began, touch.name, 0.0);
  outside_.forget_touches();
  monitor_.watch(world, state_, *scratch_, report_, scene_.step);
  if (!(report_.status & sim::kNotFinite)) ++steps_;
  return report_;
}

sim::StepView SceneRun::view() const {
  return {part_->scene.world, state_, *scratch_, actuation_->input(), report_, scene_.step};
}

}  // namespace stance::io
