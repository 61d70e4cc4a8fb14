#pragma once

// Serves the page over HTTP and the protocol over WebSockets (docs/protocol.md). One thread.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "stance/view/access.h"
#include "stance/view/hub.h"

namespace stance::view {

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;        // 0: any
  bool takes_next_port = false;  // when it is taken
  bool asks_for_token = false;   // also on loopback
  HubOptions hub;
};

class Server {
 public:
  // Listens; throws stance::Error when it cannot.
  explicit Server(ServerOptions options);
  ~Server();

  std::uint16_t port() const;
  const std::string& token() const;  // empty when none is asked for

  // Until stop(), which any thread or signal handler's thread may call. On return everything is
  // over, and a recording is finished.
  void run();
  void stop();
  // Also stops on Ctrl-C and SIGTERM.
  void stop_on_signals();

  const Hub& hub() const;

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace stance::view
