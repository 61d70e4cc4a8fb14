#include "stance/cli/live_recorder.h"

#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "stance/cli/recorder.h"
#include "stance/io/recording_finish.h"
#include "stance/io/scene_channels.h"
#include "stance/io/scene_snapshot.h"

namespace stance::cli {
namespace {

namespace fs = std::filesystem;

// In the folder that the program was started in, else where temporary files go; never over another
// file.
std::string find_new_file(const std::string& wanted, const std::string& scene) {
  const std::string stem =
      fmt::format("{}_{:%Y-%m-%d_%H%M%S}", scene, fmt::localtime(std::time(nullptr)));
  std::error_code code;
  fs::path folder = wanted.empty() ? fs::current_path(code) : fs::path(wanted);
  if (code || access(folder.c_str(), W_OK) != 0) folder = fs::temp_directory_path();
  for (int k = 1;; ++k) {
    const fs::path file = folder / (k == 1 ? stem + ".h5" : fmt::format("{}_{}.h5", stem, k));
    if (!fs::exists(file, code) && !fs::exists(io::find_journal_name(file.string()), code))
      return file.string();
  }
}

std::string read_bytes(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class SceneRecording final : public view::LiveRecording {
 public:
  SceneRecording(const std::string& folder, const view::SceneSource& source, io::SceneRun& run)
      : file_(find_new_file(folder, run.scene().name)), channels_(make_channels(run)) {
    const io::LoadedScene& scene = run.scene();
    RunOptions options;
    options.file = source.path, options.is_robot = source.is_robot;
    options.law = source.law, options.seed = source.seed;
    options.package_paths = source.package_paths;
    for (const auto& [name, value] : source.set) options.set.push_back(name + "=" + value);
    std::string start;
    if (run.steps() > 0 || !run.edits().empty()) {
      const std::string snapshot = file_ + ".start";
      io::write_snapshot(scene, run.start(), snapshot);
      start = read_bytes(snapshot);
      std::error_code code;
      fs::remove(snapshot, code);
    }
    recorder_ = make_live_recorder(scene, options, file_, start);
    std::vector<sim::ChannelSource*> sources;
    for (const auto& channel : channels_) sources.push_back(channel.get());
    recorder_->begin(scene, sources);
  }

  io::RunWatcher& watcher() override { return *recorder_; }
  const std::string& file() const override { return file_; }
  void discard() override {
    recorder_.reset();
    std::error_code code;
    fs::remove(io::find_journal_name(file_), code);
  }
  void finish(const view::RecordedRun& run) override {
    RunOutcome outcome;
    outcome.summary = run.summary, outcome.events = run.events;
    outcome.simulated = run.simulated;
    recorder_->finish(outcome);
  }

 private:
  std::string file_;
  std::vector<std::unique_ptr<sim::ChannelSource>> channels_;
  std::unique_ptr<Recorder> recorder_;
};

}  // namespace

view::RecordingMaker make_live_recordings(const std::string& folder) {
  return [folder](const view::SceneSource& source, io::SceneRun& run) {
    return std::make_unique<SceneRecording>(folder, source, run);
  };
}

}  // namespace stance::cli
