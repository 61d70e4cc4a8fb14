#pragma once

// A viewer without a page: speaks docs/protocol.md to a server.

#include <array>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "stance/view/bytes.h"
#include "stance/view/server.h"

namespace stance::view::testing {

using nlohmann::json;

// What an HTTP request came to; status 0: the connection was closed.
struct HttpReply {
  int status = 0;
  std::string text;  // head and body
};
HttpReply ask_http(std::uint16_t port, const std::string& request);
HttpReply get(std::uint16_t port, const std::string& target, const std::string& more = "",
              const std::string& host = "localhost");

// A state frame, as far as tests look at it.
struct SeenState {
  std::uint32_t scene = 0, step = 0;
  int flags = 0, bodies = 0, contacts = 0, joints = 0;
  double time = 0.0, speed = 0.0;
  Bytes bytes;
  std::array<double, 3> position(int body) const;  // by its place in `scene`
};

class Client {
 public:
  struct Options {
    std::string target = "/ws", host = "localhost", origin = "";
    bool reads = true;        // false: a viewer that takes nothing
    bool keeps_texts = true;  // false: only counts them
  };
  // Throws std::runtime_error when it is refused.
  explicit Client(std::uint16_t port) : Client(port, Options()) {}
  Client(std::uint16_t port, Options options);
  ~Client();  // vanishes without a word
  Client(const Client&) = delete;

  // Sends a request; returns the answer (`ok` or `error`).
  json ask(json request);
  double tell(json request);  // without waiting; returns its id
  void send_raw(const std::string& text, bool is_text = true);

  // The first text message from number `from` on that fits; throws when none comes.
  json wait_text(const std::function<bool(const json&)>& fits, std::size_t from = 0);
  json wait_type(const std::string& type, std::size_t from = 0);
  std::size_t text_count();
  // The newest state frame that fits.
  SeenState wait_state(const std::function<bool(const SeenState&)>& fits);
  SeenState next_state();  // one that comes after this call
  // A binary frame of another kind.
  Bytes wait_frame(int kind, const std::function<bool(const Bytes&)>& fits);
  bool is_closed();
  std::size_t bytes_received();

  json hello() { return wait_type("hello"); }
  json scene();  // the newest

 private:
  struct Socket;
  void read();

  std::unique_ptr<Socket> socket_;
  double next_id_ = 1000.0;
  std::mutex mutex_;
  std::condition_variable came_;
  bool keeps_texts_;
  std::size_t text_count_ = 0;
  std::vector<json> texts_;
  std::vector<SeenState> states_;
  std::vector<Bytes> frames_;
  std::size_t state_count_ = 0, bytes_ = 0;
  bool is_closed_ = false;
  std::thread thread_;
};

using Scenes = std::vector<std::pair<std::string, std::string>>;

// A server in this process, on a free port of loopback.
class RunningServer {
 public:
  // Offers these scenes: name and YAML, or no YAML: one that came with the program. The first one
  // runs.
  explicit RunningServer(const Scenes& scenes, std::function<void(ServerOptions&)> change = {});
  ~RunningServer();

  std::uint16_t port() const { return server_->port(); }
  Server& server() { return *server_; }
  const std::string& folder() const { return folder_; }
  std::string fetch_recording() const;  // the file that it was saved to
  void stop();

 private:
  std::string folder_;
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

}  // namespace stance::view::testing
