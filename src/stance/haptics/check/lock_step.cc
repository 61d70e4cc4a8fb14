#include "stance/haptics/check/lock_step.h"

namespace stance::haptics {

LockStep::LockStep(scene::Scene scene, Device& device, const LoopOptions& loop,
                   const HapticOptions& options)
    : run_(std::move(scene)),
      h_(run_.spec().step),
      period_(loop.period),
      module_(options, exchange_),
      loop_(device, loop, exchange_) {
  set_step_cost(0.0);
  run_.attach(module_);
}

void LockStep::set_step_cost(double seconds) {
  cost_ = seconds;
  module_.set_step_cost(seconds);
}

void LockStep::begin_step() {
  run_.begin_step();
  is_stepping_ = true;
}

void LockStep::end_step() {
  run_.end_step();
  if (after_step) after_step(run_.view(), run_.outside());
  is_stepping_ = false;
  ++steps_;
}

void LockStep::run(double duration) {
  const double end = static_cast<double>(steps_) * h_ + duration;
  constexpr double kSame = 1e-9;  // s
  while (true) {
    const double tick = static_cast<double>(ticks_) * period_;
    // the step at hand is seen after what it takes, the next one begins at its time
    const double event = static_cast<double>(steps_) * h_ + (is_stepping_ ? cost_ : 0.0);
    if (is_stepping_ && event <= tick + kSame) {
      end_step();
    } else if (std::min(tick, event) > end - kSame) {
      return;
    } else if (tick <= event + kSame) {
      ++ticks_;
      loop_.tick(tick);
      if (after_tick) after_tick(tick);
    } else {
      begin_step();
    }
  }
}

}  // namespace stance::haptics
