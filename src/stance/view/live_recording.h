#pragma once

// A recording of a simulation that is looked at. Made by the program, which knows how to write one.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stance/io/run_watcher.h"
#include "stance/io/scene_run.h"
#include "stance/view/description.h"

namespace stance::view {

// What a recorded run came to.
struct RecordedRun {
  sim::RunSummary summary;
  std::vector<sim::Event> events;
  double simulated = 0.0;  // s
};

class LiveRecording {
 public:
  virtual ~LiveRecording() = default;

  virtual io::RunWatcher& watcher() = 0;  // for the physics thread; it has begun already

  // Ends it and makes the file; takes a while. Throws stance::Error.
  virtual void finish(const RecordedRun& run) = 0;
  virtual const std::string& file() const = 0;

  // Leaves nothing behind.
  virtual void discard() = 0;
};

// Of a run that has taken no step yet. It listens to the run as long as it lives. Not called on the
// physics thread; throws stance::Error.
using RecordingMaker =
    std::function<std::unique_ptr<LiveRecording>(const SceneSource&, io::SceneRun&)>;

}  // namespace stance::view
