#include "stance/haptics/lock_step.h"

namespace stance::haptics {

LockStep::LockStep(const io::LoadedScene& scene, Device& device, const LoopOptions& loop,
                   const HapticOptions& options)
    : run_(scene),
      h_(scene.step),
      period_(loop.period),
      module_(options, exchange_),
      loop_(device, loop, exchange_) {}

void LockStep::step() {
  run_.update_world();
  changes_.clear();
  module_.before_step(static_cast<std::uint64_t>(run_.steps() + 1), run_.state().time, changes_);
  for (const sim::InputChange& change : changes_) run_.apply(change);
  run_.step();
  module_.after_step(run_.view(), run_.outside());
  if (after_step) after_step(run_.view(), run_.outside());
}

void LockStep::run(double duration) {
  const double end = static_cast<double>(steps_) * h_ + duration;
  constexpr double kSame = 1e-9;  // s
  while (true) {
    const double tick = static_cast<double>(ticks_) * period_;
    const double step_time = static_cast<double>(steps_) * h_;
    if (std::min(tick, step_time) > end - kSame) return;
    if (tick <= step_time + kSame) {
      ++ticks_;
      loop_.tick(tick);
      if (after_tick) after_tick(tick);
    } else {
      ++steps_;
      step();
    }
  }
}

}  // namespace stance::haptics
