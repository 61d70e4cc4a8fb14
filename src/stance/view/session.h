#pragma once

// The live simulation: one thread that steps a scene to the clock. It meets the thread of the
// server in three places, none of which makes it wait: a queue of orders in, a ring of answers,
// events and samples out, and a buffer that holds the newest state.

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "stance/kernel/newest.h"
#include "stance/run/channel_choice.h"
#include "stance/run/channels.h"
#include "stance/run/observer.h"
#include "stance/run/record_ring.h"
#include "stance/view/hands.h"
#include "stance/view/live_recording.h"
#include "stance/view/pacer.h"
#include "stance/view/protocol.h"
#include "stance/view/spsc_queue.h"
#include "stance/view/stage.h"
#include "stance/view/timeline.h"

namespace stance::view {

// What the physics thread is asked to do. It goes there and comes back with the answer in it, so
// that memory is given back where it was taken.
struct Order {
  enum class Task {
    kRequest,  // of a viewer
    kLeave,    // the viewer is gone
    kEnter,    // this stage takes the place of the one that runs
    kRecord,   // likewise, being recorded from here on
    kGoOn,     // nothing came of what the simulation waits for
    kTold,     // only an answer: something went wrong by itself
  };

  Task task = Task::kRequest;
  int viewer = 0;
  Request request{};
  std::unique_ptr<Stage> stage{};              // in: the new one; out: the old one
  std::optional<double> cut{};                 // kEnter: keep the timeline up to here, s
  Hands::Targets targets{};                    // kEnter: of joints
  std::unique_ptr<LiveRecording> recording{};  // kRecord in; out: one that ended
  std::uint64_t epoch = 0;                     // of the run that `from` is of
  std::uint32_t scene = 0;                     // of the world that `from` is in

  // the answer
  std::string problem{};
  OkDetails details{};
  std::optional<run::Moment> from{};  // to go on from (continue, record), of this scene:
  std::shared_ptr<const Loaded> loaded{};
  run::Outcome recorded{};  // of `recording`
};

// The newest state, as it is sent.
struct Shown {
  Bytes state, drags;
  JointBlock joints;
  int drag_count = 0;
  std::uint32_t scene = 0;
  Status status{};
};

struct SessionOptions {
  bool is_paused = false;
  std::vector<std::shared_ptr<run::Observer>> modules{};
  std::size_t timeline_bytes = std::size_t{256} << 20;
  double timeline_seconds = 300.0;
  Clock* clock = &wall_clock();  // outlives the session
  std::function<void(const std::string&)> log = [](const std::string&) {};
};

class Session final : private run::Observer {
 public:
  // `wake` is called on the physics thread when there is something to take; it must not wait.
  Session(SessionOptions options, std::function<void()> wake);
  ~Session() override;  // stops the thread

  // ---- by the server's thread

  // False when there are too many orders already; then it is as it was.
  bool post(std::unique_ptr<Order>& order) { return orders_.push(order); }

  // The newest state, if there is one that was not taken yet; valid until the next call.
  const Shown* take_shown() { return shown_.take(); }

  // What came meanwhile, in the order in which it came. A state that was taken before has its
  // description among what comes then.
  struct Listener {
    virtual ~Listener() = default;
    virtual void on_answer(std::unique_ptr<Order> order) = 0;
    virtual void on_description(std::shared_ptr<const Description> description) = 0;
    virtual void on_event(std::string_view json) = 0;
    virtual void on_samples(int viewer, std::span<const std::byte> frame) = 0;
    virtual void on_selection(const Selection& selection) = 0;
  };
  void drain(Listener& listener);

  // Ends the thread; what it recorded, if it did, is left in `recording`.
  void stop(std::unique_ptr<LiveRecording>* recording = nullptr, run::Outcome* run = nullptr);

  // After stop().
  const Lateness& lateness() const { return pacer_.lateness(); }
  const std::string& scheduling() const { return scheduling_; }

 private:
  struct Watch {
    int viewer = 0;
    std::vector<std::string> names;  // channels, as they were asked for
    std::vector<std::string> columns;
    std::unique_ptr<run::ChannelReader> reader;
    std::vector<double> values;
    std::vector<std::size_t> order;  // of the values, as they were asked for
    Bytes batch;
    std::uint16_t rows = 0;
    std::uint32_t number = 0;
  };
  struct Selected {
    int viewer = 0, body = 0;
  };
  // Records of the ring.
  enum RingKind : std::uint32_t { kAnswer, kDescription, kEvent, kSamples, kSelection };
  static constexpr std::size_t kRingBytes = std::size_t{8} << 20;
  static constexpr std::size_t kMostBatch = std::size_t{256} << 10;  // of samples

  void loop();
  void raise_priority();
  bool is_running() const;

  // orders
  void take_orders();
  void take_order(std::unique_ptr<Order> order);
  void answer(std::unique_ptr<Order> order, const std::string& problem);
  void obey(Order& order);
  void obey_request(Order& order);
  void enter(Order& order);
  void record(Order& order);
  void obey_drag(Order& order);
  void obey_target(Order& order);
  void obey_select(Order& order);
  void obey_watch(Order& order);
  void obey_edit(Order& order);
  scene::Edit make_edit(Order& order);
  void choose_channels(Watch& watch) const;
  void renew_watches();
  void obey_seek(Order& order);
  void obey_continue(Order& order);
  void go_to_present();
  void end_recording(Order& order);
  const model::Frame* find_moving(const std::string& name) const;

  // steps
  void advance();
  void take_step();
  void change_world(bool is_same = false);
  void join_simulation();
  void leave_simulation();

  // of the simulation (run::Observer): hands of viewers push, nobody's refused change ends it
  void before_step(const run::StepAhead& step, std::vector<run::Change>& changes) override;
  bool on_refused(const run::Refusal& refusal) override;
  bool after_step(const run::Simulation& simulation, const sim::StepView& view) override;
  void add_samples(const sim::StepView& view);
  void tell_events();
  void refuse(const std::string& why);

  // what is shown
  void show();
  void fill_state(Shown& out);
  void fill_drags(Shown& out);
  void keep(const Shown& shown);
  void forget_descriptions();
  void send_samples();
  void send_selections();
  void send(std::uint32_t kind, std::span<const std::byte> bytes);
  void send_description(std::shared_ptr<const Description> description);
  void send_pending();
  void tell_error(const std::string& what);

  SessionOptions options_;
  std::function<void()> wake_;
  SpscQueue<std::unique_ptr<Order>> orders_;
  run::RecordRing ring_;
  kernel::Newest<Shown> shown_;

  // ---- of the physics thread
  std::unique_ptr<Stage> stage_;
  std::vector<std::shared_ptr<const Description>> descriptions_;  // that the timeline needs
  std::size_t descriptions_kept_ = 0;          // of these, when they were looked through last
  std::vector<std::unique_ptr<Order>> later_;  // of a run that is being made
  std::uint64_t epoch_ = 0;                    // counts runs
  Hands hands_;
  Timeline timeline_;
  Pacer pacer_;
  std::unique_ptr<LiveRecording> recording_;
  double recorded_from_ = 0.0;  // s
  bool is_paused_ = false, is_waiting_ = false;
  double speed_ = 1.0;
  int steps_wanted_ = 0;
  std::optional<Timeline::Entry> past_;
  std::vector<Watch> watches_;
  std::vector<Selected> selected_;
  std::uint32_t last_watch_ = 0, shown_scene_ = 0;
  int last_object_ = -1;  // of those that viewers added
  std::vector<ShownDrag> drags_;
  std::size_t events_seen_ = 0;
  Bytes bytes_;  // work
  struct Out {
    std::uint32_t kind;
    void* pointer;
  };
  std::vector<Out> pending_;  // pointers that found no room in the ring yet

  // since the last frame
  bool is_dirty_ = true, has_stepped_ = false, is_fresh_ = false;
  std::uint16_t flags_ = 0;
  double worst_residual_ = 0.0, worst_penetration_ = 0.0, step_time_ = 0.0;  // sum, ns
  int step_count_ = 0;
  FrameFigures figures_;  // of the last frame that had a step
  std::int64_t last_show_ = 0, shows_ = 0;
  // to tell the speed by
  std::int64_t speed_since_ = 0;
  double speed_time_ = 0.0, speed_now_ = 0.0;

  std::string scheduling_;
  std::atomic<bool> is_stopping_{false};
  std::thread thread_;
};

}  // namespace stance::view
