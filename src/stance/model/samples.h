#pragma once

// Small systems made by code, for tests, benchmarks and examples alike.

#include "stance/model/model.h"

namespace stance::model {

struct ChainOptions {
  double length = 0.1;    // of one link, m
  double mass = 0.1;      // of one link, kg
  double radius = 0.01;   // of one link, a solid rod, m
  bool floating = false;  // on a free joint instead of a hinge
};

// A chain of n rods along -z, hanging from the world; hinges about x and y in turn.
Model make_chain(int n, const ChainOptions& options = {});

// n free cubes of 0.1 m and 1 kg.
Model make_cubes(int n);

}  // namespace stance::model
