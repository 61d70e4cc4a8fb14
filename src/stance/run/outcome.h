#pragma once

// What a run came to.

#include <vector>

#include "stance/run/expectations.h"

namespace stance::run {

struct Outcome {
  sim::RunSummary summary{};
  std::vector<sim::Event> events{};
  std::int64_t events_left_out = 0;
  double simulated = 0.0;  // s
  std::vector<ExpectationResult> expect{};

  bool holds() const {
    for (const ExpectationResult& result : expect)
      if (!result.holds) return false;
    return true;
  }
};

// Of a run that began at this time (s); with the expectations of its scene.
Outcome make_outcome(const Simulation& simulation, double began);

}  // namespace stance::run
