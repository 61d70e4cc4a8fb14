#pragma once

// A run of a scene: what `stance run` and `stance replay` share.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stance/cli/timing.h"
#include "stance/io/run_watcher.h"
#include "stance/io/scene.h"
#include "stance/io/scene_expect.h"
#include "stance/sim/monitor.h"
#include "stance/sim/outside.h"

namespace stance::cli {

struct RunOptions {
  std::string file, law;
  std::optional<bool> is_robot;  // a robot alone; when not given, as the file looks
  std::optional<double> duration;
  std::optional<double> length;  // s from where the run starts, whatever the duration
  std::vector<std::string> set, joints, package_paths;
  std::optional<std::uint64_t> seed;
  std::optional<double> snapshot_at;
  std::string snapshot, from;
  int threads = 1;
  bool json = false;
  std::string inputs;                 // a file of what is done meanwhile
  std::string out, csv;               // where to record
  std::vector<std::string> channels;  // what
  bool no_record = false;
  bool timing = false;   // measure the stages of steps
  io::SceneTexts texts;  // the scene itself, where it does not come from files
};

// What came of a run.
struct RunOutcome {
  sim::RunSummary summary;
  std::vector<sim::Event> events;
  std::int64_t events_left_out = 0;
  double simulated = 0.0, seconds = 0.0;  // s of the scene, s of the clock
  std::vector<io::ExpectationResult> expect;
  // of all bits, to compare programs by: the last state; where asked for (RunOptions::json) also
  // all channels in every step
  std::uint64_t state_hash = 0, channel_hash = 0;
  std::vector<StageTime> timing;  // if asked for

  bool holds() const {
    for (const io::ExpectationResult& result : expect)
      if (!result.holds) return false;
    return true;
  }
};

bool is_robot_run(const RunOptions& options);
io::LoadedScene load_run(const RunOptions& options);

// Until the end, until numbers are lost, or until the watcher (there may be none) has seen enough.
// `inputs` are what people or devices do meanwhile, if any.
RunOutcome simulate(const io::LoadedScene& scene, const RunOptions& options,
                    io::RunWatcher* watcher, sim::InputSource* inputs = nullptr);

}  // namespace stance::cli
