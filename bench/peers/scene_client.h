// Our side of the peers that simulate scenes (scene_protocol.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "peer_pipe.h"
#include "scene_protocol.h"

namespace stance::bench {

class SceneProcess : public PeerPipe {
 public:
  // Starts the executable and sends the scene (write_scene) and an option of the peer's own; an
  // empty path is a peer not built.
  [[nodiscard]] bool start(const std::string& executable, const std::string& scene_text,
                           const std::string& option);

  const std::string& library() const { return ready_.library; }  // name and version

  // Mean microseconds of so many steps, after some to warm up.
  std::optional<double> run(int warm, int steps);
  [[nodiscard]] bool restart();
  [[nodiscard]] bool set_start(const std::vector<double>& q, const std::vector<double>& v);
  std::optional<std::vector<double>> state();  // q in Stance's coordinates
  std::optional<int> contacts();

 private:
  Ready ready_;
};

}  // namespace stance::bench
