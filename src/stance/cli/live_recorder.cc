#include "stance/cli/live_recorder.h"

#include <unistd.h>

#include <ctime>
#include <filesystem>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "stance/io/recording_finish.h"
#include "stance/io/recording_writer.h"
#include "stance/run/snapshot.h"

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

class SceneRecording final : public view::LiveRecording {
 public:
  SceneRecording(const std::string& folder, run::Simulation& simulation)
      : writer_(simulation, choose(folder, simulation)) {}

  void leave() override { writer_.leave(); }
  const std::string& file() const override { return writer_.file(); }
  void discard() override { writer_.discard(); }
  void finish(const run::Outcome& outcome) override { writer_.finish(outcome); }

 private:
  static io::RecordOptions choose(const std::string& folder, const run::Simulation& simulation) {
    io::RecordOptions out{.hdf5 = find_new_file(folder, simulation.spec().name), .is_live = true};
    if (simulation.steps() > 0 || !simulation.edits().empty())
      out.start = run::write_snapshot(simulation.scene(), simulation.moment());
    return out;
  }

  io::RecordingWriter writer_;
};

}  // namespace

view::RecordingMaker make_live_recordings(const std::string& folder) {
  return [folder](run::Simulation& run) { return std::make_unique<SceneRecording>(folder, run); };
}

}  // namespace stance::cli
