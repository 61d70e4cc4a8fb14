#pragma once

// A device's probe in the simulation: it touches bodies (probe_touch.h) and holds them
// (probe_hold.h). Runs on the physics thread; acts by changes that are logged like any other.

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "stance/haptics/probe_hold.h"
#include "stance/haptics/probe_touch.h"
#include "stance/run/observer.h"

namespace stance::haptics {

class HapticModule final : public run::Observer {
 public:
  HapticModule(const HapticOptions& options, Exchange& exchange);

  // What is held stays so, by its name; in another simulation it is taken anew where it is then.
  void begin(run::Simulation& simulation) override;
  void on_world(const scene::Part& part) override;
  void before_step(const run::StepAhead& step, std::vector<run::Change>& changes) override;
  bool after_step(const run::Simulation& simulation, const sim::StepView& view) override;

  // On the physics thread. The point (m, in the frame of that name) is held where it is when the
  // next step begins. Nothing happens when there is no such thing.
  void attach(const std::string& name, const Vec3d& point) { hold_.attach(name, point); }
  void detach() { hold_.detach(); }

  // The time that a step takes, s, where no clock can tell: on a simulated one.
  void set_step_cost(double seconds) { step_cost_ = seconds; }

  const ProbeView& view() const { return view_; }

  // Of the local model that the device feels between steps.
  std::string_view trouble() const override;

 private:
  void act(std::vector<run::Change>& changes);
  void press();
  void take_anew();
  LocalFault find_fault(const SceneState& scene);
  void release_all(std::vector<run::Change>& changes);

  HapticOptions options_;
  Exchange& exchange_;
  std::unique_ptr<ProbeWorld> world_;  // null until a step of it was seen
  ProbeTouch touch_;
  ProbeHold hold_;
  std::optional<double> step_cost_;
  std::chrono::steady_clock::time_point began_{};
  ProbeState probe_;
  ProbeView view_;
  bool has_begun_ = false;   // in some simulation
  bool has_jumped_ = false;  // the state did, and no step has been seen since
  bool was_pressed_ = false, was_present_ = false;
  std::uint64_t jumps_ = 0;     // of the probe
  std::uint64_t unsolved_ = 0;  // likewise, before the last step
  LocalFault fault_ = LocalFault::kNone;
};

}  // namespace stance::haptics
