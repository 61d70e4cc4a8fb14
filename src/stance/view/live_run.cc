#include "stance/view/live_run.h"

#include <algorithm>

#include "stance/run/expectations.h"

namespace stance::view {
namespace {

constexpr int kMostSteps = 100000;        // that may be asked for at a time
constexpr std::size_t kMostEvents = 256;  // before old ones are forgotten

}  // namespace

LiveRun::LiveRun(Modules modules, Clock& clock, bool is_paused, LiveListener& listener)
    : modules_(std::move(modules)),
      troubles_(modules_.size()),
      clock_(clock),
      listener_(listener),
      is_paused_(is_paused) {}

// ---- steps --------------------------------------------------------------------------------------

void LiveRun::advance() {
  try {
    take_step();
  } catch (const std::exception& error) {
    fail(error.what());
  }
  if (steps_wanted_ > 0 && --steps_wanted_ == 0) listener_.on_halt();
}

void LiveRun::take_step() {
  run::Simulation& run = *stage_->run;
  const std::int64_t began = clock_.now();
  const sim::StepReport& report = run.begin_step();
  const std::int64_t took = clock_.now() - began;
  if (stage_->is_world_new()) change_world(false);
  stage_->has_step = true;
  listener_.on_step(report, took);
  if (report.status & (sim::kNotFinite | sim::kBadDuration))
    pause();
  else
    run.end_step();
  tell_troubles();
  tell_events();
}

void LiveRun::tell_troubles() {
  for (std::size_t k = 0; k < modules_.size(); ++k) {
    const std::string_view trouble = modules_[k]->trouble();
    if (!trouble.empty()) listener_.on_trouble(trouble, trouble != troubles_[k], run().time());
    troubles_[k] = trouble;
  }
}

void LiveRun::fail(const std::string& why) {
  pause();
  // what was written so far is whole; somebody with time makes a file of it
  listener_.on_failure(why, end_recording());
}

// Before the step: what viewers do from it on.
void LiveRun::before_step(const run::StepAhead& step, std::vector<run::Change>& changes) {
  hands_.before_step(step.time, changes);
}

bool LiveRun::on_refused(const run::Refusal& refusal) {  // a device that pulls at what is not there
  listener_.on_error(refusal.error.what());
  return true;
}

bool LiveRun::after_step(const run::Simulation&, const sim::StepView& view) {
  listener_.on_sample(*stage_, view);
  return true;
}

void LiveRun::tell_events() {
  const std::vector<sim::Event>& events = run().monitor().events();
  for (; events_seen_ < events.size(); ++events_seen_) listener_.on_event(events[events_seen_]);
  if (events_seen_ > kMostEvents && !recording_) stage_->run->forget_events(), events_seen_ = 0;
}

void LiveRun::step(int count) {
  is_paused_ = true;
  steps_wanted_ = std::min(steps_wanted_ + count, kMostSteps);
}

std::optional<std::int64_t> LiveRun::period() const {
  if (steps_wanted_ > 0 || !(speed_ > 0.0)) return {};
  return static_cast<std::int64_t>(1e9 * stage_->loaded->scene->spec().step / speed_);
}

// ---- what runs ----------------------------------------------------------------------------------

const model::Frame* LiveRun::find_moving(const std::string& name) const {
  const model::Model& model = stage_->part->scene.world.model;
  const model::FrameIndex index = model.find_frame(name);
  if (!index.valid() || model.frames[index].body == model::BodyIndex(0)) return nullptr;
  return &model.frames[index];
}

void LiveRun::enter(std::unique_ptr<Stage>& stage, const Hands::Targets& targets) {
  if (stage_) {
    stage_->run->detach(*this);
    for (const auto& module : modules_) stage_->run->detach(*module);
  }
  std::swap(stage_, stage);
  // hands first, then devices; a recorder is attached by who made it
  stage_->run->attach(*this);
  for (const auto& module : modules_) stage_->run->attach(*module);
  ++epoch_;
  is_waiting_ = false;
  events_seen_ = 0;
  steps_wanted_ = 0;
  hands_.restart(targets);
}

void LiveRun::record(std::unique_ptr<Stage>& stage, std::unique_ptr<LiveRecording> recording) {
  stage->description = stage_->description;
  std::swap(stage_, stage);
  stage_->run->adopt(*stage->run);
  stage_->meshes = std::move(stage->meshes);
  listener_.on_world(*stage_, true);
  events_seen_ = 0;
  hands_.repeat();
  recording_ = std::move(recording);
  recorded_from_ = run().state().time;
}

std::optional<EndedRecording> LiveRun::end_recording() {
  if (!recording_) return {};
  recording_->leave();
  const sim::Monitor& monitor = run().monitor();
  return EndedRecording{std::move(recording_),
                        {.summary = run::summarize(run()),
                         .events = monitor.events(),
                         .events_left_out = monitor.events_left_out(),
                         .simulated = run().time() - recorded_from_}};
}

void LiveRun::update_world() {
  stage_->run->update_world();
  if (stage_->is_world_new()) change_world(false);
}

void LiveRun::edit(const std::string& source, const scene::Edit& edit) {
  stage_->run->change({source, edit});
  change_world(std::holds_alternative<scene::SetGravity>(edit) ||
               std::holds_alternative<scene::SetLaw>(edit));
  tell_events();
}

// Things came or went, or (is_same) act otherwise.
void LiveRun::change_world(bool is_same) {
  if (is_same) {
    stage_->update_world();
  } else {
    stage_->enter_world();
    hands_.forget([this](const std::string& name) { return find_moving(name) != nullptr; });
  }
  listener_.on_world(*stage_, is_same);
}

}  // namespace stance::view
