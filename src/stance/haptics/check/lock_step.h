#pragma once

// Physics and a device on one simulated clock: the device's ticks and the steps of a scene in the
// order of their times. For tests and for the figures of `stance device-emulator --check`.

#include <algorithm>
#include <functional>

#include "stance/haptics/device_loop.h"
#include "stance/haptics/module.h"
#include "stance/run/simulation.h"

namespace stance::haptics {

class LockStep {
 public:
  LockStep(scene::Scene scene, Device& device, const LoopOptions& loop,
           const HapticOptions& options);

  // What a step takes (s, less than a step): its results are seen so much later. None by default.
  void set_step_cost(double seconds);

  // Runs for this long (s). A tick at the same time as a step comes before it.
  void run(double duration);

  // Called after every tick of the device and every step, if set.
  std::function<void(double time)> after_tick;
  std::function<void(const sim::StepView&, const sim::Outside&)> after_step;

  run::Simulation& scene() { return run_; }
  HapticModule& module() { return module_; }
  const DeviceLoop& loop() const { return loop_; }

 private:
  void begin_step();
  void end_step();

  run::Simulation run_;
  double h_, period_, cost_ = 0.0;
  bool is_stepping_ = false;
  Exchange exchange_;
  HapticModule module_;
  DeviceLoop loop_;
  std::int64_t ticks_ = 0, steps_ = 0;
};

}  // namespace stance::haptics
