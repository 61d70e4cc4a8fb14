#include "scene_client.h"

#include <sstream>

namespace stance::bench {

bool SceneProcess::start(const std::string& executable, const std::string& scene_text,
                         const std::string& option) {
  if (!launch(executable) || !send(scene_text + option + "\n")) return false;
  const auto line = receive();
  if (!line) return false;
  std::istringstream words(*line);
  std::string ready, name, version, nq, nv;
  if (!(words >> ready >> name >> version >> nq >> nq_ >> nv >> nv_) || ready != "ready") {
    lose("expected 'ready', got '" + *line + "'");
    return false;
  }
  library_ = name + " " + version;
  return true;
}

std::optional<double> SceneProcess::run(int warm, int steps) {
  if (!send("run " + std::to_string(warm) + " " + std::to_string(steps) + "\n"))
    return std::nullopt;
  const auto answer = receive_numbers("us", 1);
  return answer ? std::optional(answer->front()) : std::nullopt;
}

bool SceneProcess::restart() { return send("restart\n") && receive_ok(); }

bool SceneProcess::set_start(const std::vector<double>& q, const std::vector<double>& v) {
  if (q.size() != nq_ || v.size() != nv_) return error_ = "q or v has the wrong size", false;
  return send(write_start(q, v)) && receive_ok();
}

std::optional<std::vector<double>> SceneProcess::state() {
  if (!send("state\n")) return std::nullopt;
  auto q = receive_numbers("q", nq_);
  if (!q || !receive_ok()) return std::nullopt;
  return q;
}

std::optional<int> SceneProcess::contacts() {
  if (!send("contacts\n")) return std::nullopt;
  const auto answer = receive_numbers("contacts", 1);
  return answer ? std::optional(static_cast<int>(answer->front())) : std::nullopt;
}

}  // namespace stance::bench
