#include "stance/view/session.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>

#include <fmt/format.h>

#include "stance/run/event_text.h"

namespace stance::view {
namespace {

constexpr std::size_t kMostOrders = 1024;
constexpr std::size_t kMostEntries = 5 * 60 * 60 + 8;  // of the timeline
constexpr std::int64_t kShowEvery = 16'666'667;        // ns
constexpr std::int64_t kIdle = 2'000'000;              // ns between looks at the orders
constexpr std::size_t kMostEvents = 256;               // before old ones are forgotten
constexpr double kSampleEvery = 2e-3;                  // s of the simulation

}  // namespace

Session::Session(SessionOptions options, std::function<void()> wake)
    : options_(std::move(options)),
      wake_(std::move(wake)),
      orders_(kMostOrders),
      ring_(kRingBytes),
      timeline_(options_.timeline_bytes, options_.timeline_seconds, kMostEntries),
      pacer_(*options_.clock),
      is_paused_(options_.is_paused) {
  thread_ = std::thread([this] { loop(); });
}

Session::~Session() { stop(); }

void Session::stop(std::unique_ptr<LiveRecording>* recording, run::Outcome* run) {
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
    if (options_.clock->now() - last_show_ >= kShowEvery && (is_dirty_ || has_stepped_)) show();
    if (!pending_.empty()) send_pending();
    if (!runs) {
      options_.clock->sleep_until(options_.clock->now() + kIdle);
      pacer_.restart();
      speed_since_ = 0;
    } else if (steps_wanted_ == 0 && speed_ > 0.0) {
      pacer_.wait(static_cast<std::int64_t>(1e9 * stage_->loaded->scene->spec().step / speed_));
    } else {
      pacer_.restart();
    }
  }
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
  run::Simulation& run = *stage_->run;
  const std::int64_t began = options_.clock->now();
  const sim::StepReport& report = run.begin_step();
  step_time_ += static_cast<double>(options_.clock->now() - began);
  if (stage_->is_world_new()) change_world();
  ++step_count_;
  has_stepped_ = stage_->has_step = true;
  if (report.status & sim::kNotConverged) flags_ |= kFlagNotConverged;
  worst_residual_ = std::max(worst_residual_, report.contact.residual);
  worst_penetration_ = std::max(worst_penetration_, report.contact.penetration);
  if (report.status & (sim::kNotFinite | sim::kBadDuration)) {
    flags_ |= kFlagRefused;
    is_paused_ = true, steps_wanted_ = 0;
  } else {
    run.end_step();
  }
  tell_events();
}

// Before the step: what viewers do from it on.
void Session::before_step(const run::StepAhead& step, std::vector<run::Change>& changes) {
  hands_.before_step(step.time, changes);
}

bool Session::on_refused(const run::Refusal& refusal) {  // a device that pulls at what is not there
  tell_error(refusal.error.what());
  return true;
}

bool Session::after_step(const run::Simulation&, const sim::StepView& view) {
  if (!watches_.empty()) add_samples(view);
  return true;
}

// Hands first, then devices; a recorder is attached by who made it.
void Session::join_simulation() {
  stage_->run->attach(*this);
  for (const auto& module : options_.modules) stage_->run->attach(*module);
}

void Session::leave_simulation() {
  if (!stage_) return;
  stage_->run->detach(*this);
  for (const auto& module : options_.modules) stage_->run->detach(*module);
}

// Things came or went, or act otherwise.
void Session::change_world(bool is_same) {
  if (is_same) {
    stage_->update_world();
    renew_watches();
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
                    run::event_text(event) + (is_refused ? "; the step was refused" : ""));
    send(kEvent, std::as_bytes(std::span(json)));
  }
  if (events_seen_ > kMostEvents && !recording_) stage_->run->forget_events(), events_seen_ = 0;
}

void Session::add_samples(const sim::StepView& view) {
  const auto every = std::max<std::int64_t>(1, std::llround(kSampleEvery / view.h));
  if (stage_->run->steps() % every != 0) return;
  for (Watch& watch : watches_) {
    if (!watch.reader) continue;
    if (watch.rows == 0)
      begin_samples(stage_->description->scene, watch.number, watch.order.size(), watch.batch);
    if (watch.batch.size() + 8 + 4 * watch.order.size() > kMostBatch) continue;
    watch.reader->read(watch.values);
    put(watch.batch, view.state.time);
    for (const std::size_t k : watch.order) put(watch.batch, static_cast<float>(watch.values[k]));
    ++watch.rows;
  }
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
