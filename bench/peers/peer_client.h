// The pipe side of the peers: starts one as a process of its own and talks to it (peer_protocol.h).
// Plain numbers only, so that it can be linked beside code built with any -m flags.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "peer_protocol.h"

namespace stance::bench {

// One running peer. Every call that fails returns false or nullopt and leaves a sentence in
// error(); when the process itself is lost, it is reaped and later calls fail at once. Not thread
// safe.
class PeerProcess {
 public:
  PeerProcess() = default;
  ~PeerProcess() { stop(); }
  PeerProcess(PeerProcess&& other) noexcept { *this = std::move(other); }
  PeerProcess& operator=(PeerProcess&& other) noexcept;

  // Starts the executable and sends the model (write_model); an empty path is a peer not built.
  [[nodiscard]] bool start(const std::string& executable, const std::string& model_text);

  // Ends the process: closes its input, waits a moment, then kills. Called by the destructor.
  void stop();

  bool is_running() const { return pid_ > 0; }
  pid_t process_id() const { return pid_; }  // -1 when not running
  const std::string& error() const { return error_; }
  const std::string& library() const { return library_; }  // name and version, as "dart 6.12.1"

  // q, v and tau in Stance's coordinates, in the order of the bodies of the model.
  [[nodiscard]] bool set(const std::vector<double>& q, const std::vector<double>& v,
                         const std::vector<double>& tau);
  std::optional<PeerEval> eval(const std::vector<double>& q, const std::vector<double>& v,
                               const std::vector<double>& tau);

  // Points fixed on bodies, and J M^-1 J^T there (3 rows per point, world axes, row-major).
  [[nodiscard]] bool set_contacts(const std::vector<PeerContact>& contacts);
  std::optional<std::vector<double>> lambda();

  // Mean microseconds of one call over a batch; nullopt too for a name the peer does not know.
  std::optional<double> time_us(const std::string& name, int repeats);

  // How long an answer may take before the peer counts as lost (default 60 s); before start().
  void set_timeout(double seconds) { timeout_seconds_ = seconds; }

 private:
  bool send(const std::string& text);
  std::optional<std::string> receive();  // one line; an `error` line counts as a failure
  bool receive_ok();
  std::optional<std::vector<double>> receive_numbers(const std::string& keyword, size_t count);
  void lose(const std::string& reason);  // the process is of no use any more

  pid_t pid_ = -1;
  int socket_ = -1;  // our end; the peer's stdin and stdout are the other
  size_t nq_ = 0, nv_ = 0, contacts_ = 0;
  double timeout_seconds_ = 60;
  std::string buffer_, library_, error_;
};

}  // namespace stance::bench
