#pragma once

// A scene while it runs: steps, what acts, what comes and goes, what is worth telling.

#include <functional>
#include <memory>
#include <vector>

#include "stance/io/scene.h"
#include "stance/io/scene_edit.h"
#include "stance/sim/channel.h"
#include "stance/sim/monitor.h"
#include "stance/sim/outside.h"

namespace stance::io {

// All that a run needs to go on from: a state, and how people changed the scene before.
struct RunStart {
  sim::State state;
  std::vector<SceneEdit> edits = {};
};

class SceneRun {
 public:
  // From the scene's start, or from a moment of it (a snapshot). The scene must outlive this, and
  // stay where it is. Throws stance::Error when edits do not fit the scene.
  explicit SceneRun(const LoadedScene& scene);
  SceneRun(const LoadedScene& scene, const RunStart& from);
  SceneRun(const SceneRun&) = delete;
  SceneRun& operator=(const SceneRun&) = delete;

  // Before a step: lets objects come and go whose time it is. Throws stance::Error when one appears
  // deep inside something else. step() does it too; do it before apply().
  void update_world();

  // What people or devices do from the next step on; drags without a stiffness take the scene's.
  // Throws stance::Error and changes nothing then, as where an object would appear inside another.
  // Edits build another world, which takes milliseconds.
  void apply(const sim::InputChange& change);

  // Is told of every part that the run goes on in, before its first step.
  using PartListener = std::function<void(const LoadedScene& part)>;
  void listen(PartListener listener) { listeners_.push_back(std::move(listener)); }

  // One step. Asks for no memory once warm, but where objects come or go.
  const sim::StepReport& step();

  // Measures how long the stages of steps take, from now on; null: no more.
  void measure(sim::StepTimer* timer) { scratch_->timer = timer; }

  void forget_events() { monitor_.forget_events(); }

  std::int64_t steps() const { return steps_; }  // since the scene's start
  const LoadedScene& scene() const { return scene_; }
  const LoadedScene& part() const { return *part_; }  // with the world of now
  const sim::State& state() const { return state_; }
  RunStart start() const { return {state_, edits_}; }  // to go on from here, without inputs
  const std::vector<SceneEdit>& edits() const { return edits_; }
  const sim::Monitor& monitor() const { return monitor_; }
  const sim::Outside& outside() const { return outside_; }
  sim::StepView view() const;  // of the last step

 private:
  SceneRun(const LoadedScene& scene, const RunStart& from, EditedScene edited);

  void edit(const sim::InputChange& change);
  void enter(const LoadedScene& part, sim::State state);

  const LoadedScene& scene_;
  std::vector<SceneEdit> edits_;
  EditedScene edited_;  // once there are edits
  const LoadedScene* part_;
  sim::State state_;
  std::unique_ptr<sim::Scratch> scratch_;
  std::unique_ptr<sim::Actuation> actuation_;
  sim::Outside outside_;
  sim::Monitor monitor_;
  sim::StepReport report_;
  std::int64_t steps_ = 0;
  std::vector<PartListener> listeners_;
};

}  // namespace stance::io
