#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stance/cli/app.h"
#include "stance/cli/arguments.h"
#include "stance/cli/commands.h"
#include "stance/cli/recorder.h"
#include "stance/cli/robot_json.h"
#include "stance/cli/robot_options.h"
#include "stance/cli/simulate.h"
#include "stance/cli/terminal.h"
#include "stance/io/contact_law.h"
#include "stance/io/event_text.h"
#include "stance/io/input_json.h"
#include "stance/io/scene_channels.h"
#include "stance/io/scene_parts.h"
#include "stance/io/scene_run.h"
#include "stance/io/scene_snapshot.h"
#include "stance/kernel/bit_hash.h"
#include "stance/sim/state_hash.h"

namespace stance::cli {
namespace {

using Clock = std::chrono::steady_clock;

// ---- the command line -------------------------------------------------------------------------

std::pair<std::string, std::string> split_setting(const std::string& text, const char* flag) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw CLI::ValidationError(flag, fmt::format("'{}' is not NAME=VALUE", text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

io::SceneOptions make_scene_options(const RunOptions& options) {
  io::SceneOptions out;
  for (const std::string& text : options.set)
    out.settings.set.push_back(split_setting(text, "--set"));
  for (const std::string& text : options.joints) {
    const auto [name, value] = split_setting(text, "--joint");
    try {
      out.joints.emplace_back(name, io::evaluate(value, {}));
    } catch (const Error& error) {
      throw CLI::ValidationError("--joint", fmt::format("{}: {}", text, error.what()));
    }
  }
  if (!options.law.empty()) out.law = io::parse_contact_law(options.law);
  out.settings.seed = options.seed;
  out.duration = options.duration;
  out.threads = options.threads;
  out.package_paths = add_ros_paths(options.package_paths);
  out.texts = options.texts;
  return out;
}

// By the ending, else by the first character: a description is XML.
bool is_robot(const std::string& file) {
  const std::string ending = std::filesystem::path(file).extension().string();
  if (ending == ".urdf" || ending == ".xml") return true;
  if (ending == ".yaml" || ending == ".yml") return false;
  std::ifstream stream(file);
  char first = 0;
  stream >> first;
  return first == '<';
}

}  // namespace

bool is_robot_run(const RunOptions& options) {
  return options.is_robot.value_or(is_robot(options.file));
}

io::LoadedScene load_run(const RunOptions& options) {
  const io::SceneOptions scene = make_scene_options(options);
  if (!is_robot_run(options)) return io::load_scene(options.file, scene);
  if (!options.set.empty())
    throw CLI::ValidationError("--set", "a robot alone has no variables; use --joint NAME=VALUE");
  return io::load_robot_scene(options.file, scene);
}

// ---- the run ----------------------------------------------------------------------------------

namespace {

std::string find_snapshot_file(const io::LoadedScene& scene, const RunOptions& options) {
  return options.snapshot.empty() ? scene.name + ".snapshot.h5" : options.snapshot;
}

// Number of the step after which a time is reached.
std::int64_t count_steps(const io::LoadedScene& scene, double time) {
  return std::llround(time / scene.step);
}

// All numbers of all channels in every step.
class ChannelHash {
 public:
  explicit ChannelHash(std::vector<std::unique_ptr<sim::ChannelSource>> sources)
      : sources_(std::move(sources)) {
    for (const auto& source : sources_) {
      std::size_t width = 0;
      for (const sim::Channel& channel : source->channels()) width += channel.columns.size();
      values_.emplace_back(width);
    }
  }

  void add(const sim::StepView& view) {
    for (std::size_t k = 0; k < sources_.size(); ++k) {
      sources_[k]->read(view, values_[k]);
      hash_.add(std::span<const double>(values_[k]));
    }
  }
  std::uint64_t value() const { return hash_.value(); }

 private:
  std::vector<std::unique_ptr<sim::ChannelSource>> sources_;
  std::vector<std::vector<double>> values_;
  kernel::BitHash hash_;
};

// What people or devices do from the next step on, told to the watcher.
void apply_inputs(io::SceneRun& run, sim::InputSource& inputs, io::RunWatcher* watcher,
                  std::vector<sim::InputChange>& changes) {
  run.update_world();
  const auto step = static_cast<std::uint64_t>(run.steps() + 1);
  changes.clear();
  inputs.poll(step, run.state().time, changes);
  for (std::size_t k = 0; k < changes.size(); ++k) {
    io::at_place(inputs.find_place(k), [&] { run.apply(changes[k]); });
    if (watcher) watcher->on_input(step, run.state().time, changes[k]);
  }
}

}  // namespace

RunOutcome simulate(const io::LoadedScene& scene, const RunOptions& options,
                    io::RunWatcher* watcher, sim::InputSource* inputs) {
  io::SceneRun run(scene, options.from.empty() ? io::RunStart{scene.scene.start}
                                               : io::read_snapshot(scene, options.from));
  const double began = run.state().time;
  const std::int64_t first = run.steps();
  const std::int64_t steps = options.length
                                 ? first + count_steps(scene, *options.length)
                                 : std::max<std::int64_t>(1, count_steps(scene, scene.duration));
  if (first >= steps && !options.length)
    throw Error({options.from}, fmt::format("the snapshot is of {:g} s, where the run ends; give a "
                                            "longer --duration",
                                            began));
  const std::int64_t snapshot = options.snapshot_at ? count_steps(scene, *options.snapshot_at) : -1;
  if (options.snapshot_at && (snapshot <= first || snapshot > steps))
    throw Error(fmt::format("--snapshot-at {:g}: the run goes from {:g} s to {:g} s",
                            *options.snapshot_at, began, scene.duration));
  const auto make_sources = [&] {
    return inputs || !run.edits().empty() ? make_channels(run) : make_channels(scene);
  };
  std::optional<ChannelHash> hash;
  if (options.json) hash.emplace(make_sources());
  std::vector<std::unique_ptr<sim::ChannelSource>> channels;
  if (watcher) {
    channels = make_sources();
    std::vector<sim::ChannelSource*> sources;
    for (const auto& source : channels) sources.push_back(source.get());
    watcher->begin(scene, sources);
  }
  sim::StepTimer timer;
  if (options.timing) run.measure(&timer);
  constexpr std::int64_t kShowEvery = 64;  // steps between looks at the clock
  ProgressBar bar(stderr);
  std::vector<sim::InputChange> changes;
  const Clock::time_point clock = Clock::now();
  Clock::time_point shown = clock;
  for (std::int64_t k = first; k < steps; ++k) {
    if (inputs) apply_inputs(run, *inputs, watcher, changes);
    if (run.step().status & sim::kNotFinite) break;
    if (hash) hash->add(run.view());
    if (watcher && !watcher->after_step(k + 1, run.view(), run.monitor())) break;
    if (k + 1 == snapshot)
      io::write_snapshot(scene, run.start(), find_snapshot_file(scene, options));
    if (options.json || !bar.is_shown() || k % kShowEvery != 0) continue;
    const Clock::time_point now = Clock::now();
    if (now - shown < std::chrono::milliseconds(100)) continue;
    shown = now;
    bar.show(static_cast<double>(k) / static_cast<double>(steps),
             fmt::format("{:.2f} s of {:g} s", run.state().time, scene.duration));
  }
  RunOutcome out;
  out.seconds = std::chrono::duration<double>(Clock::now() - clock).count();
  out.simulated = run.state().time - began;
  if (options.timing) out.timing = list_times(timer);
  out.summary = run.monitor().summary();
  out.state_hash = calc_state_hash(run.state());
  if (hash) out.channel_hash = hash->value();
  out.events = run.monitor().events(), out.events_left_out = run.monitor().events_left_out();
  out.expect = judge(run.part(), run.state(), out.summary, read_sensors(run.part(), run.view()));
  return out;
}

// ---- what is told -----------------------------------------------------------------------------

namespace {

void print_as_json(const RunOutcome& outcome) {
  nlohmann::ordered_json out;
  out["steps"] = outcome.summary.steps;
  out["seconds"] = outcome.simulated;
  out["real_time_factor"] = outcome.simulated / outcome.seconds;
  out["worst_residual"] = outcome.summary.worst_residual;
  out["worst_penetration"] = outcome.summary.worst_penetration;
  out["energy_error"] = outcome.summary.energy_error;
  out["state_hash"] = fmt::format("{:016x}", outcome.state_hash);
  out["channel_hash"] = fmt::format("{:016x}", outcome.channel_hash);
  out["events"] = nlohmann::ordered_json::array();
  for (const sim::Event& event : outcome.events) {
    nlohmann::ordered_json entry;
    entry["time"] = event.time;
    entry["kind"] = event_name(event.kind);
    entry["what"] = event.what;
    entry["value"] = event.value;
    out["events"].push_back(entry);
  }
  out["expect"] = nlohmann::ordered_json::array();
  for (const io::ExpectationResult& result : outcome.expect) {
    nlohmann::ordered_json entry;
    entry["name"] = result.name;
    entry["holds"] = result.holds;
    entry["wanted"] = result.wanted;
    entry["found"] = result.found;
    out["expect"].push_back(entry);
  }
  if (!outcome.timing.empty()) out["timing"] = write_times(outcome.timing);
  fmt::print("{}", print_json(out));
}

std::string event_text(const sim::Event& event) {
  const bool is_end = event.kind == sim::Event::Kind::kNotFinite;
  return io::event_text(event) + (is_end ? "; the run ends here" : "");
}

void print_as_text(const io::LoadedScene& scene, const RunOutcome& outcome) {
  const Style style = find_style(stdout);
  const sim::RunSummary& summary = outcome.summary;
  fmt::print("{}{}{}{}{}\n", style.bold, scene.name, style.plain, scene.about.empty() ? "" : ": ",
             scene.about);
  fmt::print("  {} steps of {:g} ms: {:g} s in {:.3g} s, {:.3g} times real time\n", summary.steps,
             1e3 * scene.step, outcome.simulated, outcome.seconds,
             outcome.simulated / outcome.seconds);
  fmt::print("  worst residual {:.1e}, worst penetration {:.1e} m, energy error {:.1e} J\n",
             summary.worst_residual, summary.worst_penetration, summary.energy_error);
  if (summary.most_slip > 1e-6)
    fmt::print("  most slip {:.3g} m ({})\n", summary.most_slip, summary.slipping);

  constexpr std::size_t kShown = 12;
  for (std::size_t k = 0; k < std::min(kShown, outcome.events.size()); ++k)
    fmt::print("  {}{:8.3f} s{}  {}\n", style.dim, outcome.events[k].time, style.plain,
               event_text(outcome.events[k]));
  const std::size_t more =
      outcome.events.size() + static_cast<std::size_t>(outcome.events_left_out);
  if (more > kShown) fmt::print("  and {} more events (--json lists them)\n", more - kShown);
  if (outcome.events.empty()) fmt::print("  no events\n");

  std::size_t held = 0;
  for (const io::ExpectationResult& result : outcome.expect) {
    held += result.holds;
    if (!result.holds)
      fmt::print("  {}expected{} {}: {}, found {:g}\n", style.red, style.plain, result.name,
                 result.wanted, result.found);
  }
  if (!outcome.expect.empty())
    fmt::print("  {} of {} expectations hold\n", held, outcome.expect.size());
  if (!outcome.timing.empty()) print_times(outcome.timing);
}

// Inputs of a file, each with the step that begins nearest to its time. What came before the first
// step counts then, but for changes of the scene, which the snapshot has.
class FileInputs : public sim::InputSource {
 public:
  FileInputs(const std::string& file, double step) : changes_(io::load_inputs(file)), step_(step) {}

  void poll(std::uint64_t, double time, std::vector<sim::InputChange>& changes) override {
    given_.clear();
    for (; next_ < changes_.size() && changes_[next_].time < time + 0.5 * step_; ++next_) {
      const io::TimedChange& next = changes_[next_];
      const bool is_before = next.time < time - 0.5 * step_;
      if (!is_before || !sim::InputChange::is_edit(next.change.kind))
        changes.push_back(next.change), given_.push_back(next_);
    }
  }
  Place find_place(std::size_t k) const override { return changes_[given_[k]].place; }

 private:
  std::vector<io::TimedChange> changes_;
  std::vector<std::size_t> given_;  // by the last poll
  double step_;
  std::size_t next_ = 0;
};

// Words that are right by themselves, but not together.
void check_words(const RunOptions& options) {
  if (!options.snapshot.empty() && !options.snapshot_at)
    throw CLI::ValidationError("--snapshot", "name a time too: --snapshot-at S");
  if (options.no_record && !(options.out.empty() && options.csv.empty()))
    throw CLI::ValidationError("--no-record", "leave out --out and --csv, or this");
}

int run_scene(const RunOptions& options) {
  check_words(options);
  const io::LoadedScene scene = load_run(options);
  if (options.snapshot_at) check_target(find_snapshot_file(scene, options));
  const Style style = find_style(stderr);
  for (const Warning& warning : scene.warnings)
    fmt::print(stderr, "{}warning:{} {}\n", style.yellow, style.plain, warning.text());
  const std::unique_ptr<Recorder> recorder = make_recorder(scene, options);
  std::optional<FileInputs> inputs;
  if (!options.inputs.empty()) inputs.emplace(options.inputs, scene.step);
  const RunOutcome outcome = simulate(scene, options, recorder.get(), inputs ? &*inputs : nullptr);
  options.json ? print_as_json(outcome) : print_as_text(scene, outcome);
  if (options.snapshot_at && !options.json && !outcome.summary.is_lost)
    fmt::print("  the state at {:g} s is in {}\n", *options.snapshot_at,
               find_snapshot_file(scene, options));
  if (recorder) {
    const std::string told = recorder->finish(outcome);
    if (!options.json) fmt::print("  {}\n", told);
  }
  if (outcome.summary.is_lost) return kExitUnsolved;
  return outcome.holds() ? kExitOk : kExitUnmet;
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand(
      "run", "Simulate a scene, or a robot standing on a floor, without a window");
  command
      ->add_option("FILE", options->file, "A scene (.yaml), or a robot (.urdf) to put on a floor")
      ->required()
      ->type_name("");
  command
      ->add_option("--duration", options->duration, "Seconds to simulate, from the scene's start")
      ->check(number_above(0.0, 1e7))
      ->type_name("S");
  const auto repeat = [](CLI::Option* option, const char* type) {
    option->type_name(type)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  repeat(command->add_option("--set", options->set, "Another value for a variable of the scene"),
         "NAME=VALUE");
  repeat(command->add_option("--joint", options->joints,
                             "Where joints start: a joint's name, or a part of several names"),
         "NAME=VALUE");
  command->add_option("--law", options->law, "Another contact law (docs/contact_laws.md)")
      ->check(not_empty())
      ->type_name("LAW");
  command->add_option("--seed", options->seed, "Another seed for random() in the scene")
      ->check(whole_number_in(0, kMostSeed))
      ->type_name("N");
  command->add_option("--threads", options->threads, "Groups of contacts solved side by side")
      ->check(whole_number_in(1, 256))
      ->type_name("N");
  repeat(command->add_option("--package-path", options->package_paths,
                             "Folder to look in for package:// files"),
         "DIR");
  command
      ->add_option("--snapshot-at", options->snapshot_at, "Write the state at this time to a file")
      ->type_name("S");
  const auto add_file = [&](const char* name, std::string& file, const char* about) {
    command->add_option(name, file, about)->check(not_empty())->type_name("FILE");
  };
  add_file("--snapshot", options->snapshot, "That file; else NAME.snapshot.h5");
  add_file("--from", options->from, "Go on from a snapshot of the same scene");
  add_file("--inputs", options->inputs,
           "What is done from outside (docs/recording.md), a JSON line each");
  add_file("--out", options->out, "Record to this file (.h5)");
  add_file("--csv", options->csv, "Record to this file, as text");
  repeat(command->add_option("--channel", options->channels,
                             "What to record: a channel's name, or a pattern with *"),
         "NAME");
  command->add_flag("--no-record", options->no_record, "Record nothing, whatever the scene says");
  command->add_flag("--timing", options->timing, "Print how long the stages of the steps took");
  command->add_flag("--json", options->json, "Print one JSON object instead of text");
  command->footer(
      "\nA robot is put on a floor by its lowest points and held where it starts, by springs and\n"
      "dampers scaled by what each joint carries. Exits with 5 when the scene's expectations "
      "fail,\n"
      "with 4 when numbers are lost. docs/scenes.md tells how scenes are written, "
      "docs/recording.md\n"
      "what can be recorded; `stance info`, `plot` and `replay` read recordings.\n\n"
      "Examples:\n"
      "  stance run scenes/humanoid_stand.yaml\n"
      "  stance run scenes/brick_on_ramp.yaml --set friction=0.3 --law penalty_fbl\n"
      "  stance run scenes/pile.yaml --snapshot-at 2 --snapshot pile_2s.h5\n"
      "  stance run scenes/pile.yaml --from pile_2s.h5\n"
      "  stance run scenes/humanoid_stand.yaml --out stand.h5\n"
      "  stance run scenes/stack.yaml --csv tops.csv --channel 'box*/position'\n"
      "  stance run models/humanoid.urdf --duration 10 --joint hip_pitch=-0.45 --joint knee=0.87 "
      "--joint ankle_pitch=-0.42\n");
  command->callback([options, &status] { status = run_scene(*options); });
}

}  // namespace stance::cli
