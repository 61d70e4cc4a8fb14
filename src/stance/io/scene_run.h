#pragma once

// A scene while it runs: steps, what acts, what comes and goes, what is worth telling.

#include <memory>

#include "stance/io/scene.h"
#include "stance/sim/channel.h"
#include "stance/sim/monitor.h"
#include "stance/sim/outside.h"

namespace stance::io {

class SceneRun {
 public:
  // From the scene's start, or from a state of it (a snapshot). The scene must outlive this, and
  // stay where it is.
  explicit SceneRun(const LoadedScene& scene);
  SceneRun(const LoadedScene& scene, const sim::State& from);
  SceneRun(const SceneRun&) = delete;
  SceneRun& operator=(const SceneRun&) = delete;

  // Before a step: lets objects come and go whose time it is. Throws stance::Error when one appears
  // deep inside something else. step() does it too; do it before apply().
  void update_world();

  // What people or devices do from the next step on; drags without a stiffness take the scene's.
  // Throws stance::Error.
  void apply(const sim::InputChange& change);

  // One step. Asks for no memory once warm, but where objects come or go.
  const sim::StepReport& step();

  void forget_events() { monitor_.forget_events(); }

  std::int64_t steps() const { return steps_; }  // since the scene's start
  const LoadedScene& scene() const { return scene_; }
  const LoadedScene& part() const { return *part_; }  // with the world of now
  const sim::State& state() const { return state_; }
  const sim::Monitor& monitor() const { return monitor_; }
  const sim::Outside& outside() const { return outside_; }
  sim::StepView view() const;  // of the last step

 private:
  void enter(const LoadedScene& part);
  void check_arrivals() const;

  const LoadedScene& scene_;
  const LoadedScene* part_;
  sim::State state_;
  std::unique_ptr<sim::Scratch> scratch_;
  std::unique_ptr<sim::Actuation> actuation_;
  sim::Outside outside_;
  sim::Monitor monitor_;
  sim::StepReport report_;
  std::int64_t steps_ = 0;
};

}  // namespace stance::io
