// What a recording costs: steps of the humanoid alone, as the program takes them, and recorded.

#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>

#include "stance/cli/robot_json.h"
#include "stance/cli/terminal.h"
#include "stance/io/recording_finish.h"
#include "stance/io/recording_writer.h"
#include "stance/io/scene.h"
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

// One run of the scene for what is watched and recorded: the same memory, so that where it happens
// to lie (worth 3 % of a step) is no part of the difference. The bare loop has a state and memory
// of its own, from where that run has settled.
class Runner {
 public:
  explicit Runner(run::Simulation& simulation)
      : simulation_(simulation),
        modules_(simulation.part().make_modules()),
        world_(simulation.part().scene.world),
        state_(world_),
        scratch_(world_) {
    for (int k = 0; k < kSettle; ++k) step(With::kRecording);
    state_ = simulation.state();
  }

  void step(With with) {
    if (with == With::kRecording) {
      simulation_.advance();
    } else if (with == With::kEvents) {
      (void)simulation_.step();
    } else {
      // what a program without all that does
      const double h = simulation_.spec().step;
      const sim::Input& input = modules_.actuation.update(world_, h, state_, scratch_);
      (void)sim::step(world_, input, h, state_, scratch_);
    }
  }

 private:
  run::Simulation& simulation_;
  scene::Modules modules_;
  const sim::World& world_;
  sim::State state_;
  sim::Scratch scratch_;
};

}  // namespace

void run_recording(const Options& options) {
  const scene::Settings settings{.file = STANCE_SOURCE_DIR "/scenes/humanoid_stand.yaml"};
  const std::string file =
      (std::filesystem::temp_directory_path() / fmt::format("stance_bench_{}.h5", getpid()))
          .string();
  double alone = 0.0, watched = 0.0, recorded = 0.0;
  {
    run::Simulation simulation(io::load_scene(settings));
    const io::RecordingWriter writer(simulation, {.hdf5 = file});
    Runner runner(simulation);
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
  std::filesystem::remove(io::find_journal_name(file), code);

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
