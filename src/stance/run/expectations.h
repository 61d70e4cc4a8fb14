#pragma once

// Whether a run did what its scene expects.

#include <string>
#include <vector>

#include "stance/run/simulation.h"

namespace stance::run {

struct ExpectationResult {
  std::string name;  // "no_fall", "final.ball.x"
  bool holds = false;
  std::string wanted;  // "at most 0.001", "0.5 within 0.01", "true"
  double found = 0.0;  // for flags 1 or 0
};

// What the monitor saw, with the penetration of where things are now.
sim::RunSummary summarize(const Simulation& simulation);

// Every expectation of the scene about the run so far, in the order of the schema. Those of the
// final state count only where the run has the duration that they are for.
std::vector<ExpectationResult> judge(const Simulation& simulation);

// What the scene expects at the end is there then, what it records exists. Throw stance::Error.
void check_expectations(const scene::Scene& scene);
void check_record(const scene::Scene& scene);

}  // namespace stance::run
