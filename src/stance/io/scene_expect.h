#pragma once

// Whether a run did what its scene expects.

#include <string>
#include <vector>

#include "stance/io/scene.h"
#include "stance/sim/monitor.h"

namespace stance::io {

struct ExpectationResult {
  std::string name;  // "no_fall", "final.ball.x"
  bool holds = false;
  std::string wanted;  // "at most 0.001", "0.5 within 0.01", "true"
  double found = 0.0;  // for flags 1 or 0
};

// All sensors of the scene after its last step; empty where no expectation asks.
std::vector<double> read_sensors(const LoadedScene& scene, const sim::StepView& view);

// Every expectation of the scene, in the order of the schema; `readings` as above.
std::vector<ExpectationResult> judge(const LoadedScene& scene, const sim::State& end,
                                     const sim::RunSummary& summary,
                                     std::span<const double> readings = {});

}  // namespace stance::io
