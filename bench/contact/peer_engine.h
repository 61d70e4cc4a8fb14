#pragma once

#include <memory>

#include "contact/engine.h"
#include "peers/scene_client.h"

namespace stance::bench {

// The scene as the peers read it. Throws stance::Error where they cannot: materials that differ.
PeerScene make_peer_scene(const BenchScene& scene);

class PeerEngine final : public Engine {
 public:
  PeerEngine(std::string name, std::string option)
      : name_(std::move(name)), option_(std::move(option)) {}

  [[nodiscard]] bool launch(const std::string& executable, const std::string& scene_text);

  const std::string& name() const override { return name_; }
  std::string setup() const override { return option_; }
  pid_t process_id() const override { return process_.process_id(); }
  std::optional<double> run(int warm, int steps) override { return process_.run(warm, steps); }
  bool restart() override { return process_.restart(); }
  bool set_start(const std::vector<double>& q, const std::vector<double>& v) override {
    return process_.set_start(q, v);
  }
  std::optional<std::vector<double>> state() override { return process_.state(); }
  std::optional<int> contacts() override { return process_.contacts(); }
  std::string error() const override { return process_.error(); }

 private:
  std::string name_, option_;
  SceneProcess process_;
};

// Every peer that was built, takes the scene and does with it what we do, with every set-up that it
// may be best with; who does not is left out, with a sentence in `notes`.
std::vector<std::unique_ptr<Engine>> start_peers(const BenchScene& scene, bool with_bullet,
                                                 std::vector<std::string>& notes);

}  // namespace stance::bench
