#pragma once

// Whoever takes part in a simulation or looks on: people and devices that push, recorders, checks
// against a recording, what shows it. One interface; each overrides what it cares about. All calls
// come on the thread that steps the simulation.

#include <cstdint>
#include <string_view>
#include <vector>

#include "stance/run/change.h"
#include "stance/scene/compile.h"
#include "stance/sim/channel.h"

namespace stance::run {

class Simulation;

// The step that comes next.
struct StepAhead {
  std::uint64_t number = 1;  // counts from the scene's start, the first is 1
  double time = 0.0;         // s, when it begins
};

class Observer;

// A change that cannot be made.
struct Refusal {
  const Observer& maker;
  std::size_t number;  // in the list of its last before_step
  const Change& change;
  const Error& error;
};

class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer();  // leaves its simulation, on whose thread this must be

  // Before the first step that it sees.
  virtual void begin(Simulation& /*simulation*/) {}

  // Before a step: appends what it does from this step on.
  virtual void before_step(const StepAhead& /*step*/, std::vector<Change>& /*changes*/) {}

  // Somebody's change could not be made: true goes on without it; if nobody says so, the error goes
  // to whoever steps the simulation. May throw one that says more.
  virtual bool on_refused(const Refusal& /*refusal*/) { return false; }

  // Somebody's change holds from this step on.
  virtual void on_change(const StepAhead& /*step*/, const Change& /*change*/) {}

  // Steps go on in another world, and nothing of the old one is there after this call.
  virtual void on_world(const scene::Part& /*part*/) {}

  // After a step that was taken. False ends the run.
  virtual bool after_step(const Simulation& /*simulation*/, const sim::StepView& /*view*/) {
    return true;
  }

  // What it could not do as it should in the last step, in words that outlive it; empty: nothing.
  // Those who show a simulation say so.
  virtual std::string_view trouble() const { return {}; }

 private:
  friend class Simulation;
  Simulation* simulation_ = nullptr;  // one at a time
};

}  // namespace stance::run
