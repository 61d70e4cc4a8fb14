#pragma once

// Looks on while a scene runs: records it, or compares it with a recording.

#include <cstdint>
#include <span>

#include "stance/io/scene.h"
#include "stance/sim/channel.h"
#include "stance/sim/monitor.h"
#include "stance/sim/outside.h"

namespace stance::io {

class RunWatcher {
 public:
  virtual ~RunWatcher() = default;

  // Before the first step.
  virtual void begin(const LoadedScene& scene, std::span<sim::ChannelSource* const> sources) = 0;

  // Before a step, what people or devices do from it on.
  virtual void on_input(std::uint64_t /*step*/, double /*time*/, const sim::InputChange&) {}

  // After every step that was taken; `step` counts from the scene's start, the first is 1. False
  // ends the run.
  virtual bool after_step(std::uint64_t step, const sim::StepView& view,
                          const sim::Monitor& monitor) = 0;
};

}  // namespace stance::io
