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

// So far, with the expectations of the scene.
Outcome make_outcome(const Simulation& simulation);

}  // namespace stance::run
