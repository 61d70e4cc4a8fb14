#pragma once

// What takes part in a simulation while it runs live: devices, servers. It sees every step on the
// physics thread, and acts by changes that are logged like any other input.

#include <cstdint>
#include <vector>

#include "stance/sim/channel.h"
#include "stance/sim/outside.h"

namespace stance::sim {

class LiveModule {
 public:
  virtual ~LiveModule() = default;

  // On the physics thread, before a step: appends what it does from this step on.
  virtual void before_step(std::uint64_t step, double time, std::vector<InputChange>& changes) = 0;

  // On the physics thread, before the next before_step: steps go on in another world, and nothing
  // of the old one is there any more. With `jumps` they go on from another state, too: a reset,
  // another scene, the past.
  virtual void leave_world(bool jumps) = 0;

  // On the physics thread, after a step.
  virtual void after_step(const StepView& view, const Outside& outside) = 0;
};

}  // namespace stance::sim
