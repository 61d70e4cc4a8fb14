#include "stance/run/recorder.h"

#include <chrono>
#include <cstring>
#include <utility>

namespace stance::run {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kRingBytes = std::size_t{8} << 20;
constexpr std::size_t kWriteBytes = std::size_t{1} << 20;  // that are worth a call of the system
constexpr auto kPoll = std::chrono::milliseconds(5);

}  // namespace

Recorder::Recorder(Simulation& simulation, const std::vector<std::string>& patterns,
                   const std::vector<Place>& places, int every)
    : reader_(simulation, patterns, places), every_(static_cast<std::uint64_t>(every)) {}

Recorder::~Recorder() { stop(); }

void Recorder::start(std::unique_ptr<RecordSink> sink, double flush) {
  flush_ = flush;
  ring_ = std::make_unique<RecordRing>(
      std::max(kRingBytes, 16 * sizeof(double) * (2 + reader_.width())));
  sink_ = std::move(sink);
  thread_ = std::thread([this] { write(); });
}

bool Recorder::after_step(const Simulation& simulation, const sim::StepView& view) {
  const auto step = static_cast<std::uint64_t>(simulation.steps());
  if (step % every_ == 0) {
    // straight into the ring: step number, time, values
    auto* row = reinterpret_cast<double*>(reserve(kRow, 8 * (2 + reader_.width())));
    std::memcpy(row, &step, sizeof step);
    row[1] = view.state.time;
    reader_.read({row + 2, reader_.width()});
    ring_->commit();
    ++rows_;
  }
  const std::vector<sim::Event>& events = simulation.monitor().events();
  if (events.size() > events_seen_) push_events(events);
  return true;
}

void Recorder::push_events(const std::vector<sim::Event>& events) {
  for (; events_seen_ < events.size(); ++events_seen_) push(events[events_seen_]);
}

void Recorder::on_change(const StepAhead& step, const Change& change) {
  push(MadeChange{step, change});
}

// A full ring means a disk that is slower than the simulation: then this waits, since a recording
// with holes would be worth little.
std::byte* Recorder::reserve(Kind kind, std::size_t length) {
  for (;;) {
    if (has_failed_.load(std::memory_order_acquire)) throw Error(problem_);
    if (std::byte* room = ring_->reserve(kind, length)) return room;
    ++waits_;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

void Recorder::push(Note note) {
  reserve(kNote, 0);
  {
    const std::lock_guard lock(notes_mutex_);
    notes_.push_back(std::move(note));
  }
  ring_->commit();
}

void Recorder::write_note() {
  std::unique_lock lock(notes_mutex_);
  const Note note = std::move(notes_.front());
  notes_.pop_front();
  lock.unlock();
  if (const auto* made = std::get_if<MadeChange>(&note))
    sink_->add_change(made->step, made->change);
  else
    sink_->add_event(std::get<sim::Event>(note));
}

void Recorder::write() {
  try {
    Clock::time_point flushed = Clock::now();
    for (bool is_last = false; !is_last;) {
      is_last = is_done_.load(std::memory_order_acquire);
      ring_->drain([this](std::uint32_t kind, std::span<const std::byte> bytes) {
        kind == kRow ? sink_->add_row(bytes) : write_note();
      });
      const Clock::time_point now = Clock::now();
      const bool is_time = std::chrono::duration<double>(now - flushed + kPoll).count() > flush_;
      if (is_last || is_time || sink_->waiting() >= kWriteBytes) sink_->flush(), flushed = now;
      if (!is_last) std::this_thread::sleep_for(kPoll);
    }
  } catch (const std::exception& error) {
    problem_ = error.what();
    has_failed_.store(true, std::memory_order_release);
  }
}

void Recorder::stop() {
  if (!thread_.joinable()) return;
  is_done_.store(true, std::memory_order_release);
  thread_.join();
}

void Recorder::leave(Simulation& simulation) {
  simulation.detach(*this);
  reader_.leave();
}

std::unique_ptr<RecordSink> Recorder::finish(const std::vector<sim::Event>& events) {
  push_events(events);  // the last one comes with a step that was not taken
  stop();
  if (has_failed_.load()) throw Error(problem_);
  return std::move(sink_);
}

}  // namespace stance::run
