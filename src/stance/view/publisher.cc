#include "stance/view/publisher.h"

#include <algorithm>

#include "stance/run/event_text.h"
#include "stance/sim/state_bytes.h"

namespace stance::view {
namespace {

constexpr std::size_t kMostEntries = 5 * 60 * 60 + 8;  // of the timeline
constexpr std::int64_t kShowEvery = 16'666'667;        // ns

}  // namespace

Publisher::Publisher(std::size_t timeline_bytes, double timeline_seconds, Clock& clock,
                     Outbox& outbox)
    : clock_(clock), outbox_(outbox), timeline_(timeline_bytes, timeline_seconds, kMostEntries) {}

// ---- what happens -------------------------------------------------------------------------------

void Publisher::on_step(const sim::StepReport& report, std::int64_t ns) {
  has_stepped_ = true;
  ++steps_.count;
  steps_.time += static_cast<double>(ns);
  const contact::ContactReport& contact = report.contact;
  const bool is_refused = report.status & (sim::kNotFinite | sim::kBadDuration);
  if (report.status & sim::kUnsolved) steps_.flags |= kFlagNotConverged;
  if (is_refused) steps_.flags |= kFlagRefused;
  if (contact.dropped > 0) steps_.flags |= kFlagDropped;
  if (contact.missed > 0) steps_.flags |= kFlagMissed;
  steps_.residual = std::max(steps_.residual, contact.residual);
  steps_.penetration = std::max(steps_.penetration, contact.penetration);
  // since the run began
  const auto raise = [](double& worst, double value) { worst = std::max(worst, value); };
  trust_.steps += !is_refused, trust_.refused += is_refused;
  trust_.not_converged += (report.status & sim::kUnsolved) != 0;
  trust_.contacts_dropped += contact.dropped, trust_.contacts_missed += contact.missed;
  raise(trust_.residual, contact.residual), raise(trust_.distance, contact.distance);
  raise(trust_.gap_velocity, contact.gap_velocity);
  raise(trust_.impulse_error, contact.impulse_error);
  trust_.energy_error = report.energy_error;
}

void Publisher::on_trouble(std::string_view what, bool is_new, double time) {
  steps_.flags |= kFlagDevice;
  if (is_new) outbox_.tell(write_event(time, "device", what));
}

void Publisher::on_sample(const Stage& stage, const sim::StepView& view) {
  watches_.sample(view, stage.run->steps(), stage.description->scene);
}

void Publisher::on_world(const Stage& stage, bool is_same) {
  if (is_same)
    watches_.renew(*stage.run);
  else
    watches_.clear(), selected_.clear();
}

void Publisher::on_event(const sim::Event& event) {
  const bool is_refused = event.kind == sim::Event::Kind::kNotFinite;
  outbox_.tell(write_event(event.time, is_refused ? "refused" : event_name(event.kind),
                           run::event_text(event) + (is_refused ? "; the step was refused" : "")));
}

void Publisher::on_error(const std::string& what) { outbox_.tell(write_error(std::nullopt, what)); }

void Publisher::on_failure(const std::string& why, std::optional<EndedRecording> ended) {
  steps_.flags |= kFlagRefused;
  touch();
  on_error(why);
  if (!ended) return;
  auto order = std::make_unique<Order>();
  order->task = Order::Told{}, order->answer.ended = std::move(ended);
  outbox_.answer(std::move(order));
}

void Publisher::enter(const Stage& stage, bool is_same_world, std::optional<double> past) {
  past_.reset();
  if (past)
    timeline_.cut_after(*past);  // what went wrong counts on, though some of it is discarded
  else
    timeline_.clear(), descriptions_.clear(), trust_ = {};
  on_world(stage, is_same_world);
  // pages may have had this world already, as a past: they are told again, and ask again
  if (!is_same_world) shown_scene_ = 0;
  steps_ = {}, figures_ = {};
  restart_speed();
  refresh();
}

std::shared_ptr<const Description> Publisher::find_description(std::uint32_t scene) const {
  for (const auto& known : descriptions_)
    if (known->scene == scene) return known;
  return nullptr;
}

// ---- viewers ------------------------------------------------------------------------------------

BegunWatch Publisher::watch(int viewer, const std::vector<std::string>& channels,
                            const Stage& stage) {
  return watches_.begin(viewer, channels, *stage.run);
}

void Publisher::select(int viewer, std::optional<int> body) {
  std::erase_if(selected_, [&](const Selected& s) { return s.viewer == viewer; });
  if (body) selected_.push_back({viewer, *body});
}

void Publisher::leave(int viewer) {
  watches_.leave(viewer);
  select(viewer, {});
}

// ---- frames -------------------------------------------------------------------------------------

void Publisher::update(LiveRun& live) {
  if (clock_.now() - last_show_ >= kShowEvery && (is_dirty_ || has_stepped_)) show(live);
}

void Publisher::show(LiveRun& live) {
  last_show_ = clock_.now();
  ++shows_;
  Shown& out = shown_.back();
  Status& status = out.status;
  status.is_paused = live.is_paused(), status.speed = live.speed();
  status.is_recording = live.is_recording();
  status.is_past = past_.has_value(), status.at = past_ ? past_->time : 0.0;
  status.trust = trust_;
  if (live.stage()) {
    show_world(live, out);
    is_dirty_ = has_stepped_ = is_fresh_ = false;
  } else {
    out.state.clear(), out.drags.clear();
    out.drag_count = 0, out.scene = 0;
    is_dirty_ = false;
  }
  shown_.publish();
  outbox_.wake();
}

void Publisher::show_world(LiveRun& live, Shown& out) {
  const Stage& stage = *live.stage();
  const sim::World& world = stage.part->scene.world;
  Status& status = out.status;
  status.law = static_cast<int>(world.contact.law);
  for (int k = 0; k < 3; ++k) status.gravity[static_cast<std::size_t>(k)] = world.gravity[k];
  if (!find_description(stage.description->scene)) descriptions_.push_back(stage.description);

  fill_state(live, out);
  fill_drags(live, out);
  if (!past_ && (has_stepped_ || is_fresh_)) keep(live, out);
  status.from = timeline_.from(), status.to = timeline_.to();

  // a world that is not the one shown last is told of first
  if (out.scene != shown_scene_) {
    if (auto known = find_description(out.scene)) outbox_.describe(std::move(known));
    shown_scene_ = out.scene;
  }
  watches_.send(outbox_);
  if (!past_ && (is_dirty_ || shows_ % 6 == 0)) send_selections(stage);
}

void Publisher::fill_state(const LiveRun& live, Shown& out) {
  const auto flags = static_cast<std::uint16_t>((live.is_paused() ? kFlagPaused : 0) |
                                                (live.is_recording() ? kFlagRecording : 0));
  if (past_) return fill_past(*past_, flags, out);
  const Stage& stage = *live.stage();
  const run::Simulation& run = live.run();
  const double time = run.state().time;
  measure_speed(time);
  // without a step since the last frame, what was said of the last one still holds
  if (steps_.count > 0 || steps_.flags != 0) {
    figures_.flags = steps_.flags;
    figures_.step_time = steps_.count > 0 ? 1e-3 * steps_.time / steps_.count : 0.0;
    figures_.residual = steps_.residual, figures_.penetration = steps_.penetration;
    steps_ = {};
  }
  FrameFigures figures = figures_;
  figures.scene = out.scene = stage.description->scene;
  figures.flags = static_cast<std::uint16_t>(flags | figures_.flags);
  figures.time = time;
  figures.step = static_cast<std::uint32_t>(run.steps());
  figures.speed = live.is_running() ? speed_now_ : 0.0;
  const sim::StepView view = run.view();
  out.joints =
      stage.maker->make_state(figures, run.state(), stage.has_step ? &view : nullptr, out.state);
}

// A frame as it was, with the flags of now.
void Publisher::fill_past(const Timeline::Entry& entry, std::uint16_t flags, Shown& out) const {
  const auto frame = timeline_.frame(entry);
  out.state.assign(frame.begin(), frame.end());
  const auto kept = get_at<std::uint16_t>(frame.data(), kFlagsAt);
  put_at(out.state, kFlagsAt,
         static_cast<std::uint16_t>((kept & kFlagsOfSteps) | flags | kFlagPast));
  out.joints = entry.joints, out.scene = entry.scene;
}

void Publisher::measure_speed(double time) {
  constexpr std::int64_t kOver = 250'000'000;  // ns
  if (speed_since_ == 0) {
    speed_since_ = last_show_, speed_time_ = time, speed_now_ = 0.0;
  } else if (last_show_ - speed_since_ > kOver) {
    speed_now_ = 1e9 * (time - speed_time_) / static_cast<double>(last_show_ - speed_since_);
    speed_since_ = last_show_, speed_time_ = time;
  }
}

void Publisher::fill_drags(const LiveRun& live, Shown& out) {
  drags_.clear();
  if (!past_)
    for (const sim::Outside::Pull& pull : live.run().outside().pulls())
      drags_.push_back({int(pull.drag.body), Hands::find_viewer(pull.source), pull.drag.position,
                        pull.drag.target, norm(pull.drag.force)});
  make_drags(out.scene, drags_, out.drags);
  out.drag_count = static_cast<int>(drags_.size());
}

void Publisher::keep(LiveRun& live, const Shown& shown) {
  const run::Simulation& run = live.run();
  bytes_.clear();
  sim::append_bare(run.state(), bytes_);
  Timeline::Entry entry;
  entry.time = run.state().time, entry.scene = shown.scene;
  entry.holds = live.hands().number_targets();
  entry.edits = run.edits().size();
  entry.joints = shown.joints;
  timeline_.cut_after(entry.time - 1e-9);  // a second frame of the same moment
  timeline_.add(entry, shown.state, bytes_);
  // what the oldest entry does not need, nothing needs
  if (const Timeline::Entry* oldest = timeline_.find(timeline_.from())) {
    live.hands().forget_targets(oldest->holds);
    std::erase_if(descriptions_, [&](const auto& d) { return d->scene < oldest->scene; });
  }
  if (descriptions_.size() > descriptions_kept_) forget_descriptions(*live.stage());
  descriptions_kept_ = descriptions_.size();
}

// Worlds that no entry is of, such as those that came and went while time stood still; and the
// oldest past, where so many worlds came that telling of them all would take too much memory.
void Publisher::forget_descriptions(const Stage& stage) {
  constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  std::erase_if(descriptions_, [&](const auto& d) {
    return d != stage.description && !timeline_.has_scene(d->scene);
  });
  std::size_t bytes = 0;
  for (const auto& d : descriptions_) bytes += d->json.size();
  while (bytes > kMostBytes && descriptions_.front() != stage.description) {
    bytes -= descriptions_.front()->json.size();
    descriptions_.erase(descriptions_.begin());
    timeline_.cut_before_scene(descriptions_.front()->scene);
  }
}

void Publisher::send_selections(const Stage& stage) {
  if (selected_.empty()) return;
  const sim::StepView view = stage.run->view();
  for (const Selected& s : selected_) {
    Selection selection{};
    selection.viewer = s.viewer;
    stage.maker->describe(s.body, view, selection);
    outbox_.send(selection);
  }
}

}  // namespace stance::view
