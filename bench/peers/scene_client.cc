#include "scene_client.h"

namespace stance::bench {

bool SceneProcess::start(const std::string& executable, const std::string& scene_text,
                         const std::string& option) {
  return launch(executable) && send(scene_text + option + "\n") && receive_ready(ready_);
}

std::optional<double> SceneProcess::run(int warm, int steps) {
  if (!send("run " + std::to_string(warm) + " " + std::to_string(steps) + "\n"))
    return std::nullopt;
  return receive_number("us");
}

bool SceneProcess::restart() { return send("restart\n") && receive_ok(); }

bool SceneProcess::set_start(const std::vector<double>& q, const std::vector<double>& v) {
  if (q.size() != ready_.nq || v.size() != ready_.nv)
    return error_ = "q or v has the wrong size", false;
  return send(write_start(q, v)) && receive_ok();
}

std::optional<std::vector<double>> SceneProcess::state() {
  if (!send("state\n")) return std::nullopt;
  auto q = receive_numbers("q", ready_.nq);
  if (!q || !receive_ok()) return std::nullopt;
  return q;
}

std::optional<int> SceneProcess::contacts() {
  if (!send("contacts\n")) return std::nullopt;
  const auto answer = receive_number("contacts");
  return answer ? std::optional(static_cast<int>(*answer)) : std::nullopt;
}

}  // namespace stance::bench
