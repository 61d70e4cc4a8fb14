#include "stance/haptics/module.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stance/run/simulation.h"

namespace stance::haptics {

HapticModule::HapticModule(const HapticOptions& options, Exchange& exchange)
    : options_(options), exchange_(exchange), touch_(options), hold_(options) {
  view_.radius = options.probe_radius;
}

// ---- before a step ----------------------------------------------------------------------------

void HapticModule::before_step(const run::StepAhead&, std::vector<run::Change>& changes) {
  began_ = std::chrono::steady_clock::now();
  const ProbeState* newest = nullptr;
  exchange_.probe.read(newest);
  probe_ = *newest;
  act(changes);
  if (!was_present_) return;
  // where it is, for robots that look
  changes.push_back({options_.source, sim::PlaceProbe{probe_.position}});
}

// The old world may be gone already: nothing of it is kept.
void HapticModule::on_world(const scene::Part&) {
  world_.reset();
  touch_.change_world();
}

void HapticModule::begin(run::Simulation&) {
  if (!std::exchange(has_begun_, true)) return;
  world_.reset();
  has_jumped_ = true;
  take_anew();
}

// Probe and hold start again where they are, without a force.
void HapticModule::take_anew() {
  touch_.place(probe_.position);
  hold_.take_anew();
}

// Ends all that this device does to bodies.
void HapticModule::release_all(std::vector<run::Change>& changes) {
  changes.push_back({options_.source, sim::Release{}});
  touch_.forget_pushes();
  hold_.forget_pull();
}

void HapticModule::act(std::vector<run::Change>& changes) {
  if (!probe_.is_present) {
    // lost: what it held and pushed is let go
    if (was_present_) release_all(changes), detach();
    was_pressed_ = was_present_ = false;
    return;
  }
  if (!world_) {
    // no step of this world seen yet: what acts goes on by itself, unless the state has jumped
    if (has_jumped_) release_all(changes);
    has_jumped_ = false;
    return;
  }
  press();

  if (!hold_.held().empty() && !hold_.is_there(world_->model())) detach();
  const bool holds = !hold_.held().empty();
  const bool lets_go =
      holds ? hold_.is_fresh() && (hold_.is_pulling() || touch_.is_pushing()) : hold_.is_pulling();
  if (lets_go) release_all(changes);
  ProbeMode& mode = holds ? static_cast<ProbeMode&>(hold_) : touch_;
  mode.act(probe_, *world_, changes);
}

void HapticModule::press() {
  if (!was_present_) {
    was_present_ = true, jumps_ = probe_.jumps;
    touch_.place(probe_.position);
    if (!options_.hold.empty()) attach(options_.hold, options_.hold_point);
  }
  if (probe_.jumps != jumps_) jumps_ = probe_.jumps, take_anew();

  // the first button takes what is touched, and lets it go again
  const bool is_pressed = probe_.buttons & 1;
  if (is_pressed && !was_pressed_ && hold_.held().empty() && !view_.touched.empty())
    attach(view_.touched, view_.point);
  if (!is_pressed && was_pressed_ && options_.hold.empty()) detach();
  was_pressed_ = is_pressed;
}

// ---- after a step -----------------------------------------------------------------------------

// What the device feels between steps is as good as its local model.
LocalFault HapticModule::find_fault(const SceneState& scene) {
  const bool is_unsolved = probe_.unsolved != std::exchange(unsolved_, probe_.unsolved);
  if (scene.mode != SceneState::Mode::kAttach) return LocalFault::kNone;
  if (scene.local.fault != LocalFault::kNone) return scene.local.fault;
  return is_unsolved ? LocalFault::kNotConverged : LocalFault::kNone;
}

std::string_view HapticModule::trouble() const {
  switch (fault_) {
    case LocalFault::kNone: return {};
    case LocalFault::kTooManyRows:
      return "a device holds something with more constraints than its local model has room for "
             "(48): between steps it goes on as it moves";
    case LocalFault::kPenaltyLaw:
      return "a device's local model knows no penalty law: between steps what it holds goes on as "
             "it moves";
    case LocalFault::kNotConverged:
      return "a device's local model was not solved to its tolerance between steps";
  }
  return {};
}

bool HapticModule::after_step(const run::Simulation& simulation, const sim::StepView& view) {
  const bool is_new = !world_ || !world_->is_of(view.world);
  if (is_new) world_ = std::make_unique<ProbeWorld>(view.world);
  world_->update(view);

  SceneState& scene = exchange_.scene.back();
  scene.mode = SceneState::Mode::kNone, scene.num_planes = 0;
  scene.step = static_cast<std::uint64_t>(std::llround(view.state.time / view.h));
  scene.hold = hold_.count();
  scene.h = view.h;
  scene.cost = step_cost_.value_or(
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count());
  if (probe_.is_present) {
    const bool is_slow = std::max(view.h, scene.cost) > 1.5 * probe_.period;
    ProbeMode& mode = hold_.is_pulling() ? static_cast<ProbeMode&>(hold_) : touch_;
    mode.tie(probe_, *world_, {view, simulation.outside(), is_slow}, scene, view_);
    if (scene.mode == SceneState::Mode::kAttach) touch_.place(probe_.position);
  }
  fault_ = find_fault(scene);
  // a hold that this world's inputs do not have yet: the device goes on with the state before
  const bool is_untold = is_new && hold_.is_pulling() && scene.mode == SceneState::Mode::kNone &&
                         view.world.model.find_frame(hold_.held()).valid();
  if (!is_untold) exchange_.scene.publish();

  view_.is_present = probe_.is_present;
  view_.probe = probe_.position, view_.proxy = touch_.proxy();
  view_.held = hold_.is_pulling() ? hold_.held() : std::string();
  view_.force = probe_.force, view_.stiffness = probe_.stiffness;
  view_.period = probe_.period, view_.delay = probe_.delay, view_.held_back = probe_.held_back;
  return true;
}

}  // namespace stance::haptics
