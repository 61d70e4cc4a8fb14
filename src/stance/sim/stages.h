#pragma once

// The stages of a step, in their order: one line of step(), one timer, one heading of docs/step.md.

#include <iterator>

#include "stance/kernel/lap_timer.h"

namespace stance::sim {

enum class Stage {
  kControllers,   // what acts: Actuation::update
  kStart,         // bodies, where the state is not what the last step left; energy at hand
  kDrives,        // torques, springs, dampers, their limits
  kFreeVelocity,  // v* without contact
  kFindContacts,  // points, by shapes
  kAssemble,      // rows, warm start, groups
  kSolve,         // impulses in the cones
  kApply,         // v+ = v* + M^-1 J^T p
  kCorrect,       // displacement against penetration and drift
  kMove,          // q+ = q (+) h v+; account of energy, warm start
  kKinematics,    // bodies at the end: where the next step begins
  kWatch,         // events, what controllers and drags take note of
};
inline constexpr const char* kStageNames[] = {
    "controllers", "start", "drives",  "free velocity", "find contacts", "assemble",
    "solve",       "apply", "correct", "move",          "kinematics",    "watch"};
inline constexpr int kStages = static_cast<int>(Stage::kWatch) + 1;
static_assert(std::size(kStageNames) == kStages);

using StepTimer = kernel::LapTimer<kStages>;

// Nothing, where nobody wants to know.
inline void start_laps(StepTimer* timer) {
  if (timer) timer->start();
}
inline void end_lap(StepTimer* timer, Stage stage) {
  if (timer) timer->end_lap(static_cast<int>(stage));
}

}  // namespace stance::sim
