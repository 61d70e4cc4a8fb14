#pragma once

// What the physics thread is asked to do. An order goes there and comes back with its answer in it,
// so that memory is given back where it was taken.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "stance/view/hands.h"
#include "stance/view/live_recording.h"
#include "stance/view/protocol.h"
#include "stance/view/stage.h"

namespace stance::view {

// A recording that ended, to be finished by somebody with time.
struct EndedRecording {
  std::unique_ptr<LiveRecording> recording;
  run::Outcome outcome;
};

// The moment of the past that a simulation continues from.
struct PastMoment {
  double time = 0.0;         // s: the timeline is kept up to here
  std::uint32_t scene = 0;   // the number of the world it is in
  Hands::Targets targets{};  // of joints, as they were
};

// Another run that goes on from a moment of this one. While somebody with time makes it, the
// simulation waits.
struct Branch {
  run::Moment from;
  std::shared_ptr<const Loaded> loaded;  // the scene it is of
  std::uint64_t epoch = 0;               // of the run it is of
  std::optional<PastMoment> past{};      // none: from now on, to be recorded
};

struct Order {
  struct Leave {};  // the viewer is gone
  // This stage takes the place of the one that runs: from its start, or going on from the past of
  // the run of this epoch. The old one is left here.
  struct Enter {
    std::unique_ptr<Stage> stage;
    std::uint64_t epoch = 0;
    std::optional<PastMoment> past{};
  };
  // Likewise, from now on, being recorded. A recording that came too late stays here.
  struct Record {
    std::unique_ptr<Stage> stage;
    std::uint64_t epoch = 0;
    std::unique_ptr<LiveRecording> recording;
  };
  struct GoOn {  // nothing came of what the simulation waits for
    std::string problem;
  };
  struct Told {};  // only an answer: something went wrong by itself

  struct Answer {
    std::string problem{};                  // empty: it was done
    OkDetails details{};                    //
    std::optional<Branch> branch{};         // it is done once this is made
    std::optional<EndedRecording> ended{};  // by what was done
  };

  int viewer = 0;   // who wants it; 0: the program
  double id = 0.0;  // of the request
  std::variant<Ask, Leave, Enter, Record, GoOn, Told> task{};
  Answer answer{};
};

}  // namespace stance::view
