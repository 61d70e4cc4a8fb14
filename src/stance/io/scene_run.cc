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

// At the start of a scene what overlaps by so much is refused, too.
void check_arrivals(const LoadedScene& part, const sim::State& state) {
  constexpr double kDeep = 1e-3;  // m
  if (part.come.empty()) return;
  const sim::World& world = part.scene.world;
  sim::Scratch scratch(world);
  scratch.start.update(world.model, state.q, state.v);
  contact::find(world.model, world.shapes, scratch.start.kin(), 0.0, scratch.contact);
  const auto is_new = [&](const std::string& name) {
    return std::find(part.come.begin(), part.come.end(), name) != part.come.end();
  };
  for (const collision::ContactPoint& point : scratch.contact.points.points()) {
    const std::string& a = world.shapes.geometries[point.geometry_a].name;
    const std::string& b = world.shapes.geometries[point.geometry_b].name;
    if (point.gap < -kDeep && (is_new(a) || is_new(b)))
      throw Error(
          fmt::format("at {:g} s '{}' appears inside '{}', by {:.3g} mm; let it appear "
                      "elsewhere or at another time",
                      state.time, is_new(b) ? b : a, is_new(b) ? a : b, -1e3 * point.gap));
  }
}

}  // namespace

SceneRun::SceneRun(const LoadedScene& scene) : SceneRun(scene, RunStart{scene.scene.start}) {}

SceneRun::SceneRun(const LoadedScene& scene, const RunStart& from)
    : SceneRun(scene, from,
               from.edits.empty()
                   ? EditedScene{}
                   : apply_edits(scene, from.edits, count_steps(scene, from.state))) {}

SceneRun::SceneRun(const LoadedScene& scene, const RunStart& from, EditedScene edited)
    : scene_(scene),
      edits_(from.edits),
      edited_(std::move(edited)),
      part_(edited_.part ? edited_.part.get() : &scene.find_part(count_steps(scene, from.state))),
      state_(from.state),
      scratch_(std::make_unique<sim::Scratch>(part_->scene.world)),
      actuation_(std::make_unique<sim::Actuation>(part_->make_actuation())),
      monitor_(part_->scene.world, part_->scene.start, find_fallers(*part_)),
      steps_(count_steps(scene, from.state)) {
  scratch_->end.update(part_->scene.world.model, state_.q, state_.v);  // for view()
}

void SceneRun::update_world() {
  // one after the other: what comes and goes between two would otherwise be left out
  const auto go_on = [&](const LoadedScene& part) {
    sim::State next = transfer(part_->scene.world, state_, part.scene);
    check_arrivals(part, next);
    enter(part, std::move(next));
  };
  if (!edited_.part) {
    if (&scene_.find_part(steps_ + 1) == part_) return;
    for (const LoadedScene& next : scene_.later)
      if (next.begins > part_->begins && next.begins <= steps_) go_on(next);
    return;
  }
  for (;;) {
    const auto next = edited_.editor->find_next(part_->begins);
    if (!next || *next > steps_) return;
    std::unique_ptr<LoadedScene> later = make_part(scene_, *edited_.editor, *next);
    go_on(*later);
    edited_.part = std::move(later);
  }
}

// The world that people want; where it cannot be, this one goes on.
void SceneRun::edit(const sim::InputChange& change) {
  if (!scene_.editor) throw Error("this scene cannot be changed while it runs");
  EditedScene next;
  next.editor = (edited_.editor ? *edited_.editor : *scene_.editor).clone();
  next.editor->apply(change, steps_);
  next.part = make_part(scene_, *next.editor, steps_);
  sim::State state = transfer(part_->scene.world, state_, next.part->scene);
  check_arrivals(*next.part, state);
  enter(*next.part, std::move(state));
  edits_.push_back({steps_, change});
  edited_ = std::move(next);
}

void SceneRun::enter(const LoadedScene& part, sim::State state) {
  auto scratch = std::make_unique<sim::Scratch>(part.scene.world);
  auto actuation = std::make_unique<sim::Actuation>(part.make_actuation());
  for (const PartListener& listener : listeners_) listener(part);
  const sim::World& before = part_->scene.world;
  const auto was_there = [&](const std::string& name) {
    return before.model.find_body(name).valid();
  };
  for (const std::string& name : part.gone)
    if (was_there(name)) monitor_.add(sim::Event::Kind::kDisappears, state_.time, name, 0.0);
  for (const std::string& name : part.come)
    if (!was_there(name)) monitor_.add(sim::Event::Kind::kAppears, state_.time, name, 0.0);
  scratch->timer = scratch_->timer;
  scratch->end.update(part.scene.world.model, state.q, state.v);
  part_ = &part;
  state_ = std::move(state);
  scratch_ = std::move(scratch), actuation_ = std::move(actuation);
  outside_.change(part.scene.world);
  monitor_.change(part.scene.world, part.scene.start, find_fallers(part));
}

void SceneRun::apply(const sim::InputChange& change) {
  if (sim::InputChange::is_edit(change.kind)) return edit(change);
  sim::InputChange whole = change;
  if (change.kind == sim::InputChange::Kind::kDrag && change.value == 0.0)
    whole.value = scene_.interaction.stiffness;
  outside_.apply(part_->scene.world, whole);
}

const sim::StepReport& SceneRun::step() {
  if (edited_.part || !scene_.later.empty()) update_world();
  const sim::World& world = part_->scene.world;
  sim::start_laps(scratch_->timer);
  const sim::Input& input = actuation_->update(world, scene_.step, state_, outside_, *scratch_);
  sim::end_lap(scratch_->timer, sim::Stage::kControllers);
  const double began = state_.time;
  report_ = sim::step(world, input, scene_.step, state_, *scratch_);
  sim::start_laps(scratch_->timer);
  for (const sim::Touch& touch : outside_.touches())
    monitor_.add(sim::Event::Kind::kTouch, began, touch.name, 0.0);
  outside_.forget_touches();
  monitor_.watch(world, state_, *scratch_, report_, scene_.step);
  if (!(report_.status & sim::kNotFinite)) {
    outside_.watch(*scratch_);
    actuation_->watch(view(), state_);
    ++steps_;
  }
  sim::end_lap(scratch_->timer, sim::Stage::kWatch);
  return report_;
}

sim::StepView SceneRun::view() const {
  return {part_->scene.world, state_, *scratch_, actuation_->input(), report_, scene_.step};
}

}  // namespace stance::io
