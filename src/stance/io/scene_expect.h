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

// Every expectation of the scene, in the order of the schema.
std::vector<ExpectationResult> judge(const LoadedScene& scene, const sim::State& end,
                                     const sim::RunSummary& summary);

}  // namespace stance::io
