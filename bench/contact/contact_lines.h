#pragma once

// The scenes of `stance bench contact`, and what is asked of us on each.

#include <functional>
#include <string>
#include <vector>

#include "contact/engine.h"

namespace stance::bench {

// Ours over a peer's time must not be larger than `ratio`; `against` is a peer, or "best".
struct Asked {
  double tolerance;  // of our residual
  double ratio;      // 0: nothing is asked
  const char* against;
};

struct ContactLine {
  const char* name;
  const char* about;
  std::function<BenchScene()> make;
  enum class Kind { kRest, kDrop, kSettled } kind;
  int steps;  // until it has settled, or of the drop
  bool with_bullet;
  std::vector<Asked> asked;
};

const std::vector<ContactLine>& contact_lines();

}  // namespace stance::bench
