#include "peer_pipe.h"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <utility>

extern char** environ;

namespace stance::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Starts the executable with `socket` as stdin and stdout; 0 or errno. posix_spawn rather than
// fork: safe with threads running, and it reports a failed exec.
int spawn(const std::string& executable, int socket, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO);
  char* argv[] = {const_cast<char*>(executable.c_str()), nullptr};
  const int problem = posix_spawn(&pid, argv[0], &actions, nullptr, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  return problem;
}

// Waits for the process to end by itself, then kills it; it is reaped either way.
void reap(pid_t pid, std::chrono::milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  while (Clock::now() < deadline) {
    const pid_t ended = waitpid(pid, nullptr, WNOHANG);
    if (ended == pid || (ended < 0 && errno != EINTR)) return;
    usleep(1000);
  }
  kill(pid, SIGKILL);
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

PeerPipe& PeerPipe::operator=(PeerPipe&& other) noexcept {
  if (this == &other) return *this;
  stop();
  pid_ = std::exchange(other.pid_, -1);
  socket_ = std::exchange(other.socket_, -1);
  timeout_seconds_ = other.timeout_seconds_;
  buffer_ = std::move(other.buffer_);
  error_ = std::move(other.error_);
  return *this;
}

bool PeerPipe::launch(const std::string& executable) {
  stop();
  buffer_.clear();
  error_.clear();
  if (executable.empty()) return error_ = "this peer was not built", false;

  // one socket for both directions: writing to a dead peer is an error there, not a SIGPIPE
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return error_ = std::string("socketpair: ") + std::strerror(errno), false;
  socket_ = ends[0];
  const timeval patience{static_cast<time_t>(timeout_seconds_) + 1, 0};
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  const int problem = spawn(executable, ends[1], pid_);
  close(ends[1]);
  if (problem != 0) {
    pid_ = -1;
    lose("cannot start " + executable + ": " + std::strerror(problem));
    return false;
  }
  return true;
}

void PeerPipe::stop() {
  // the end of its input ends the peer
  if (socket_ >= 0) close(std::exchange(socket_, -1));
  if (pid_ > 0) reap(std::exchange(pid_, -1), std::chrono::milliseconds(2000));
}

bool PeerPipe::send(const std::string& text) {
  if (pid_ <= 0) {
    if (error_.empty()) error_ = "the peer is not running";
    return false;
  }
  for (size_t sent = 0; sent < text.size();) {
    const ssize_t n = ::send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;

    // a peer that left early may have said why: receive() reads it
    if (n < 0 && (errno == EPIPE || errno == ECONNRESET)) return true;
    if (n < 0) {
      kill(pid_, SIGKILL);
      lose("the peer does not read");
      return false;
    }
    sent += static_cast<size_t>(n);
  }
  return true;
}

std::optional<std::string> PeerPipe::receive() {
  const auto deadline = Clock::now() + std::chrono::duration<double>(timeout_seconds_);
  size_t searched = 0;
  for (;;) {
    // a whole line, from what has come so far
    const size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      if (line.rfind("error ", 0) != 0) return line;
      lose(line.substr(6));
      return std::nullopt;
    }
    searched = buffer_.size();

    // more of it, before the deadline
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd wait{socket_, POLLIN, 0};
    const int events = left.count() > 0 ? poll(&wait, 1, static_cast<int>(left.count())) : 0;
    if (events < 0 && errno == EINTR) continue;
    if (events <= 0) {
      kill(pid_, SIGKILL);
      lose("the peer did not answer in time");
      return std::nullopt;
    }
    char chunk[16384];
    const ssize_t n = recv(socket_, chunk, sizeof chunk, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      lose("the peer died");
      return std::nullopt;
    }
    buffer_.append(chunk, static_cast<size_t>(n));
  }
}

bool PeerPipe::receive_ok() {
  const auto line = receive();
  if (!line) return false;
  if (*line == "ok") return true;
  lose("expected 'ok', got '" + *line + "'");
  return false;
}

std::optional<std::vector<double>> PeerPipe::receive_numbers(const std::string& keyword,
                                                             size_t count) {
  const auto line = receive();
  if (!line) return std::nullopt;
  std::vector<double> numbers;
  if (line->rfind(keyword, 0) == 0) {
    numbers.reserve(count);
    const char* at = line->c_str() + keyword.size();
    for (char* end = nullptr;; at = end) {
      const double x = std::strtod(at, &end);
      if (end == at) break;
      numbers.push_back(x);
    }
  }
  if (numbers.size() == count) return numbers;
  lose("expected " + std::to_string(count) + " numbers after '" + keyword + "'");
  return std::nullopt;
}

std::optional<double> PeerPipe::receive_number(const std::string& keyword) {
  const auto numbers = receive_numbers(keyword, 1);
  return numbers ? std::optional(numbers->front()) : std::nullopt;
}

bool PeerPipe::receive_ready(Ready& ready) {
  const auto line = receive();
  if (!line) return false;
  std::istringstream words(*line);
  std::string first, name, version, nq, nv;
  if (!(words >> first >> name >> version >> nq >> ready.nq >> nv >> ready.nv) ||
      first != "ready") {
    lose("expected 'ready', got '" + *line + "'");
    return false;
  }
  ready.library = name + " " + version;
  return true;
}

void PeerPipe::lose(const std::string& reason) {
  error_ = reason;
  if (socket_ >= 0) close(std::exchange(socket_, -1));
  if (pid_ > 0) reap(std::exchange(pid_, -1), std::chrono::milliseconds(200));
}

}  // namespace stance::bench
