// Our side of the peers that know dynamics: what to say to them, and how to read what they answer
// (peer_protocol.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "peer_pipe.h"
#include "peer_protocol.h"

namespace stance::bench {

class PeerProcess : public PeerPipe {
 public:
  // Starts the executable and sends the model (write_model); an empty path is a peer not built.
  [[nodiscard]] bool start(const std::string& executable, const std::string& model_text);

  const std::string& library() const {
    return ready_.library;
  }  // name and version, as "dart 6.12.1"

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

 private:
  Ready ready_;
  size_t contacts_ = 0;
};

}  // namespace stance::bench
