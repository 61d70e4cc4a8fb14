// A peer as a process of its own, and the socket to it: lines of text, and a limit on how long an
// answer may take. Plain numbers only, so that it can be linked beside code built with any -m
// flags.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stance::bench {

// One running peer. Every call that fails returns false or nullopt and leaves a sentence in
// error(); when the process itself is lost, it is reaped and later calls fail at once. Not thread
// safe.
class PeerPipe {
 public:
  PeerPipe() = default;
  ~PeerPipe() { stop(); }
  PeerPipe(PeerPipe&& other) noexcept { *this = std::move(other); }
  PeerPipe& operator=(PeerPipe&& other) noexcept;

  // Ends the process: closes its input, waits a moment, then kills. Called by the destructor.
  void stop();

  bool is_running() const { return pid_ > 0; }
  pid_t process_id() const { return pid_; }  // -1 when not running
  const std::string& error() const { return error_; }

  // How long an answer may take before the peer counts as lost and is killed (default 60 s).
  void set_timeout(double seconds) { timeout_seconds_ = seconds; }

 protected:
  bool launch(const std::string& executable);  // an empty path is a peer not built
  bool send(const std::string& text);
  std::optional<std::string> receive();  // one line; an `error` line counts as a failure
  bool receive_ok();

  // KEYWORD and so many numbers.
  std::optional<std::vector<double>> receive_numbers(const std::string& keyword, size_t count);
  std::optional<double> receive_number(const std::string& keyword);

  // ready LIBRARY VERSION nq NQ nv NV: what peers that were sent a model say first.
  struct Ready {
    std::string library;  // name and version, as "dart 6.12.1"
    size_t nq = 0, nv = 0;
  };
  bool receive_ready(Ready& ready);

  void lose(const std::string& reason);  // the process is of no use any more

  std::string error_;

 private:
  pid_t pid_ = -1;
  int socket_ = -1;  // our end; the peer's stdin and stdout are the other
  double timeout_seconds_ = 60;
  std::string buffer_;
};

}  // namespace stance::bench
