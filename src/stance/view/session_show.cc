// What the physics thread tells: states, worlds, samples, selections.

#include <algorithm>

#include "stance/sim/state_bytes.h"
#include "stance/view/session.h"

namespace stance::view {

void Session::show() {
  const std::int64_t now = options_.clock->now();
  last_show_ = now;
  ++shows_;
  Shown& out = shown_.back();
  Status& status = out.status;
  status.is_paused = is_paused_, status.speed = speed_;
  status.is_recording = recording_ != nullptr;
  status.is_past = past_.has_value(), status.at = past_ ? past_->time : 0.0;
  if (!stage_) {
    out.state.clear(), out.drags.clear();
    out.drag_count = 0, out.scene = 0;
    shown_.publish();
    is_dirty_ = false;
    wake_();
    return;
  }
  const sim::World& world = stage_->part->scene.world;
  status.law = static_cast<int>(world.contact.law);
  for (int k = 0; k < 3; ++k) status.gravity[static_cast<std::size_t>(k)] = world.gravity[k];

  fill_state(out);
  fill_drags(out);
  if (has_stepped_ || is_fresh_) keep(out);
  status.from = timeline_.from(), status.to = timeline_.to();

  // a world that is not the one shown last is told of first
  if (out.scene != shown_scene_) {
    for (const auto& known : descriptions_)
      if (known->scene == out.scene) send_description(known);
    shown_scene_ = out.scene;
  }
  send_samples();
  if (!selected_.empty() && (is_dirty_ || shows_ % 6 == 0)) send_selections();
  is_dirty_ = has_stepped_ = is_fresh_ = false;
  shown_.publish();
  wake_();
}

void Session::fill_state(Shown& out) {
  const std::uint16_t flags = static_cast<std::uint16_t>((is_paused_ ? kFlagPaused : 0) |
                                                         (recording_ ? kFlagRecording : 0));
  if (past_) {
    const auto frame = timeline_.frame(*past_);
    out.state.assign(frame.begin(), frame.end());
    put_at(out.state, kFlagsAt,
           static_cast<std::uint16_t>((get_at<std::uint16_t>(frame.data(), kFlagsAt) &
                                       (kFlagNotConverged | kFlagRefused)) |
                                      flags | kFlagPast));
    out.joints = past_->joints, out.scene = past_->scene;
    return;
  }
  run::Simulation& run = *stage_->run;
  const double time = run.state().time;
  if (speed_since_ == 0) {
    speed_since_ = last_show_, speed_time_ = time, speed_now_ = 0.0;
  } else if (last_show_ - speed_since_ > 250'000'000) {
    speed_now_ = 1e9 * (time - speed_time_) / static_cast<double>(last_show_ - speed_since_);
    speed_since_ = last_show_, speed_time_ = time;
  }
  // without a step since the last frame, what was said of the last one still holds
  if (step_count_ > 0 || flags_ != 0) {
    figures_.flags = flags_;
    figures_.step_time = step_count_ > 0 ? 1e-3 * step_time_ / step_count_ : 0.0;
    figures_.residual = worst_residual_, figures_.penetration = worst_penetration_;
    flags_ = 0, worst_residual_ = worst_penetration_ = step_time_ = 0.0, step_count_ = 0;
  }
  FrameFigures figures = figures_;
  figures.scene = out.scene = stage_->description->scene;
  figures.flags = static_cast<std::uint16_t>(flags | figures_.flags);
  figures.time = time;
  figures.step = static_cast<std::uint32_t>(run.steps());
  figures.speed = is_running() ? speed_now_ : 0.0;
  const sim::StepView view = run.view();
  out.joints = stage_->maker->make_state(figures, run.state(), stage_->has_step ? &view : nullptr,
                                         out.state);
}

void Session::fill_drags(Shown& out) {
  drags_.clear();
  if (!past_)
    for (const sim::Outside::Pull& pull : stage_->run->outside().pulls())
      drags_.push_back({int(pull.drag.body), Hands::find_viewer(pull.source), pull.drag.position,
                        pull.drag.target, norm(pull.drag.force)});
  make_drags(out.scene, drags_, out.drags);
  out.drag_count = static_cast<int>(drags_.size());
}

void Session::keep(const Shown& shown) {
  if (past_) return;
  bytes_.clear();
  sim::append_bare(stage_->run->state(), bytes_);
  Timeline::Entry entry;
  entry.time = stage_->run->state().time, entry.scene = shown.scene;
  entry.holds = hands_.number_targets();
  entry.edits = stage_->run->edits().size();
  entry.joints = shown.joints;
  timeline_.cut_after(entry.time - 1e-9);  // a second frame of the same moment
  timeline_.add(entry, shown.state, bytes_);
  // what the oldest entry does not need, nothing needs
  if (const Timeline::Entry* oldest = timeline_.find(timeline_.from())) {
    hands_.forget_targets(oldest->holds);
    std::erase_if(descriptions_, [&](const auto& d) { return d->scene < oldest->scene; });
  }
  if (descriptions_.size() > descriptions_kept_) forget_descriptions();
  descriptions_kept_ = descriptions_.size();
}

// Worlds that no entry is of, such as those that came and went while time stood still; and the
// oldest past, where so many worlds came that telling of them all would take too much memory.
void Session::forget_descriptions() {
  constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  std::erase_if(descriptions_, [&](const auto& d) {
    return d != stage_->description && !timeline_.has_scene(d->scene);
  });
  std::size_t bytes = 0;
  for (const auto& d : descriptions_) bytes += d->json.size();
  while (bytes > kMostBytes && descriptions_.front() != stage_->description) {
    bytes -= descriptions_.front()->json.size();
    descriptions_.erase(descriptions_.begin());
    timeline_.cut_before_scene(descriptions_.front()->scene);
  }
}

void Session::send_samples() {
  for (Watch& watch : watches_) {
    if (watch.rows == 0) continue;
    put_at(watch.batch, kRowsAt, watch.rows);
    watch.rows = 0;
    // plots may have holes when nobody takes them out, answers may not
    if (ring_.used() > kRingBytes / 2) continue;
    const auto viewer = static_cast<std::uint32_t>(watch.viewer);
    std::byte* to = ring_.reserve(kSamples, sizeof viewer + watch.batch.size());
    if (!to) continue;
    std::memcpy(to, &viewer, sizeof viewer);
    std::memcpy(to + sizeof viewer, watch.batch.data(), watch.batch.size());
    ring_.commit();
  }
}

void Session::send_selections() {
  if (past_) return;
  const sim::StepView view = stage_->run->view();
  for (const Selected& s : selected_) {
    Selection selection{};
    selection.viewer = s.viewer;
    stage_->maker->describe(s.body, view, selection);
    send(kSelection, std::as_bytes(std::span(&selection, 1)));
  }
}

void Session::send(std::uint32_t kind, std::span<const std::byte> bytes) {
  if (ring_.used() < kRingBytes / 2) ring_.push(kind, bytes);
}

void Session::send_description(std::shared_ptr<const Description> description) {
  pending_.push_back(
      {kDescription, new std::shared_ptr<const Description>(std::move(description))});
  send_pending();
}

void Session::tell_error(const std::string& what) {
  const std::string json = write_error(std::nullopt, what);
  send(kEvent, std::as_bytes(std::span(json)));
}

// In their order; what finds no room stays.
void Session::send_pending() {
  std::size_t sent = 0;
  while (sent < pending_.size() &&
         ring_.push(pending_[sent].kind, std::as_bytes(std::span(&pending_[sent].pointer, 1))))
    ++sent;
  if (sent == 0) return;
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(sent));
  wake_();
}

}  // namespace stance::view
