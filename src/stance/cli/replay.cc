// `stance replay`: runs a recording's inputs again and compares every number.

#include <unistd.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stance/cli/app.h"
#include "stance/cli/commands.h"
#include "stance/cli/recording_file.h"
#include "stance/cli/robot_json.h"
#include "stance/cli/simulate.h"
#include "stance/cli/terminal.h"
#include "stance/io/channel_choice.h"
#include "stance/io/checksum.h"
#include "stance/io/input_json.h"
#include "stance/io/scene_snapshot.h"

namespace stance::cli {
namespace {

// Where a run first did something else.
struct Difference {
  double time = 0.0;
  std::string channel, column;
  std::string recorded, found;  // values
};

bool is_same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// ---- the watcher ------------------------------------------------------------------------------

class Verifier : public io::RunWatcher {
 public:
  explicit Verifier(const io::Recording& recording) : recording_(recording) {}

  void begin(const io::LoadedScene&, std::span<sim::ChannelSource* const> sources) override {
    std::vector<std::string> names;
    for (const sim::Channel& channel : recording_.header().channels) names.push_back(channel.name);
    try {
      choice_.emplace(sources, names);
    } catch (const Error& error) {
      throw Error({recording_.file()},
                  fmt::format("this program does not offer what was recorded: {}", error.what()));
    }
    values_.resize(choice_->width());
    std::size_t at = 0;
    for (const sim::Channel& channel : choice_->channels()) {
      add_table(channel, at);
      at += channel.columns.size();
    }
  }

  void on_input(std::uint64_t step, double time, const sim::InputChange& change) override {
    inputs_.add({step, time, 0.0, change_name(change.kind), io::write_change(change)});
  }

  bool after_step(std::uint64_t step, const sim::StepView& view, const sim::Monitor&) override {
    if (row_ >= recording_.rows()) return !recording_.is_complete() ? false : true;
    if (step < recording_.step()[row_]) return true;
    compare(step, view);
    ++row_;
    return !difference_ && (row_ < recording_.rows() || recording_.is_complete());
  }

  // What the run came to, once every row was the same.
  void compare_end(const RunOutcome& outcome) {
    if (difference_) return;
    if (row_ < recording_.rows()) {
      difference_ = {recording_.time()[row_], "time", "",
                     fmt::format("{}", recording_.time()[row_]), "the run ended before"};
      return;
    }
    const std::vector<io::JournalNote>& events = recording_.events();
    const bool is_complete = recording_.is_complete();
    for (std::size_t k = 0; k < events.size() && !difference_; ++k) {
      const sim::Event* event = k < outcome.events.size() ? &outcome.events[k] : nullptr;
      const io::JournalNote& wanted = events[k];
      if (event && wanted.kind == event_name(event->kind) && wanted.text == event->what &&
          is_same(wanted.time, event->time) && is_same(wanted.value, event->value))
        continue;
      difference_ = {
          wanted.time, "events", wanted.kind, wanted.text,
          event ? fmt::format("{} {}", event_name(event->kind), event->what) : "nothing"};
    }
    if (!difference_ && is_complete) compare_summary(outcome);
  }

  const std::optional<Difference>& difference() const { return difference_; }
  std::size_t rows() const { return row_; }
  std::size_t width() const { return 1 + values_.size(); }

 private:
  struct Table {
    const sim::Channel* channel;
    std::size_t at;  // in values_
    std::vector<double> recorded;
  };

  void add_table(const sim::Channel& channel, std::size_t at) {
    const std::vector<sim::Channel>& recorded = recording_.header().channels;
    for (std::size_t k = 0; k < recorded.size(); ++k) {
      if (recorded[k].name != channel.name) continue;
      if (recorded[k].columns != channel.columns)
        throw Error({recording_.file()},
                    fmt::format("'{}' has other columns in this program; replay it with {}",
                                channel.name, recording_.header().program));
      tables_.push_back({&channel, at, recording_.read(k)});
    }
  }

  void compare(std::uint64_t step, const sim::StepView& view) {
    const double time = recording_.time()[row_];
    if (step != recording_.step()[row_] || !is_same(time, view.state.time)) {
      difference_ = {time, "time", "", fmt::format("{}", time), fmt::format("{}", view.state.time)};
      return;
    }
    choice_->read(view, values_);
    for (const Table& table : tables_) {
      const std::size_t columns = table.channel->columns.size();
      const double* recorded = table.recorded.data() + row_ * columns;
      if (std::memcmp(recorded, &values_[table.at], columns * sizeof(double)) == 0) continue;
      for (std::size_t c = 0; c < columns; ++c) {
        if (is_same(recorded[c], values_[table.at + c])) continue;
        difference_ = {time, table.channel->name, table.channel->columns[c],
                       fmt::format("{}", recorded[c]), fmt::format("{}", values_[table.at + c])};
        return;
      }
    }
  }

  void compare_summary(const RunOutcome& outcome) {
    const std::string wanted = io::write_summary(*recording_.summary());
    const std::string found =
        io::write_summary({outcome.summary, outcome.simulated, inputs_.value});
    if (wanted != found)
      difference_ = {outcome.simulated, "summary", "", "\n" + wanted, "\n" + found};
  }

  const io::Recording& recording_;
  std::optional<io::ChannelChoice> choice_;
  std::vector<double> values_;
  std::vector<Table> tables_;
  std::size_t row_ = 0;
  io::InputHash inputs_;
  std::optional<Difference> difference_;
};

// ---- the inputs -------------------------------------------------------------------------------

// A file that goes away with this.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& bytes) {
    std::string pattern = (std::filesystem::temp_directory_path() / "stance_start_XXXXXX").string();
    const int handle = mkstemp(pattern.data());
    if (handle < 0) throw Error("there is no room for a temporary file");
    close(handle);
    name_ = pattern;
    std::ofstream(name_, std::ios::binary) << bytes;
  }
  ~TemporaryFile() {
    std::error_code code;
    std::filesystem::remove(name_, code);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

// What people and devices did when it was recorded.
class RecordedInputs : public sim::InputSource {
 public:
  explicit RecordedInputs(const io::Recording& recording) : recording_(recording) {}

  void poll(std::uint64_t step, double, std::vector<sim::InputChange>& changes) override {
    const std::vector<io::JournalNote>& notes = recording_.inputs();
    for (; next_ < notes.size() && notes[next_].step <= step; ++next_) {
      const io::JournalNote& note = notes[next_];
      try {
        changes.push_back(io::parse_change(note.kind, note.text));
      } catch (const Error& error) {
        throw Error({recording_.file()},
                    fmt::format("the input at {:g} s: {}", note.time, error.what()));
      }
    }
  }

 private:
  const io::Recording& recording_;
  std::size_t next_ = 0;
};

void check_files(const io::Recording& recording) {
  for (const io::InputFile& file : recording.header().files) {
    std::error_code code;
    if (!std::filesystem::exists(file.path, code))
      throw Error({file.path},
                  "the recording was made with this file, which is not there any more");
    if (io::calc_file_sha256(file.path) != file.sha256)
      throw Error({file.path},
                  fmt::format("this file has changed since the recording was made (its SHA-256 was "
                              "{}...); put the old one back to replay it",
                              file.sha256.substr(0, 16)));
  }
}

RunOptions make_options(const io::Recording& recording) {
  const io::RunSettings& settings = recording.header().settings;
  RunOptions out;
  out.file = settings.file, out.is_robot = settings.is_robot;
  out.set = settings.set, out.joints = settings.joints, out.law = settings.law;
  out.seed = settings.seed, out.duration = settings.duration;
  out.threads = settings.threads, out.package_paths = settings.package_paths;
  if (!settings.is_robot) out.texts = {true, recording.header().texts};
  return out;
}

void warn(const std::string& text) {
  const Style style = find_style(stderr);
  fmt::print(stderr, "{}warning:{} {}\n", style.yellow, style.plain, text);
}

void warn_of_another_program(const io::RecordingHeader& header) {
  const std::string level = io::find_feature_level(), program = "stance " STANCE_VERSION;
  if (header.feature_level != level)
    warn(fmt::format("it was recorded on {}, this program computes on {}: the bits may differ",
                     header.feature_level, level));
  if (header.program != program)
    warn(fmt::format("it was recorded by {}, this is {}: the bits may differ", header.program,
                     program));
}

// ---- the command ------------------------------------------------------------------------------

void tell(const io::Recording& recording, const Verifier& verifier, bool json) {
  const std::optional<Difference>& difference = verifier.difference();
  if (json) {
    nlohmann::ordered_json out;
    out["same"] = !difference;
    out["rows"] = verifier.rows();
    out["columns"] = verifier.width();
    out["complete"] = recording.is_complete();
    if (difference)
      out["difference"] = {{"time", difference->time},
                           {"channel", difference->channel},
                           {"column", difference->column},
                           {"recorded", difference->recorded},
                           {"found", difference->found}};
    fmt::print("{}", print_json(out));
    return;
  }
  const Style style = find_style(stdout);
  if (!difference) {
    fmt::print("{}{}{}: the same, bit for bit: {} rows of {} numbers{}\n", style.bold,
               recording.file(), style.plain, verifier.rows(), verifier.width(),
               recording.is_complete() ? "" : " (the run was cut off there)");
    return;
  }
  fmt::print("{}{}{}: {}not the same{}: at {:g} s {}{}{} was {}, is now {}\n", style.bold,
             recording.file(), style.plain, style.red, style.plain, difference->time,
             difference->channel, difference->column.empty() ? "" : ":", difference->column,
             difference->recorded, difference->found);
}

int run_replay(const std::string& file, bool json) {
  const io::Recording recording = open_recording(file);
  const io::RecordingHeader& header = recording.header();
  warn_of_another_program(header);
  check_files(recording);
  RunOptions options = make_options(recording);
  options.json = json;
  const io::LoadedScene scene = load_run(options);
  if (calc_scene_hash(scene) != header.scene_hash)
    warn("the same inputs give another scene in this program");

  std::unique_ptr<TemporaryFile> start;
  if (header.settings.has_start()) {
    start = std::make_unique<TemporaryFile>(recording.read_start());
    options.from = start->name();
  }
  // somebody ended it, whatever the scene's duration is
  if (header.settings.is_live && recording.summary())
    options.length =
        recording.summary()->simulated + (recording.summary()->run.is_lost ? header.step : 0.0);
  Verifier verifier(recording);
  RecordedInputs inputs(recording);
  verifier.compare_end(simulate(scene, options, &verifier, &inputs));
  tell(recording, verifier, json);
  return verifier.difference() ? kExitUnmet : kExitOk;
}

}  // namespace

void add_replay(CLI::App& app, int& status) {
  struct Options {
    std::string file;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("replay", "Run a recording again and compare every number with it");
  command->add_option("FILE", options->file, "A recording (.h5)")->required()->type_name("");
  command->add_flag("--json", options->json, "Print one JSON object instead of text");
  command->footer(
      "\nThe scene comes out of the recording, whatever became of its file; robots and meshes must "
      "be\n"
      "where they were, unchanged. Exits with 5 at the first number that differs in any bit.\n\n"
      "Examples:\n"
      "  stance run scenes/stack.yaml --out stack.h5\n"
      "  stance replay stack.h5\n");
  command->callback([options, &status] { status = run_replay(options->file, options->json); });
}

}  // namespace stance::cli
