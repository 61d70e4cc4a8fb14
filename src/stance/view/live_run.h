#pragma once

// The simulation that is looked at, step by step: its stage, the hands that push in it, its
// recording, and whether time goes on. Lives on the physics thread.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stance/run/observer.h"
#include "stance/view/clock.h"
#include "stance/view/order.h"

namespace stance::view {

// Who is told what comes of it.
class LiveListener {
 public:
  virtual ~LiveListener() = default;
  // A step was taken or refused, in so many nanoseconds.
  virtual void on_step(const sim::StepReport& report, std::int64_t ns) = 0;
  // After a step that was taken.
  virtual void on_sample(const Stage& stage, const sim::StepView& view) = 0;
  // It goes on in another world; `is_same`: with the same things in it.
  virtual void on_world(const Stage& stage, bool is_same) = 0;
  virtual void on_event(const sim::Event& event) = 0;
  virtual void on_error(const std::string& what) = 0;  // of somebody's change; it goes on
  // A device cannot do in this step what it should; `is_new`: and could in the last one, or failed
  // in another way.
  virtual void on_trouble(std::string_view what, bool is_new, double time) = 0;
  virtual void on_halt() = 0;                                        // no more steps were asked for
  virtual void on_failure(const std::string& why,                    // it stands still; what was
                          std::optional<EndedRecording> ended) = 0;  // recorded until then
};

class LiveRun final : private run::Observer {
 public:
  using Modules = std::vector<std::shared_ptr<run::Observer>>;
  // The clock and the listener outlive it.
  LiveRun(Modules modules, Clock& clock, bool is_paused, LiveListener& listener);

  // One step, with all that takes part. Nothing is thrown: where it fails, it stands still.
  void advance();

  // ---- whether time goes on

  bool is_running() const { return stage_ && !is_waiting_ && (!is_paused_ || steps_wanted_ > 0); }
  bool is_paused() const { return is_paused_; }
  void pause() { is_paused_ = true, steps_wanted_ = 0; }
  void play() { is_paused_ = false, steps_wanted_ = 0; }
  void step(int count);  // some steps, and pause
  double speed() const { return speed_; }
  void set_speed(double factor) { speed_ = factor; }
  // Of the clock, ns, between steps; none: as fast as it goes.
  std::optional<std::int64_t> period() const;
  // While another run is being made that goes on from this one.
  bool is_waiting() const { return is_waiting_; }
  void wait(bool is_waiting) { is_waiting_ = is_waiting; }

  // ---- what runs

  const Stage* stage() const { return stage_.get(); }  // null until there is one
  const run::Simulation& run() const { return *stage_->run; }
  std::uint64_t epoch() const { return epoch_; }  // counts runs
  Hands& hands() { return hands_; }
  // A link or object that can be pulled at; null when there is none.
  const model::Frame* find_moving(const std::string& name) const;

  // Another stage takes the place of the one that runs, which is left in `stage`.
  void enter(std::unique_ptr<Stage>& stage, const Hands::Targets& targets);
  // Likewise one that goes on from the same state, being recorded.
  void record(std::unique_ptr<Stage>& stage, std::unique_ptr<LiveRecording> recording);
  bool is_recording() const { return recording_ != nullptr; }
  std::optional<EndedRecording> end_recording();

  // Lets objects come and go whose time it is, and changes the scene. Throws stance::Error.
  void update_world();
  void edit(const std::string& source, const scene::Edit& edit);

 private:
  void take_step();
  void change_world(bool is_same);
  void tell_events();
  void tell_troubles();
  void fail(const std::string& why);

  // of the simulation: hands push, nobody's refused change ends it
  void before_step(const run::StepAhead& step, std::vector<run::Change>& changes) override;
  bool on_refused(const run::Refusal& refusal) override;
  bool after_step(const run::Simulation& simulation, const sim::StepView& view) override;

  Modules modules_;
  std::vector<std::string_view> troubles_;  // by module, of the last step
  Clock& clock_;
  LiveListener& listener_;
  std::unique_ptr<Stage> stage_;
  std::uint64_t epoch_ = 0;
  Hands hands_;
  std::unique_ptr<LiveRecording> recording_;
  double recorded_from_ = 0.0;  // s
  std::size_t events_seen_ = 0;
  bool is_paused_ = false, is_waiting_ = false;
  double speed_ = 1.0;
  int steps_wanted_ = 0;
};

}  // namespace stance::view
