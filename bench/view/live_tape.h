#pragma once

// What was done to a live simulation and how long its steps took, to run it again on no clock: what
// a step takes then, at best, is its own work; what it took beyond that live was the machine's.

#include <cstdint>
#include <vector>

#include "stance/run/observer.h"
#include "stance/scene/compile.h"

namespace stance::bench {

// The last of a session's modules: its step is that of the simulation.
class LiveTape final : public run::Observer {
 public:
  struct Step {
    std::size_t changes = 0;   // of `changes`, before this step
    std::int64_t used = 0;     // ns of the processor, from the first change on
    std::uint64_t digest = 0;  // of q and v after it
  };

  explicit LiveTape(double seconds);  // has room for so many at 1 kHz; then it stops

  void begin(run::Simulation&) override { stop(); }
  void on_world(const scene::Part&) override { stop(); }
  void on_change(const run::StepAhead& step, const run::Change& change) override;
  void before_step(const run::StepAhead& step, std::vector<run::Change>& changes) override;
  bool after_step(const run::Simulation& simulation, const sim::StepView& view) override;

  // Once the simulation is over.
  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<run::Change>& changes() const { return changes_; }

 private:
  void stop() { is_full_ = is_full_ || !steps_.empty(); }  // one run is enough
  void start_clock();

  std::vector<Step> steps_;
  std::vector<run::Change> changes_;
  std::int64_t began_ = 0;
  bool has_begun_ = false;  // the step at hand
  bool is_full_ = false;
};

// The same steps on no clock.
struct TapeWork {
  std::vector<double> least;   // us by step, of all repeats
  bool is_same = true;         // every state was that of the live run, to the bit
  double p999 = 0.0;           // us
  double late_p999 = 0.0;      // us: how late the steps begin where nothing else takes time
  std::size_t longest = 0;     // number of the step, from 0
  int live_long = 0;           // steps that used more than 1 ms of the processor live,
  double longest_again = 0.0;  // us: the most that one of them takes here
};
TapeWork run_again(scene::Scene scene, const LiveTape& tape, int repeats);

}  // namespace stance::bench
