#pragma once

// The Haply Inverse service, emulated: a simulated hand on the real clock, behind the same
// messages. Listens on loopback only.

#include <functional>
#include <memory>
#include <string>

#include "stance/haptics/check/emulator.h"

namespace stance::haptics {

struct ServerOptions {
  HandOptions hand{};         // latency and jitter: from a message to its effect and answer
  int port = 10001;           // 0: any that is free
  double button_from = -1.0;  // s, from when on the first button is held; negative: never
  double rate = 0.0;          // answers a second at most; 0: every message at once
  double duration = 0.0;      // s, until it stops by itself; 0: never
  bool stop_on_signals = false;
  // Told of clients that come and go and of messages that are none.
  std::function<void(const std::string&)> tell;
};

// What the hand went through so far.
struct HandReport {
  double time = 0.0;  // s
  Vec3d position{}, force{};
  double drawn = 0.0, burnt = 0.0, overdrawn = 0.0;  // J; the most of drawn - burnt
  std::uint64_t messages = 0, bad_messages = 0, clients = 0;
};

class HaplyServer {
 public:
  // Throws stance::Error where the port is taken.
  HaplyServer(const ServerOptions& options, Motion motion);
  ~HaplyServer();

  int port() const;
  void run();   // until stop
  void stop();  // from any thread
  // Drops all clients; from any thread.
  void drop_clients();
  // Takes messages and answers none, as a service that hangs; from any thread.
  void set_silent(bool is_silent);
  HandReport report() const;  // of the last message; from any thread

 private:
  class Service;
  std::shared_ptr<Service> service_;
};

}  // namespace stance::haptics
