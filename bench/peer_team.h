#pragma once

// The peers of a benchmark, each in its own process, after they have shown that they compute the
// same thing as we do.

#include <optional>
#include <string>
#include <vector>

#include "peers/peer_client.h"
#include "workload.h"

namespace stance::bench {

class PeerTeam {
 public:
  PeerTeam() = default;  // nobody

  // Starts every peer that was built, hands over the state and the contacts of `ours`, and
  // compares M, bias, vdot and Lambda; who is missing or disagrees is left out with a note.
  explicit PeerTeam(Workload& ours);

  int size() const { return static_cast<int>(members_.size()); }
  const std::string& name(int peer) const { return members_[peer].name; }
  pid_t process_id(int peer) const { return members_[peer].process.process_id(); }
  const std::vector<std::string>& notes() const { return notes_; }  // sentences for people

  // "dart 6.12.1, mujoco 2.2.2"
  std::string describe() const;

  // Whether a peer has the algorithm.
  bool has(int peer, const std::string& algorithm);

  // Mean of a batch of calls in microseconds.
  std::optional<double> time_us(int peer, const std::string& algorithm, int calls) {
    return members_[peer].process.time_us(algorithm, calls);
  }

 private:
  struct Member {
    std::string name;
    PeerProcess process;
  };

  std::vector<Member> members_;
  std::vector<std::string> notes_;
};

}  // namespace stance::bench
