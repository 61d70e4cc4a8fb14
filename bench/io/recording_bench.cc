// What a recording costs: steps of the humanoid alone, as the program takes them, and recorded.

#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>

#include "stance/cli/recorder.h"
#include "stance/cli/robot_json.h"
#include "stance/cli/terminal.h"
#include "stance/io/recording_finish.h"
#include "stance/sim/run_channels.h"
#include "stance/sim/step.h"

#include "machine.h"
#include "measure.h"
#include "options.h"
#include "record.h"

namespace stance::bench {
namespace {

constexpr int kSettle = 1000;  // steps before the clock starts
constexpr int kRepeats = 1000;

// What is done with a step.
enum class With { kNothing, kEvents, kRecording };

// One run of the scene for all: the same memory, so that where it happens to lie (worth 3 % of a
// step) is no part of the difference.
class Runner {
 public:
  Runner(const io::LoadedScene& scene, io::RunWatcher& recorder)
      : scene_(scene),
        state_(scene.scene.start),
        scratch_(scene.scene.world),
        actuation_(scene.make_actuation()),
        monitor_(scene.scene.world, scene.scene.start, {{"humanoid", *scene.robots[0].base}}),
        channels_(scene.scene.world, {{"humanoid", "humanoid/"}}),
        recorder_(recorder) {
    sim::ChannelSource* const sources[] = {&channels_};
    recorder_.begin(scene, sources);
    for (int k = 0; k < kSettle; ++k) step(With::kRecording);
  }

  void step(With with) {
    const sim::World& world = scene_.scene.world;
    const sim::Input& input = actuation_.update(world, scene_.step, state_, scratch_);
    const sim::StepReport report = sim::step(world, input, scene_.step, state_, scratch_);
    if (with == With::kNothing) return;
    monitor_.watch(world, state_, scratch_, report, scene_.step);
    if (with == With::kEvents) return;
    recorder_.after_step(++count_, {world, state_, scratch_, input, report, scene_.step}, monitor_);
  }

 private:
  const io::LoadedScene& scene_;
  sim::State state_;
  sim::Scratch scratch_;
  sim::Actuation actuation_;
  sim::Monitor monitor_;
  sim::RunChannels channels_;
  io::RunWatcher& recorder_;
  std::uint64_t count_ = 0;
};

}  // namespace

void run_recording(const Options& options) {
  cli::RunOptions run;
  run.file = STANCE_SOURCE_DIR "/scenes/humanoid_stand.yaml";
  run.out = (std::filesystem::temp_directory_path() / fmt::format("stance_bench_{}.h5", getpid()))
                .string();
  const io::LoadedScene scene = cli::load_run(run);
  double alone = 0.0, watched = 0.0, recorded = 0.0;
  {
    const std::unique_ptr<cli::Recorder> recorder = cli::make_recorder(scene, run);
    Runner runner(scene, *recorder);
    Comparison comparison;
    const int first = comparison.add("step", [&] { runner.step(With::kNothing); });
    const int second = comparison.add("watched", [&] { runner.step(With::kEvents); });
    const int third = comparison.add("recorded", [&] { runner.step(With::kRecording); });
    comparison.measure({.repeats = options.repeats ? options.repeats : kRepeats,
                        .batch_us = 2000.0,
                        .label = "recording"});
    alone = comparison.best_us(first).value_or(0.0);
    watched = comparison.best_us(second).value_or(0.0);
    recorded = comparison.best_us(third).value_or(0.0);
  }
  std::error_code code;
  std::filesystem::remove(io::find_journal_name(run.out), code);

  if (options.json) {
    const Json out = {{"name", "humanoid_stand"},
                      {"step_us", alone},
                      {"watched_us", watched},
                      {"recorded_us", recorded},
                      {"program_adds", recorded / alone - 1.0},
                      {"recording_adds", recorded / watched - 1.0}};
    fmt::print("{}", cli::print_json(out));
    return;
  }
  const auto share = [&](double us) {
    return fmt::format("{:+.1f} %", 100.0 * (us / alone - 1.0));
  };
  fmt::print(
      "A step of scenes/humanoid_stand.yaml, all channels but impulses recorded at 1 kHz\n{}\n\n",
      describe_machine());
  fmt::print("{}",
             cli::format_table({{"what", "us", "more than the step"},
                                {"the library's step", format_us(alone), ""},
                                {"and events, as stance run", format_us(watched), share(watched)},
                                {"and recorded", format_us(recorded), share(recorded)}},
                               1, cli::find_style(stdout)));
}

}  // namespace stance::bench
