#pragma once

// Several engines on one scene: times in one run, and what became of the scene, by our own measure.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "contact/engine.h"

namespace stance::bench {

// What one engine came to.
struct Result {
  std::string name, setup;
  double us = 0.0;                    // of a step
  std::optional<double> penetration;  // m, the deepest, by our collision code
  std::optional<double> creep;        // m/s, the fastest drift of a body that touches something
  int contacts = 0;                   // points, as the engine counts them
};

// Whatever rests: after `settle` steps, the smallest mean of many batches, taken in turns.
struct RestOptions {
  int settle = 1000;
  int repeats = 60;
  std::string label = {};
};
std::vector<std::optional<Result>> race_at_rest(const sim::World& world,
                                                const std::vector<Engine*>& engines,
                                                const RestOptions& options);

// Whatever moves: the mean over a whole run, in pieces that are taken in turns; of every piece the
// smallest of the repeats counts.
struct RunOptions {
  int warm = 0;
  int steps = 2000;
  int repeats = 3;
  bool has_creep = false;  // whether the end of the run is at rest
  std::string label = {};
};
std::vector<std::optional<Result>> race_through(const sim::World& world,
                                                const std::vector<Engine*>& engines,
                                                const RunOptions& options);

}  // namespace stance::bench
