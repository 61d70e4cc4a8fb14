#pragma once

// Between viewers and the simulation: takes messages, hands out answers, states and samples. Lives
// on the server's thread and knows nothing of sockets.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stance/view/session.h"
#include "stance/view/worker.h"

namespace stance::view {

using Text = std::shared_ptr<const std::string>;
using Frame = std::shared_ptr<const Bytes>;

// A viewer's connection. None of these waits; a connection that is slow keeps the newest state only
// and drops samples.
class ViewerLink {
 public:
  virtual ~ViewerLink() = default;
  virtual void send_text(Text text) = 0;
  virtual void send_samples(Frame frame) = 0;
  virtual void send_state(Frame frame) = 0;  // the newest wins
  virtual void send_drags(Frame frame) = 0;  // likewise
};

// A scene that viewers may load.
struct OfferedScene {
  SceneEntry entry;
  std::string path;
};

struct HubOptions {
  std::string version;
  std::vector<OfferedScene> scenes;  // no other file can be loaded
  SceneSource first;                 // shown at the start
  RecordingMaker make_recording;
  SessionOptions session;
  // what a recording's end is worth telling at the terminal
  std::function<void(const std::string&)> log = [](const std::string&) {};
};

class Hub final : private Outbox::Listener {
 public:
  // `post` runs a function on the server's thread, from any thread; `wake` makes it call pump(),
  // from the physics thread, and must not wait.
  Hub(HubOptions options, std::function<void(std::function<void()>)> post,
      std::function<void()> wake);
  ~Hub() override;

  // A viewer comes; returns its number.
  int join(ViewerLink& link);
  void leave(int viewer);
  int viewer_count() const { return static_cast<int>(viewers_.size()); }

  // A message of a viewer. False when it could not be taken.
  bool take(int viewer, std::string_view text);

  void pump();  // there is something to show
  void tick();  // once a second

  // Null when there is none of this number.
  MeshPointer find_mesh(int number) const;
  // The file of the last recording that is finished; empty when there is none.
  const std::string& recording_file() const { return recording_file_; }

  // Ends the simulation; a recording is finished.
  void stop();
  const Session& session() const { return *session_; }

 private:
  struct Viewer {
    ViewerLink* link = nullptr;
    bool has_joints = false;
  };

  // From the scene that the job before made (or null) to the one that is wanted, on the worker.
  using SceneMaker =
      std::function<std::shared_ptr<const Loaded>(const std::shared_ptr<const Loaded>&)>;
  bool take_scene(int viewer, const Request& request);
  void load_scene(int viewer, double id, const SceneSource& source);
  void set_variable(int viewer, double id, const std::string& name, double value);
  void enter_scene(int viewer, double id, SceneMaker make);
  void tell_problem(int viewer, double id, const std::string& problem, const Place& place);
  Order make_run(Branch branch) const;
  void go_on(int viewer, double id, Branch branch);
  void post_order(std::unique_ptr<Order> order);
  void finish_recording(EndedRecording ended, int viewer, std::optional<double> id);
  void answer(int viewer, std::optional<double> id, const std::string& problem,
              const Place& place = {}, const OkDetails& details = {});
  void tell(int viewer, std::string text);
  void tell_all(const std::string& text);
  void tell_status();
  void send_state(Viewer& viewer);
  void throw_away(std::unique_ptr<Order> order);

  void on_answer(std::unique_ptr<Order> order) override;
  void on_description(std::shared_ptr<const Description> description) override;
  void on_event(std::string_view json) override;
  void on_samples(int viewer, std::span<const std::byte> frame) override;
  void on_selection(const Selection& selection) override;

  HubOptions options_;
  std::function<void(std::function<void()>)> post_;
  std::unique_ptr<Session> session_;
  std::map<int, Viewer> viewers_;
  int last_viewer_ = 0;
  bool has_scene_ = false;              // one runs, or will as soon as the thread has it
  std::shared_ptr<const Loaded> made_;  // the last one, of the worker
  std::shared_ptr<const Description> description_;
  std::vector<std::shared_ptr<const Description>> recent_;  // whose meshes may still be asked for
  std::string first_problem_;                               // message, while there is no scene
  Frame state_, state_without_joints_, drags_;
  int drag_count_ = 0;
  Status status_;
  std::string recording_file_;
  std::unique_ptr<Worker> worker_;  // last: it may run until the end
};

}  // namespace stance::view
