#pragma once

// Somebody who simulates a scene: we, or a peer in its own process.

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "stance/sim/scene_builder.h"

namespace stance::bench {

// Gains of the joints per velocity (nv), or nothing at all: tau = k (target - q) - d v.
struct Drive {
  std::vector<double> stiffness, damping, target;
};

struct BenchScene {
  sim::Scene scene;
  Drive drive = {};
};

inline constexpr double kStep = 1e-3;  // s

// Every call that fails answers false or nothing; error() says why.
class Engine {
 public:
  virtual ~Engine() = default;

  virtual const std::string& name() const = 0;    // ours, mujoco, bullet
  virtual std::string setup() const = 0;          // what was chosen for this engine, for people
  virtual pid_t process_id() const { return 0; }  // of another process, else 0

  // Mean microseconds of processor time of so many steps, after some to warm up.
  virtual std::optional<double> run(int warm, int steps) = 0;
  [[nodiscard]] virtual bool restart() = 0;
  [[nodiscard]] virtual bool set_start(const std::vector<double>& q,
                                       const std::vector<double>& v) = 0;
  virtual std::optional<std::vector<double>> state() = 0;  // q
  virtual std::optional<int> contacts() = 0;               // points of the last step
  virtual std::string error() const { return {}; }
};

}  // namespace stance::bench
