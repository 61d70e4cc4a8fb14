#pragma once

// A scene while it runs: owns the world, the state and all that acts, measures and looks on, and
// has the one loop over steps. Any number of them run side by side.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stance/run/channels.h"
#include "stance/run/observer.h"
#include "stance/scene/compile.h"
#include "stance/sim/monitor.h"

namespace stance::run {

// An edit, who made it, and the steps that were taken before it.
struct SceneEdit {
  std::int64_t steps = 0;
  std::string source;
  scene::Edit edit;
};

// All that a run needs to go on from: a state, and how people changed the scene before.
struct Moment {
  sim::State state;
  std::vector<SceneEdit> edits = {};
  // Steps before which the world of the state began, where there are edits: what appears by itself
  // just then is not in it yet. Unset: the world of the next step.
  std::optional<std::int64_t> begins = {};
};

// A scene with edits: its compiler, and the part that a moment is in; none without edits.
struct EditedScene {
  std::shared_ptr<const scene::Compiler> compiler;
  std::unique_ptr<scene::Part> part;
};
EditedScene apply_edits(const scene::Scene& scene, const std::vector<SceneEdit>& edits,
                        std::int64_t begins);

class Simulation {
 public:
  // From the scene's start, or from a moment of it (a snapshot). Throws stance::Error when edits do
  // not fit the scene.
  explicit Simulation(std::shared_ptr<const scene::Scene> scene);
  Simulation(std::shared_ptr<const scene::Scene> scene, const Moment& from);
  explicit Simulation(scene::Scene scene);
  Simulation(scene::Scene scene, const Moment& from);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;
  ~Simulation();

  // ---- the loop

  // From now on, in the order in which they came; each is in one simulation at a time. Observers
  // may attach and detach any while they are called; one that comes is called from the next call
  // on.
  void attach(Observer& observer);
  void detach(Observer& observer);
  // Takes over those of a simulation that this one goes on from, and readers of channels: for them
  // only the world changes. They come before those that are here already.
  void adopt(Simulation& other);

  // One step with all observers: what they do, the step, what they see. False when one of them
  // wants no more, or the step was refused.
  bool advance();

  // Until so many steps were taken since the scene's start. Returns what advance() said last.
  bool advance_to(std::int64_t steps);

  // The same by time (s), to the nearest whole step.
  bool advance_until(double time);

  // The two halves of advance(), for those whose observers see a step later than it was taken.
  const sim::StepReport& begin_step();
  bool end_step();

  // ---- by hand

  // Before a step: lets objects come and go whose time it is. Throws stance::Error when one appears
  // deep inside something else. step() does it too; do it before apply().
  void update_world();

  // What people or devices do from the next step on; drags without a stiffness take the scene's.
  // Throws stance::Error and changes nothing then, as where an object would appear inside another.
  // Edits build another world, which takes milliseconds.
  void apply(const Change& change);

  // The same by somebody else than an observer; all of them are told. Throws stance::Error inside a
  // call of an observer, which appends to the list of before_step instead.
  void change(const Change& change);

  // One step, without observers. Allocates no memory once warm, but where objects come or go.
  const sim::StepReport& step();

  // Measures how long the stages of steps take, from now on; null: no more.
  void measure(sim::StepTimer* timer) { scratch_->timer = timer; }

  void forget_events() { monitor_.forget_events(); }

  // ---- what it is now

  std::int64_t steps() const { return steps_; }  // since the scene's start
  double time() const { return state_.time; }    // s
  double began() const { return began_; }        // s, the time at which this object began
  const scene::Scene& scene() const { return *scene_; }
  const std::shared_ptr<const scene::Scene>& shared_scene() const { return scene_; }
  const scene::SceneSpec& spec() const { return scene_->spec(); }
  const scene::Part& part() const { return *part_; }  // with the world of now
  const sim::State& state() const { return state_; }
  const sim::StepReport& report() const { return report_; }  // of the last step
  Moment moment() const {                                    // to go on from here, without inputs
    return {state_, edits_, edits_.empty() ? std::nullopt : std::optional(part_->begins)};
  }
  const std::vector<SceneEdit>& edits() const { return edits_; }
  const sim::Monitor& monitor() const { return monitor_; }
  const sim::Outside& outside() const { return outside_; }
  sim::StepView view() const;                        // of the last step
  Channels& channels() const { return *channels_; }  // what can be read by name (ChannelReader)

 private:
  Simulation(std::shared_ptr<const scene::Scene> scene, const Moment& from, EditedScene edited);

  void take_changes();
  template <class F>
  void tell(F&& f);
  void edit(const std::string& source, const scene::Edit& edit);
  void enter(const scene::Part& part, sim::State state);

  std::shared_ptr<const scene::Scene> scene_;
  double h_;  // s
  std::vector<SceneEdit> edits_;
  EditedScene edited_;  // once there are edits
  const scene::Part* part_;
  sim::State state_;
  std::unique_ptr<sim::Scratch> scratch_;
  std::unique_ptr<scene::Modules> modules_;
  std::unique_ptr<Channels> channels_;
  sim::Outside outside_;
  sim::Monitor monitor_;
  sim::StepReport report_;
  std::int64_t steps_ = 0;
  double began_;                      // s
  std::vector<Observer*> observers_;  // null: left while they were told
  int telling_ = 0;                   // calls of observers that are under way
  std::vector<Change> changes_;       // work
};

}  // namespace stance::run
