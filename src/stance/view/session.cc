#include "stance/view/session.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "stance/io/event_text.h"
#include "stance/io/scene_channels.h"
#include "stance/view/state_bytes.h"

namespace stance::view {
namespace {

constexpr std::size_t kMostOrders = 1024;
constexpr std::size_t kRingBytes = std::size_t{8} << 20;
constexpr std::size_t kMostEntries = 5 * 60 * 60 + 8;  // of the timeline
constexpr std::int64_t kShowEvery = 16'666'667;        // ns
constexpr std::int64_t kIdle = 2'000'000;              // ns between looks at the orders
constexpr std::size_t kMostEvents = 256;               // before old ones are forgotten
constexpr std::size_t kMostBatch = std::size_t{256} << 10;
constexpr double kSampleEvery = 2e-3;  // s of the simulation

// Records of the ring.
enum RingKind : std::uint32_t { kAnswer, kDescription, kEvent, kSamples, kSelection };

}  // namespace

Session::Session(SessionOptions options, std::function<void()> wake)
    : options_(std::move(options)),
      wake_(std::move(wake)),
      orders_(kMostOrders),
      ring_(kRingBytes),
      timeline_(options_.timeline_bytes, options_.timeline_seconds, kMostEntries),
      is_paused_(options_.is_paused) {
  thread_ = std::thread([this] { loop(); });
}

Session::~Session() { stop(); }

void Session::stop(std::unique_ptr<LiveRecording>* recording, RecordedRun* run) {
  if (!thread_.joinable()) return;
  is_stopping_.store(true, std::memory_order_release);
  thread_.join();
  Order order;
  if (recording_) end_recording(order);
  if (recording && run) *recording = std::move(order.recording), *run = std::move(order.recorded);
  // what was still on its way
  struct Nobody final : Listener {
    void on_answer(std::unique_ptr<Order>) override {}
    void on_description(std::shared_ptr<const Description>) override {}
    void on_event(std::string_view) override {}
    void on_samples(int, std::span<const std::byte>) override {}
    void on_selection(const Selection&) override {}
  } nobody;
  send_pending();
  drain(nobody);
}

// ---- the thread ---------------------------------------------------------------------------------

void Session::raise_priority() {
  sched_param param{};
  param.sched_priority = 20;
  const bool is_real_time = std::thread::hardware_concurrency() > 1 &&
                            pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) == 0;
  scheduling_ = is_real_time ? "the physics thread has real-time priority (SCHED_FIFO)"
                             : "the physics thread has ordinary priority: real-time scheduling is "
                               "not permitted here";
  options_.log(scheduling_);
}

bool Session::is_running() const {
  return stage_ && !is_waiting_ && !past_ && (!is_paused_ || steps_wanted_ > 0);
}

void Session::loop() {
  raise_priority();
  pacer_.restart();
  while (!is_stopping_.load(std::memory_order_acquire)) {
    take_orders();
    if (is_fresh_) show();  // how it stands before its first step
    const bool runs = is_running();
    if (runs) advance();
    if (now_ns() - last_show_ >= kShowEvery && (is_dirty_ || has_stepped_)) show();
    if (!pending_.empty()) send_pending();
    if (!runs) {
      Pacer::sleep_until(now_ns() + kIdle);
      pacer_.restart();
      speed_since_ = 0;
    } else if (steps_wanted_ == 0 && speed_ > 0.0) {
      pacer_.wait(static_cast<std::int64_t>(1e9 * stage_->loaded->scene.step / speed_));
    } else {
      pacer_.restart();
    }
  }
}

// ---- orders -------------------------------------------------------------------------------------

void Session::take_orders() {
  std::unique_ptr<Order> order;
  for (int k = 0; k < 64 && orders_.pop(order); ++k) {
    try {
      obey(*order);
    } catch (const std::exception& error) {
      order->problem = error.what();
    }
    is_dirty_ = true;
    pending_.push_back({kAnswer, order.release()});
    send_pending();
  }
}

void Session::obey(Order& order) {
  switch (order.task) {
    case Order::Task::kRequest: return obey_request(order);
    case Order::Task::kLeave:
      hands_.release(order.viewer);
      std::erase_if(watches_, [&](const Watch& w) { return w.viewer == order.viewer; });
      std::erase_if(selected_, [&](const Selected& s) { return s.viewer == order.viewer; });
      return;
    case Order::Task::kEnter: return enter(order);
    case Order::Task::kRecord: return record(order);
    case Order::Task::kGoOn: is_waiting_ = false; return;
    case Order::Task::kTold: return;
  }
}

void Session::obey_request(Order& order) {
  using Kind = Request::Kind;
  const Request& request = order.request;
  const bool needs_scene = request.kind != Kind::kPause && request.kind != Kind::kPlay &&
                           request.kind != Kind::kSpeed && request.kind != Kind::kRelease;
  if (!stage_ && needs_scene) {
    order.problem = "there is no scene yet";
    return;
  }
  switch (request.kind) {
    case Kind::kPause: is_paused_ = true, steps_wanted_ = 0; return;
    case Kind::kPlay: go_to_present(), is_paused_ = false, steps_wanted_ = 0; return;
    case Kind::kStep:
      go_to_present(), is_paused_ = true;
      steps_wanted_ = std::min(steps_wanted_ + request.count, 100000);
      return;
    case Kind::kSpeed: speed_ = *request.number, speed_since_ = 0; return;
    case Kind::kDrag:
    case Kind::kPush: return obey_drag(order);
    case Kind::kRelease: hands_.release(order.viewer); return;
    case Kind::kTarget: return obey_target(order);
    case Kind::kSelect: return obey_select(order);
    case Kind::kWatch: return obey_watch(order);
    case Kind::kSeek: return obey_seek(order);
    case Kind::kContinue: return obey_continue(order);
    case Kind::kRecord:
      if (!request.flag) {
        if (!recording_) order.problem = "nothing is being recorded";
        end_recording(order);
      } else if (recording_) {
        order.problem = "it is being recorded already";
      } else {
        // a fresh run of this state is made and recorded; until then time stands still
        is_waiting_ = true;
        order.from = stage_->run->start();
        order.epoch = epoch_, order.loaded = stage_->loaded;
      }
      return;
    case Kind::kLaw:
    case Kind::kGravity:
    case Kind::kAdd:
    case Kind::kRemove: return obey_edit(order);
    case Kind::kReset:
    case Kind::kLoad:
    case Kind::kSet: order.problem = "this cannot be done while it runs"; return;
  }
}

void Session::enter(Order& order) {
  const bool goes_on = order.cut.has_value();
  if (goes_on && order.epoch != epoch_) {
    order.problem = "the simulation became another one meanwhile; try again";
    return;
  }
  end_recording(order);
  std::swap(stage_, order.stage);
  ++epoch_;
  is_waiting_ = false;
  events_seen_ = 0;
  past_.reset();
  if (goes_on) {
    timeline_.cut_after(*order.cut);
    is_paused_ = false;
    for (const auto& known : descriptions_)
      if (known->scene == order.scene) stage_->description = known;
  } else {
    timeline_.clear();
    descriptions_.clear();
    watches_.clear(), selected_.clear();
  }
  steps_wanted_ = 0;
  is_fresh_ = true;
  hands_.restart(order.targets);
  if (!goes_on || stage_->description->scene != order.scene)
    descriptions_.push_back(stage_->description);
  flags_ = 0, worst_residual_ = worst_penetration_ = 0.0;
  speed_since_ = 0;
}

void Session::record(Order& order) {
  is_waiting_ = false;
  if (order.epoch != epoch_ || recording_) {
    order.problem = "the simulation became another one meanwhile; try again";
    return;  // and the recording goes back to be thrown away
  }
  order.stage->description = stage_->description;
  std::swap(stage_, order.stage);
  stage_->meshes = std::move(order.stage->meshes);
  events_seen_ = 0;
  hands_.repeat();
  recording_ = std::move(order.recording);
  recorded_from_ = stage_->run->state().time;
}

void Session::end_recording(Order& order) {
  if (!recording_) return;
  order.recording = std::move(recording_);
  stage_->run->listen({});  // to its channels, which are gone with it
  const sim::Monitor& monitor = stage_->run->monitor();
  order.recorded = {monitor.summary(), monitor.events(),
                    stage_->run->state().time - recorded_from_};
}

// A link or object that can be pulled at; the pointer is of its frame.
const model::Frame* Session::find_moving(const std::string& name) const {
  const model::Model& model = stage_->part->scene.world.model;
  const model::FrameIndex index = model.find_frame(name);
  if (!index.valid() || model.frames[index].body == model::BodyIndex(0)) return nullptr;
  return &model.frames[index];
}

void Session::obey_drag(Order& order) {
  const Request& request = order.request;
  if (past_) {
    order.problem = "the past is shown, and cannot be touched";
  } else if (!find_moving(*request.name)) {
    order.problem = fmt::format("there is no '{}' that can move", *request.name);
  } else if (request.kind == Request::Kind::kDrag) {
    order.problem = hands_.drag(order.viewer, *request.name, request.point, request.vector);
  } else {
    hands_.push(order.viewer, *request.name, request.point, request.vector,
                stage_->run->state().time + *request.number);
  }
}

void Session::obey_target(Order& order) {
  const model::Model& model = stage_->part->scene.world.model;
  const std::string& name = *order.request.name;
  const model::BodyIndex body = model.find_joint(name);
  if (!body.valid() || body == model::BodyIndex(0) || model.joint_nq(body) != 1)
    order.problem = fmt::format("there is no joint '{}' of one coordinate", name);
  else
    hands_.set_target(name, order.request.number);
}

void Session::obey_select(Order& order) {
  std::erase_if(selected_, [&](const Selected& s) { return s.viewer == order.viewer; });
  if (!order.request.name) return;
  const model::BodyIndex body = stage_->part->scene.world.model.find_body(*order.request.name);
  if (!body.valid() || body == model::BodyIndex(0))
    order.problem = fmt::format("there is no body '{}' that can move", *order.request.name);
  else
    selected_.push_back({order.viewer, int(body)});
}

void Session::obey_watch(Order& order) {
  std::erase_if(watches_, [&](const Watch& w) { return w.viewer == order.viewer; });
  Watch watch;
  watch.viewer = order.viewer, watch.number = ++last_watch_;
  watch.names = order.request.channels;
  choose_channels(watch);
  order.details.watch = static_cast<int>(watch.number);
  order.details.columns = watch.columns;
  if (!watch.choice) return;
  watch.batch.reserve(kMostBatch);
  watches_.push_back(std::move(watch));
}

// Channels of the world of now.
void Session::choose_channels(Watch& watch) const {
  watch.choice.reset();
  watch.order.clear(), watch.columns.clear();
  watch.sources = io::make_channels(*stage_->part);
  std::vector<sim::ChannelSource*> sources;
  std::vector<std::string> wanted;
  for (const auto& source : watch.sources) {
    sources.push_back(source.get());
    for (const sim::Channel& channel : source->channels())
      if (std::count(watch.names.begin(), watch.names.end(), channel.name))
        wanted.push_back(channel.name);
  }
  if (wanted.empty()) return;
  watch.choice.emplace(sources, wanted);
  watch.values.resize(watch.choice->width());
  // values come in the order of the sources, columns are told in that of the viewer
  std::set<std::string> told;
  for (const std::string& name : watch.names) {
    std::size_t at = 0;
    const bool is_told = !told.insert(name).second;
    for (const sim::Channel& channel : watch.choice->channels()) {
      for (const std::string& column : channel.columns) {
        if (channel.name == name && !is_told) {
          watch.order.push_back(at);
          watch.columns.push_back(column.empty() ? name : name + ":" + column);
        }
        ++at;
      }
    }
  }
}

// Other objects, gravity or law: at once, since people look.
void Session::obey_edit(Order& order) {
  if (past_) {
    order.problem = "the past is shown, and cannot be touched";
    return;
  }
  io::SceneRun& run = *stage_->run;
  run.update_world();
  const sim::InputChange change = make_edit(order);
  run.apply(change);
  if (recording_)
    recording_->watcher().on_input(static_cast<std::uint64_t>(run.steps() + 1), run.state().time,
                                   change);
  using Kind = sim::InputChange::Kind;
  change_world(change.kind == Kind::kGravity || change.kind == Kind::kLaw);
  tell_events();
  is_fresh_ = true;
}

sim::InputChange Session::make_edit(Order& order) {
  using Kind = sim::InputChange::Kind;
  const Request& request = order.request;
  sim::InputChange out{.source = fmt::format("viewer {}", order.viewer)};
  switch (request.kind) {
    case Request::Kind::kLaw: out.kind = Kind::kLaw, out.name = *request.name; break;
    case Request::Kind::kGravity: out.kind = Kind::kGravity, out.gravity = request.vector; break;
    case Request::Kind::kRemove: out.kind = Kind::kRemove, out.name = *request.name; break;
    default: {
      out.kind = Kind::kAdd;
      const model::Model& model = stage_->part->scene.world.model;
      do out.name = fmt::format("object{}", ++last_object_);
      while (model.find_frame(out.name).valid());
      const std::vector<double>& size = request.size;
      const std::string shape =
          request.shape == "sphere" ? fmt::format("sphere: {{radius: {}}}", size[0])
          : request.shape == "box"
              ? fmt::format("box: {{size: [{}, {}, {}]}}", size[0], size[1], size[2])
              : fmt::format("{}: {{radius: {}, length: {}}}", request.shape, size[0], size[1]);
      const auto list = [](const Vec3d& v) {
        return fmt::format("[{}, {}, {}]", v[0], v[1], v[2]);
      };
      out.object = fmt::format("{{shape: {{{}}}, mass: {}, position: {}, velocity: {}}}", shape,
                               *request.number, list(request.point), list(request.velocity));
      order.details.body = out.name;
    }
  }
  return out;
}

void Session::obey_seek(Order& order) {
  if (!order.request.number) {
    go_to_present();
    return;
  }
  const Timeline::Entry* entry = timeline_.find(*order.request.number);
  if (!entry) {
    order.problem = "there is no past yet";
    return;
  }
  past_ = *entry;
}

void Session::go_to_present() { past_.reset(); }

void Session::obey_continue(Order& order) {
  const Timeline::Entry* entry = timeline_.find(*order.request.number);
  if (!entry) {
    order.problem = "there is no past yet";
    return;
  }
  order.from = stage_->run->start();
  read_state(timeline_.state(*entry), order.from->state);
  order.from->edits.resize(entry->edits);  // later ones are forgotten too
  order.cut = entry->time, order.scene = entry->scene;
  order.epoch = epoch_, order.loaded = stage_->loaded;
  order.targets = hands_.find_targets(entry->holds);
  is_waiting_ = true;
}

// ---- steps --------------------------------------------------------------------------------------

void Session::advance() {
  try {
    take_step();
  } catch (const std::exception& error) {
    refuse(error.what());
  }
  if (steps_wanted_ > 0 && --steps_wanted_ == 0) is_dirty_ = true;
}

void Session::take_step() {
  io::SceneRun& run = *stage_->run;
  run.update_world();
  apply_changes();
  if (stage_->is_world_new()) change_world();
  const std::int64_t began = now_ns();
  const sim::StepReport& report = run.step();
  step_time_ += static_cast<double>(now_ns() - began);
  ++step_count_;
  has_stepped_ = stage_->has_step = true;
  if (report.status & sim::kNotConverged) flags_ |= kFlagNotConverged;
  worst_residual_ = std::max(worst_residual_, report.contact.residual);
  worst_penetration_ = std::max(worst_penetration_, report.contact.penetration);
  if (report.status & (sim::kNotFinite | sim::kBadDuration)) {
    flags_ |= kFlagRefused;
    is_paused_ = true, steps_wanted_ = 0;
    tell_events();
    return;
  }
  const sim::StepView view = run.view();
  if (recording_)
    recording_->watcher().after_step(static_cast<std::uint64_t>(run.steps()), view, run.monitor());
  for (const auto& module : options_.modules) module->after_step(view, run.outside());
  if (!watches_.empty()) add_samples(view);
  tell_events();
}

// Before the step: what viewers and devices do from it on.
void Session::apply_changes() {
  io::SceneRun& run = *stage_->run;
  const auto step = static_cast<std::uint64_t>(run.steps() + 1);
  const double time = run.state().time;
  changes_.clear();
  hands_.before_step(time, changes_);
  for (const auto& module : options_.modules) module->before_step(step, time, changes_);
  for (const sim::InputChange& change : changes_) {
    try {
      run.apply(change);
    } catch (const Error& error) {  // a device that pulls at what is not there
      tell_error(error.what());
      continue;
    }
    if (recording_) recording_->watcher().on_input(step, time, change);
  }
}

// Things came or went, or act otherwise.
void Session::change_world(bool is_same) {
  if (is_same) {
    stage_->update_world();
    for (Watch& watch : watches_) choose_channels(watch);
    return;
  }
  stage_->enter_world();
  descriptions_.push_back(stage_->description);
  watches_.clear(), selected_.clear();
  hands_.forget([this](const std::string& name) { return find_moving(name) != nullptr; });
}

void Session::refuse(const std::string& why) {
  flags_ |= kFlagRefused;
  is_paused_ = true, steps_wanted_ = 0;
  is_dirty_ = true;
  tell_error(why);
  if (!recording_) return;
  // what was written so far is whole; somebody with time makes a file of it
  auto order = std::make_unique<Order>();
  order->task = Order::Task::kTold;
  end_recording(*order);
  pending_.push_back({kAnswer, order.release()});
}

void Session::tell_events() {
  const std::vector<sim::Event>& events = stage_->run->monitor().events();
  for (; events_seen_ < events.size(); ++events_seen_) {
    const sim::Event& event = events[events_seen_];
    const bool is_refused = event.kind == sim::Event::Kind::kNotFinite;
    const std::string json =
        write_event(event.time, is_refused ? "refused" : event_name(event.kind),
                    io::event_text(event) + (is_refused ? "; the step was refused" : ""));
    send(kEvent, std::as_bytes(std::span(json)));
  }
  if (events_seen_ > kMostEvents && !recording_) stage_->run->forget_events(), events_seen_ = 0;
}

void Session::add_samples(const sim::StepView& view) {
  const auto every = std::max<std::int64_t>(1, std::llround(kSampleEvery / view.h));
  if (stage_->run->steps() % every != 0) return;
  for (Watch& watch : watches_) {
    if (!watch.choice) continue;
    if (watch.rows == 0)
      begin_samples(stage_->description->scene, watch.number, watch.order.size(), watch.batch);
    if (watch.batch.size() + 8 + 4 * watch.order.size() > kMostBatch) continue;
    watch.choice->read(view, watch.values);
    put(watch.batch, view.state.time);
    for (const std::size_t k : watch.order) put(watch.batch, static_cast<float>(watch.values[k]));
    ++watch.rows;
  }
}

// ---- what is shown ------------------------------------------------------------------------------

void Session::show() {
  const std::int64_t now = now_ns();
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
  io::SceneRun& run = *stage_->run;
  const double time = run.state().time;
  if (speed_since_ == 0) {
    speed_since_ = last_show_, speed_time_ = time, speed_now_ = 0.0;
  } else if (last_show_ - speed_since_ > 250'000'000) {
    speed_now_ = 1e9 * (time - speed_time_) / static_cast<double>(last_show_ - speed_since_);
    speed_since_ = last_show_, speed_time_ = time;
  }
  FrameFigures figures;
  figures.scene = out.scene = stage_->description->scene;
  figures.flags = static_cast<std::uint16_t>(flags | flags_);
  figures.time = time;
  figures.step = static_cast<std::uint32_t>(run.steps());
  figures.speed = is_running() ? speed_now_ : 0.0;
  figures.step_time = step_count_ > 0 ? 1e-3 * step_time_ / step_count_ : 0.0;
  figures.residual = worst_residual_, figures.penetration = worst_penetration_;
  const sim::StepView view = run.view();
  out.joints = stage_->maker->make_state(figures, run.state(), stage_->has_step ? &view : nullptr,
                                         out.state);
  flags_ = 0, worst_residual_ = worst_penetration_ = step_time_ = 0.0, step_count_ = 0;
}

void Session::fill_drags(Shown& out) {
  drags_.clear();
  if (!past_)
    for (const sim::Outside::Pull& pull : stage_->run->outside().pulls())
      drags_.push_back({int(pull.drag.body), Hands::find_viewer(pull.change.source),
                        pull.drag.position, pull.drag.target, norm(pull.drag.force)});
  make_drags(out.scene, drags_, out.drags);
  out.drag_count = static_cast<int>(drags_.size());
}

void Session::keep(const Shown& shown) {
  if (past_) return;
  bytes_.clear();
  write_state(stage_->run->state(), bytes_);
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

// ---- by the server's thread ---------------------------------------------------------------------

void Session::drain(Listener& listener) {
  const auto pointer = [](std::span<const std::byte> bytes) {
    return get_at<void*>(bytes.data(), 0);
  };
  ring_.drain([&](std::uint32_t kind, std::span<const std::byte> bytes) {
    switch (kind) {
      case kAnswer:
        listener.on_answer(std::unique_ptr<Order>(static_cast<Order*>(pointer(bytes))));
        return;
      case kDescription: {
        const std::unique_ptr<std::shared_ptr<const Description>> description(
            static_cast<std::shared_ptr<const Description>*>(pointer(bytes)));
        listener.on_description(*description);
        return;
      }
      case kEvent:
        listener.on_event({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        return;
      case kSamples:
        listener.on_samples(static_cast<int>(get_at<std::uint32_t>(bytes.data(), 0)),
                            bytes.subspan(4));
        return;
      case kSelection: {
        Selection selection;
        std::memcpy(&selection, bytes.data(), sizeof selection);
        listener.on_selection(selection);
        return;
      }
    }
  });
}

}  // namespace stance::view
