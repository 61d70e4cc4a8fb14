#pragma once

// A recording of a simulation that is looked at. Made by the program, which knows how to write one.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stance/run/outcome.h"
#include "stance/run/simulation.h"
#include "stance/view/description.h"

namespace stance::view {

class LiveRecording {
 public:
  virtual ~LiveRecording() = default;

  virtual void leave() = 0;  // on the physics thread: it sees no more steps

  // Ends it and makes the file; takes a while. Throws stance::Error.
  virtual void finish(const run::Outcome& outcome) = 0;
  virtual const std::string& file() const = 0;

  // Leaves nothing behind.
  virtual void discard() = 0;
};

// Of a run that has taken no step yet. It listens to the run as long as it lives. Not called on the
// physics thread; throws stance::Error.
using RecordingMaker = std::function<std::unique_ptr<LiveRecording>(run::Simulation&)>;

}  // namespace stance::view
