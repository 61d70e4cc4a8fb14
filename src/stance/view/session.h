#pragma once

// The live simulation: one thread that steps a scene to the clock. It meets the thread of the
// server in three places, none of which makes it wait: a queue of orders in (order_desk.h), a ring
// of answers, events and samples out (outbox.h), and a buffer that holds the newest state
// (publisher.h).

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "stance/view/live_run.h"
#include "stance/view/order_desk.h"
#include "stance/view/outbox.h"
#include "stance/view/pacer.h"
#include "stance/view/publisher.h"

namespace stance::view {

struct SessionOptions {
  bool is_paused = false;
  std::vector<std::shared_ptr<run::Observer>> modules{};
  std::size_t timeline_bytes = std::size_t{256} << 20;
  double timeline_seconds = 300.0;
  Clock* clock = &wall_clock();  // outlives the session
  std::function<void(const std::string&)> log = [](const std::string&) {};
};

class Session {
 public:
  // `wake` is called on the physics thread when there is something to take; it must not wait.
  Session(SessionOptions options, std::function<void()> wake);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();  // stops the thread

  // ---- by the server's thread

  // False when there are too many orders already; then it is as it was.
  bool post(std::unique_ptr<Order>& order) { return desk_.post(order); }

  // The newest state, if there is one that was not taken yet; valid until the next call.
  const Shown* take_shown() { return publisher_.take_shown(); }

  // What came meanwhile, in the order in which it came. A state that was taken before has its
  // description among what comes then.
  void drain(Outbox::Listener& listener) { outbox_.drain(listener); }

  // Ends the thread; returns what was being recorded, if something was.
  std::optional<EndedRecording> stop();

  // After stop().
  const Lateness& lateness() const { return pacer_.lateness(); }
  const std::string& scheduling() const { return scheduling_; }

 private:
  void loop();
  void raise_priority();

  SessionOptions options_;
  Outbox outbox_;
  Publisher publisher_;
  LiveRun live_;
  OrderDesk desk_;
  Pacer pacer_;
  std::string scheduling_;
  std::atomic<bool> is_stopping_{false};
  std::thread thread_;
};

}  // namespace stance::view
