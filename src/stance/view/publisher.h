#pragma once

// What viewers see of a live simulation: the newest state, worlds, samples, selections, and the
// timeline of what was shown. Lives on the physics thread; only take_shown() is the server's.

#include <memory>
#include <optional>
#include <vector>

#include "stance/kernel/newest.h"
#include "stance/view/live_run.h"
#include "stance/view/outbox.h"
#include "stance/view/timeline.h"
#include "stance/view/watches.h"

namespace stance::view {

// The newest state, as it is sent.
struct Shown {
  Bytes state, drags;
  JointBlock joints;
  int drag_count = 0;
  std::uint32_t scene = 0;
  Status status{};
};

class Publisher final : public LiveListener {
 public:
  // The clock and the outbox outlive it.
  Publisher(std::size_t timeline_bytes, double timeline_seconds, Clock& clock, Outbox& outbox);

  // The newest state, if there is one that was not taken yet; valid until the next call.
  const Shown* take_shown() { return shown_.take(); }

  // Shows how things stand, if it is time to: sixty times a second while something changes, and at
  // once (`is_fresh`) before the first step of a world.
  void update(LiveRun& live);
  void update_fresh(LiveRun& live) {
    if (is_fresh_) show(live);
  }

  // Something changed without a step; `refresh`: that a step must not hide.
  void touch() { is_dirty_ = true; }
  void refresh() { is_fresh_ = true; }
  void restart_speed() { speed_since_ = 0; }  // the speed is measured anew

  // ---- the past

  bool is_past() const { return past_.has_value(); }  // it is shown instead of the present
  void show_past(const Timeline::Entry& entry) { past_ = entry; }
  void show_present() { past_.reset(); }
  const Timeline& timeline() const { return timeline_; }

  // ---- other worlds

  std::shared_ptr<const Description> find_description(std::uint32_t scene) const;
  // Another run: from its start, or going on from the past, up to which the timeline is kept.
  void enter(const Stage& stage, bool is_same_world, std::optional<double> past);

  // ---- viewers

  BegunWatch watch(int viewer, const std::vector<std::string>& channels, const Stage& stage);
  void select(int viewer, std::optional<int> body);
  void leave(int viewer);

 private:
  struct Selected {
    int viewer = 0, body = 0;
  };
  // Of the steps since the last frame.
  struct Steps {
    std::uint16_t flags = 0;
    double residual = 0.0, penetration = 0.0;  // the worst
    double time = 0.0;                         // ns, sum
    int count = 0;
  };

  void on_step(const sim::StepReport& report, std::int64_t ns) override;
  void on_sample(const Stage& stage, const sim::StepView& view) override;
  void on_world(const Stage& stage, bool is_same) override;
  void on_event(const sim::Event& event) override;
  void on_error(const std::string& what) override;
  void on_trouble(std::string_view what, bool is_new, double time) override;
  void on_halt() override { touch(); }
  void on_failure(const std::string& why, std::optional<EndedRecording> ended) override;

  void show(LiveRun& live);
  void show_world(LiveRun& live, Shown& out);
  void fill_state(const LiveRun& live, Shown& out);
  void fill_past(const Timeline::Entry& entry, std::uint16_t flags, Shown& out) const;
  void fill_drags(const LiveRun& live, Shown& out);
  void measure_speed(double time);
  void keep(LiveRun& live, const Shown& shown);
  void forget_descriptions(const Stage& stage);
  void send_selections(const Stage& stage);

  Clock& clock_;
  Outbox& outbox_;
  kernel::Newest<Shown> shown_;
  Timeline timeline_;
  std::optional<Timeline::Entry> past_;
  std::vector<std::shared_ptr<const Description>> descriptions_;  // that the timeline needs
  std::size_t descriptions_kept_ = 0;  // of these, when they were looked through last
  std::uint32_t shown_scene_ = 0;
  Watches watches_;
  std::vector<Selected> selected_;

  bool is_dirty_ = true, has_stepped_ = false, is_fresh_ = false;  // since the last frame
  Steps steps_;
  Trust trust_;           // of the run
  FrameFigures figures_;  // of the last frame that had a step
  std::int64_t last_show_ = 0, shows_ = 0;
  // to tell the speed by
  std::int64_t speed_since_ = 0;
  double speed_time_ = 0.0, speed_now_ = 0.0;
  std::vector<ShownDrag> drags_;  // work
  Bytes bytes_;                   // work
};

}  // namespace stance::view
