#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stance/cli/app.h"
#include "stance/cli/arguments.h"
#include "stance/cli/commands.h"
#include "stance/cli/recording_file.h"
#include "stance/cli/robot_json.h"
#include "stance/cli/scene_options.h"
#include "stance/cli/terminal.h"
#include "stance/cli/timing.h"
#include "stance/io/input_json.h"
#include "stance/io/recording_writer.h"
#include "stance/io/scene.h"
#include "stance/io/scene_snapshot.h"
#include "stance/run/event_text.h"
#include "stance/run/hash.h"
#include "stance/run/outcome.h"
#include "stance/sim/state_hash.h"

namespace stance::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct RunWords {
  SceneWords scene;
  std::optional<double> snapshot_at;
  std::string snapshot, from;
  bool json = false;
  std::string inputs;                 // a file of what is done meanwhile
  std::string out, csv;               // where to record
  std::vector<std::string> channels;  // what
  bool no_record = false;
  bool timing = false;  // measure the stages of steps
};

// ---- what takes part ----------------------------------------------------------------------------

// Inputs of a file, each with the step that begins nearest to its time. What came before the first
// step counts then, but for changes of the scene, which the snapshot has.
class FileInputs final : public run::Observer {
 public:
  FileInputs(const std::string& file, double step) : changes_(io::load_inputs(file)), step_(step) {}

  void before_step(const run::StepAhead& step, std::vector<run::Change>& changes) override {
    given_.clear();
    for (; next_ < changes_.size() && changes_[next_].time < step.time + 0.5 * step_; ++next_) {
      const io::TimedChange& next = changes_[next_];
      const bool is_before = next.time < step.time - 0.5 * step_;
      if (!is_before || !std::holds_alternative<scene::Edit>(next.change.what))
        changes.push_back(next.change), given_.push_back(next_);
    }
  }
  bool on_refused(const run::Refusal& refusal) override {
    if (&refusal.maker != this || !refusal.error.place().text().empty()) return false;
    throw Error(changes_[given_[refusal.number]].place, refusal.error.what());
  }

 private:
  std::vector<io::TimedChange> changes_;
  std::vector<std::size_t> given_;  // by the last before_step
  double step_;
  std::size_t next_ = 0;
};

// Writes the state at a time.
class SnapshotWriter final : public run::Observer {
 public:
  SnapshotWriter(std::int64_t step, std::string file) : step_(step), file_(std::move(file)) {}

  bool after_step(const run::Simulation& simulation, const sim::StepView&) override {
    if (simulation.steps() == step_)
      io::save_snapshot(simulation.scene(), simulation.moment(), file_);
    return true;
  }

 private:
  std::int64_t step_;
  std::string file_;
};

// How far it is, on a terminal.
class Progress final : public run::Observer {
 public:
  explicit Progress(std::int64_t steps) : steps_(steps), shown_(Clock::now()) {}
  bool is_shown() const { return bar_.is_shown(); }

  bool after_step(const run::Simulation& simulation, const sim::StepView& view) override {
    constexpr std::int64_t kLookEvery = 64;  // steps between looks at the clock
    if (simulation.steps() % kLookEvery != 0) return true;
    const Clock::time_point now = Clock::now();
    if (now - shown_ < std::chrono::milliseconds(100)) return true;
    shown_ = now;
    bar_.show(static_cast<double>(simulation.steps()) / static_cast<double>(steps_),
              fmt::format("{:.2f} s of {:g} s", view.state.time, simulation.spec().duration));
    return true;
  }

 private:
  std::int64_t steps_;
  ProgressBar bar_{stderr};
  Clock::time_point shown_;
};

// ---- recordings ---------------------------------------------------------------------------------

void check_endings(const RunWords& words) {
  const std::string out = std::filesystem::path(words.out).extension().string();
  if (!words.out.empty() && out != ".h5" && out != ".hdf5")
    throw CLI::ValidationError("--out", fmt::format("'{}' must end with .h5{}", words.out,
                                                    out == ".csv" ? "; --csv writes text" : ""));
  if (!words.csv.empty() && words.csv == words.out)
    throw CLI::ValidationError("--csv", "it must be another file than --out");
}

std::string read_bytes(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// As the command line and the scene ask for; none when they ask for none. Finishes what a run that
// was killed left under the same name, and says so.
std::optional<io::RecordOptions> choose_recording(const RunWords& words,
                                                  const scene::SceneSpec& spec) {
  check_endings(words);
  const bool is_asked = !words.out.empty() || !words.csv.empty();
  if (!words.channels.empty() && !is_asked && spec.record.file.empty())
    throw CLI::ValidationError("--channel", "name a file too: --out FILE.h5 or --csv FILE.csv");
  if (words.no_record || (!is_asked && spec.record.file.empty())) return std::nullopt;
  io::RecordOptions out{.hdf5 = words.out, .csv = words.csv, .channels = words.channels};
  if (!is_asked) (spec.record.file.ends_with(".csv") ? out.csv : out.hdf5) = spec.record.file;
  if (!words.from.empty()) out.start = read_bytes(words.from);
  for (const std::string& target : {out.hdf5, out.csv})
    if (!target.empty()) check_target(target);
  tell_orphan(out.hdf5.empty() ? out.csv : out.hdf5, io::OrphanPlace::kAnotherName);
  return out;
}

std::string describe_recording(const io::RecordingWriter& writer, const io::RecordOptions& what) {
  std::string told = fmt::format("recorded {} rows of {} numbers in {}", writer.rows(),
                                 writer.columns(), describe_file(writer.file()));
  if (!what.hdf5.empty() && !what.csv.empty()) told += " and " + describe_file(what.csv);
  if (writer.waits() > 0) told += fmt::format("; it waited {} times for the disk", writer.waits());
  return told;
}

// ---- what is told -------------------------------------------------------------------------------

struct Hashes {
  std::uint64_t state = 0, channels = 0;
};

// Of every kind that came, those left out included.
nlohmann::ordered_json count_events(const sim::EventCounts& counts) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (std::size_t k = 0; k < counts.size(); ++k)
    if (counts[k] > 0) out[event_name(static_cast<sim::Event::Kind>(k))] = counts[k];
  return out;
}

void print_as_json(const run::Outcome& outcome, double seconds, const Hashes& hashes,
                   const std::vector<StageTime>& timing) {
  nlohmann::ordered_json out;
  const sim::RunSummary& summary = outcome.summary;
  out["steps"] = summary.steps;
  out["seconds"] = outcome.simulated;
  out["real_time_factor"] = outcome.simulated / seconds;
  out["trusted"] = outcome.is_trusted();
  for (const run::TrustCount& count : outcome.trust) out[count.name] = count.count;
  for (std::size_t k = 0; k < sim::kUnsolvedKinds; ++k)
    out["not_converged_by"][unsolved_name(static_cast<sim::Unsolved>(k))] =
        summary.unconverged_by[k];
  out["law"] = contact_law_name(outcome.law);
  out["worst_residual"] = summary.worst_residual;
  out["distance_from_exact"] = summary.worst_distance;
  out["worst_gap_velocity"] = summary.worst_gap_velocity;
  out["worst_impulse_error"] = summary.worst_impulse_error;
  out["worst_velocity_error"] = summary.worst_velocity_error;
  out["worst_penetration"] = summary.worst_penetration;
  out["energy_error"] = summary.energy_error;
  out["state_hash"] = fmt::format("{:016x}", hashes.state);
  out["channel_hash"] = fmt::format("{:016x}", hashes.channels);
  out["events"] = nlohmann::ordered_json::array();
  for (const sim::Event& event : outcome.events)
    out["events"].push_back({{"time", event.time},
                             {"kind", event_name(event.kind)},
                             {"what", event.what},
                             {"value", event.value}});
  out["events_left_out"] = outcome.events_left_out;
  out["event_counts"] = count_events(outcome.event_counts);
  out["expect"] = nlohmann::ordered_json::array();
  for (const run::ExpectationResult& result : outcome.expect)
    out["expect"].push_back({{"name", result.name},
                             {"holds", result.holds},
                             {"wanted", result.wanted},
                             {"found", result.found}});
  if (!timing.empty()) out["timing"] = write_times(timing);
  fmt::print("{}", print_json(out));
}

std::string event_text(const sim::Event& event) {
  const bool is_end = event.kind == sim::Event::Kind::kNotFinite;
  return run::event_text(event) + (is_end ? "; the run ends here" : "");
}

// Whether the numbers can be believed: in green only where nothing is wrong.
void print_trust(const run::Outcome& outcome, const Style& style) {
  const sim::RunSummary& summary = outcome.summary;
  const bool is_clean = std::all_of(outcome.trust.begin(), outcome.trust.end(),
                                    [](const run::TrustCount& count) { return count.count == 0; });
  const std::string text = run::trust_text(summary);
  if (is_clean && !summary.is_lost && summary.steps > 0)
    return fmt::print("  {}{}{}\n", style.green, text, style.plain);
  const char* verdict = outcome.is_trusted() ? " (the scene allows it)" : ": not to be trusted";
  fmt::print("  {}{}{}{}\n", outcome.is_trusted() ? style.yellow : style.red, text, style.plain,
             verdict);
}

void print_as_text(const scene::SceneSpec& spec, const run::Outcome& outcome, double seconds) {
  const Style style = find_style(stdout);
  const sim::RunSummary& summary = outcome.summary;
  fmt::print("{}{}{}{}{}\n", style.bold, spec.name, style.plain, spec.about.empty() ? "" : ": ",
             spec.about);
  fmt::print("  {} steps of {:g} ms: {:g} s in {:.3g} s, {:.3g} times real time\n", summary.steps,
             1e3 * spec.step, outcome.simulated, seconds, outcome.simulated / seconds);
  print_trust(outcome, style);
  fmt::print("  worst residual {:.1e}, worst penetration {:.1e} m, energy error {:.1e} J\n",
             summary.worst_residual, summary.worst_penetration, summary.energy_error);
  fmt::print(
      "  worst gap velocity {:.1e} m/s, impulse error {:.1e} N s, velocity error {:.1e} m/s\n",
      summary.worst_gap_velocity, summary.worst_impulse_error, summary.worst_velocity_error);
  if (outcome.law != contact::ContactLaw::kExact)
    fmt::print(
        "  the law {} is up to {:.1e} from the exact one (its residual for these impulses)\n",
        contact_law_name(outcome.law), summary.worst_distance);
  if (summary.most_slip > 1e-6)
    fmt::print("  most slip {:.3g} m ({})\n", summary.most_slip, summary.slipping);

  constexpr std::size_t kShown = 12;
  for (std::size_t k = 0; k < std::min(kShown, outcome.events.size()); ++k)
    fmt::print("  {}{:8.3f} s{}  {}\n", style.dim, outcome.events[k].time, style.plain,
               event_text(outcome.events[k]));
  if (outcome.events.size() > kShown)
    fmt::print("  and {} more events (--json lists them)\n", outcome.events.size() - kShown);
  if (outcome.events_left_out > 0)
    fmt::print("  {}{} later events were counted, but not kept{}\n", style.yellow,
               outcome.events_left_out, style.plain);
  if (outcome.events.empty()) fmt::print("  no events\n");

  std::size_t held = 0;
  for (const run::ExpectationResult& result : outcome.expect) {
    held += result.holds;
    if (!result.holds)
      fmt::print("  {}expected{} {}: {}, found {:g}\n", style.red, style.plain, result.name,
                 result.wanted, result.found);
  }
  if (!outcome.expect.empty())
    fmt::print("  {} of {} expectations hold\n", held, outcome.expect.size());
}

// ---- the run ------------------------------------------------------------------------------------

// Words that are right by themselves, but not together.
void check_words(const RunWords& words) {
  if (!words.snapshot.empty() && !words.snapshot_at)
    throw CLI::ValidationError("--snapshot", "name a time too: --snapshot-at S");
  if (words.no_record && !(words.out.empty() && words.csv.empty()))
    throw CLI::ValidationError("--no-record", "leave out --out and --csv, or this");
}

// Number of the step at which the snapshot is taken, and the run ends.
struct RunPlan {
  std::int64_t steps = 0, snapshot = -1;
};

RunPlan make_plan(const RunWords& words, const run::Simulation& simulation) {
  const scene::SceneSpec& spec = simulation.spec();
  const auto count = [&](double time) { return std::llround(time / spec.step); };
  RunPlan out;
  out.steps = std::max<std::int64_t>(1, count(spec.duration));
  if (simulation.steps() >= out.steps)
    throw Error({words.from}, fmt::format("the snapshot is of {:g} s, where the run ends; give a "
                                          "longer --duration",
                                          simulation.time()));
  if (!words.snapshot_at) return out;
  out.snapshot = count(*words.snapshot_at);
  if (out.snapshot <= simulation.steps() || out.snapshot > out.steps)
    throw Error(fmt::format("--snapshot-at {:g}: the run goes from {:g} s to {:g} s",
                            *words.snapshot_at, simulation.time(), spec.duration));
  return out;
}

int run_scene(const RunWords& words) {
  check_words(words);
  const scene::Settings settings = make_settings(words.scene);
  const auto scene = std::make_shared<const scene::Scene>(io::load_scene(settings));
  const scene::SceneSpec& spec = scene->spec();
  const std::string snapshot_file =
      words.snapshot.empty() ? spec.name + ".snapshot" : words.snapshot;
  if (words.snapshot_at) check_target(snapshot_file);
  const Style style = find_style(stderr);
  for (const Warning& warning : scene->warnings)
    fmt::print(stderr, "{}warning:{} {}\n", style.yellow, style.plain, warning.text());

  std::optional<io::RecordOptions> record = choose_recording(words, spec);
  run::Simulation simulation(scene, words.from.empty() ? run::Moment{scene->first.scene.start}
                                                       : io::load_snapshot(*scene, words.from));
  const RunPlan plan = make_plan(words, simulation);

  // who takes part, in this order
  const bool may_change = !words.inputs.empty() || !simulation.edits().empty();
  std::optional<FileInputs> inputs;
  if (!words.inputs.empty()) simulation.attach(inputs.emplace(words.inputs, spec.step));
  std::optional<run::ChannelHash> hash;
  if (words.json) simulation.attach(hash.emplace(simulation, may_change));
  std::optional<io::RecordingWriter> writer;
  if (record) writer.emplace(simulation, *record);
  std::optional<SnapshotWriter> snapshots;
  if (words.snapshot_at) simulation.attach(snapshots.emplace(plan.snapshot, snapshot_file));
  Progress progress(plan.steps);
  if (!words.json && progress.is_shown()) simulation.attach(progress);

  sim::StepTimer timer;
  if (words.timing) simulation.measure(&timer);
  const Clock::time_point clock = Clock::now();
  simulation.advance_to(plan.steps);
  const double seconds = std::chrono::duration<double>(Clock::now() - clock).count();

  const std::vector<StageTime> timing = words.timing ? list_times(timer) : std::vector<StageTime>();
  const run::Outcome outcome = make_outcome(simulation);
  if (words.json)
    print_as_json(outcome, seconds, {calc_state_hash(simulation.state()), hash->value()}, timing);
  else
    print_as_text(spec, outcome, seconds);
  if (!timing.empty() && !words.json) print_times(timing);
  if (words.snapshot_at && !words.json && !outcome.summary.is_lost)
    fmt::print("  the state at {:g} s is in {}\n", *words.snapshot_at, snapshot_file);
  if (writer) {
    writer->finish(outcome);
    if (!words.json) fmt::print("  {}\n", describe_recording(*writer, *record));
  }
  if (outcome.summary.is_lost) return kExitUnsolved;
  if (!outcome.holds()) return kExitUnmet;
  return outcome.is_trusted() ? kExitOk : kExitUntrusted;
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  const auto options = std::make_shared<RunWords>();
  CLI::App* command = app.add_subcommand(
      "run", "Simulate a scene, or a robot standing on a floor, without a window");
  command
      ->add_option("FILE", options->scene.settings.file,
                   "A scene (.yaml), or a robot (.urdf) to put on a floor")
      ->required()
      ->type_name("");
  command
      ->add_option("--duration", options->scene.settings.duration,
                   "Seconds to simulate, from the scene's start")
      ->check(number_above(0.0, 1e7))
      ->type_name("S");
  add_scene_options(*command, options->scene);
  repeat(command->add_option("--joint", options->scene.joints,
                             "Where joints start: a joint's name, or a part of several names"),
         "NAME=VALUE");
  command
      ->add_option("--threads", options->scene.settings.threads,
                   "Groups of contacts solved side by side")
      ->check(whole_number_in(1, 256))
      ->type_name("N");
  command
      ->add_option("--snapshot-at", options->snapshot_at, "Write the state at this time to a file")
      ->type_name("S");
  const auto add_file = [&](const char* name, std::string& file, const char* about) {
    command->add_option(name, file, about)->check(not_empty())->type_name("FILE");
  };
  add_file("--snapshot", options->snapshot, "That file; else NAME.snapshot");
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
      "with 4 when numbers are lost, with 6 when steps did not converge or contacts were dropped "
      "or\n"
      "missed, more than the scene allows (expect: max_unconverged, max_dropped, max_missed).\n"
      "docs/trust.md tells what the numbers prove, docs/scenes.md how scenes are written,\n"
      "docs/recording.md what can be recorded; `stance info`, `plot` and `replay` read "
      "recordings.\n\n"
      "Examples:\n"
      "  stance run scenes/humanoid_stand.yaml\n"
      "  stance run scenes/brick_on_ramp.yaml --set friction=0.3 --law penalty_fbl\n"
      "  stance run scenes/pile.yaml --snapshot-at 2 --snapshot pile_2s.snapshot\n"
      "  stance run scenes/pile.yaml --from pile_2s.snapshot\n"
      "  stance run scenes/humanoid_stand.yaml --out stand.h5\n"
      "  stance run scenes/stack.yaml --csv tops.csv --channel 'box*/position'\n"
      "  stance run models/humanoid.urdf --duration 10 --joint hip_pitch=-0.45 --joint knee=0.87 "
      "--joint ankle_pitch=-0.42\n");
  command->callback([options, &status] { status = run_scene(*options); });
}

}  // namespace stance::cli
