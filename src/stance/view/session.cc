#include "stance/view/session.h"

#include <pthread.h>
#include <sched.h>

namespace stance::view {
namespace {

constexpr std::int64_t kIdle = 2'000'000;  // ns between looks at the orders

}  // namespace

Session::Session(SessionOptions options, std::function<void()> wake)
    : options_(std::move(options)),
      outbox_(std::move(wake)),
      publisher_(options_.timeline_bytes, options_.timeline_seconds, *options_.clock, outbox_),
      live_(options_.modules, *options_.clock, options_.is_paused, publisher_),
      desk_(live_, publisher_, outbox_),
      pacer_(*options_.clock) {
  thread_ = std::thread([this] { loop(); });
}

Session::~Session() { stop(); }

std::optional<EndedRecording> Session::stop() {
  if (!thread_.joinable()) return {};
  is_stopping_.store(true, std::memory_order_release);
  thread_.join();
  outbox_.clear();  // what was still on its way
  return live_.end_recording();
}

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

void Session::loop() {
  Clock& clock = *options_.clock;
  raise_priority();
  pacer_.restart();
  while (!is_stopping_.load(std::memory_order_acquire)) {
    // what people want, and how things stand before the first step that follows from it
    desk_.take_orders();
    publisher_.update_fresh(live_);

    const bool runs = live_.is_running() && !publisher_.is_past();
    if (runs) live_.advance();
    publisher_.update(live_);
    outbox_.flush();

    // until the next step is due
    if (!runs) {
      clock.sleep_until(clock.now() + kIdle);
      pacer_.restart();
      publisher_.restart_speed();
    } else if (const std::optional<std::int64_t> period = live_.period()) {
      pacer_.wait(*period);
    } else {
      pacer_.restart();
    }
  }
}

}  // namespace stance::view
