#include "stance/cli/recording_info.h"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stance/cli/app.h"
#include "stance/cli/recording_file.h"
#include "stance/cli/robot_json.h"
#include "stance/cli/terminal.h"
#include "stance/run/outcome.h"

namespace stance::cli {
namespace {

using Json = nlohmann::ordered_json;

// "right_hip_yaw, right_hip_roll, ... left_gripper"
std::string shorten(const std::vector<std::string>& columns) {
  constexpr int kWidth = 48;
  std::string out;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const bool is_last = k + 1 == columns.size();
    if (!is_last && calc_width(out + columns[k]) > kWidth) return out + ", ... " + columns.back();
    out += (k ? ", " : "") + columns[k];
  }
  return out;
}

std::string describe_end(const io::Recording& recording) {
  if (!recording.is_complete()) return "the run was cut off";
  const sim::RunSummary& run = recording.summary()->run;
  return run.is_lost ? "the run lost its numbers" : "the run came to its end";
}

void print_channels(const io::Recording& recording, const Style& style) {
  std::vector<std::vector<std::string>> rows = {{"channel", "unit", "columns", "at"}};
  for (const sim::Channel& channel : recording.header().channels)
    rows.push_back({channel.name, channel.unit, shorten(channel.columns),
                    channel.when == sim::When::kStart  ? "start of step"
                    : channel.when == sim::When::kOver ? "over step"
                                                       : "end of step"});
  fmt::print("\n{}", format_table(rows, 4, style));
}

void print_events(const io::Recording& recording, const Style& style) {
  constexpr std::size_t kShown = 12;
  const auto& events = recording.events();
  if (events.empty()) {
    fmt::print("\nno events\n");
    return;
  }
  fmt::print("\n");
  for (std::size_t k = 0; k < std::min(kShown, events.size()); ++k)
    fmt::print("  {}{:8.3f} s{}  {} {}\n", style.dim, events[k].time, style.plain, events[k].kind,
               events[k].text);
  if (events.size() > kShown)
    fmt::print("  and {} more events (--json lists them)\n", events.size() - kShown);
}

void print_as_text(const io::Recording& recording) {
  const Style style = find_style(stdout);
  const io::RecordingHeader& header = recording.header();
  const double end = recording.rows() ? recording.time().back() : 0.0;
  fmt::print("{}{}{}: recording of {}{}{}\n", style.bold, describe_file(recording.file()),
             style.plain, header.scene, header.about.empty() ? "" : ": ", header.about);
  fmt::print("  {} rows of {} numbers, {:g} s to {:g} s, every {:g} ms; {}\n", recording.rows(),
             1 + header.width(), recording.rows() ? recording.time().front() : 0.0, end,
             1e3 * header.step * header.every, describe_end(recording));
  if (recording.summary())
    fmt::print("  {}; {}, worst penetration {:.1e} m\n", run::trust_text(recording.summary()->run),
               run::residual_text(recording.summary()->run),
               recording.summary()->run.worst_penetration);
  fmt::print("  {} by {} on {}\n", header.date, header.program, header.feature_level);
  fmt::print("  {}\n", header.command);
  fmt::print("  inputs {}, seed {}{}\n", header.calc_input_hash().substr(0, 16), header.seed,
             header.has_start() ? ", from a snapshot" : "");
  for (const io::SceneTexts::File& file : header.texts)
    fmt::print("  holds the text of {}\n", file.path);
  for (const scene::FileSpec& file : header.files)
    fmt::print("  made with {} ({})\n", file.path, file.sha256.substr(0, 16));
  print_channels(recording, style);
  print_events(recording, style);
  if (!recording.inputs().empty())
    fmt::print("{} inputs of people or devices\n", recording.inputs().size());
}

Json list_notes(const std::vector<io::JournalNote>& notes, bool are_inputs) {
  Json out = Json::array();
  for (const io::JournalNote& note : notes) {
    Json entry;
    entry["time"] = note.time;
    if (are_inputs) entry["step"] = note.step;
    entry["kind"] = note.kind;
    entry[are_inputs ? "data" : "what"] = note.text;
    if (!are_inputs) entry["value"] = note.value;
    out.push_back(entry);
  }
  return out;
}

void print_as_json(const io::Recording& recording) {
  const io::RecordingHeader& header = recording.header();
  Json out = Json::parse(write_header(header));
  out["rows"] = recording.rows();
  out["start"] = recording.rows() ? Json(recording.time().front()) : Json();
  out["end"] = recording.rows() ? Json(recording.time().back()) : Json();
  out["complete"] = recording.is_complete();
  out["summary"] = recording.summary() ? Json::parse(write_summary(*recording.summary())) : Json();
  out["events"] = list_notes(recording.events(), false);
  out["inputs"] = list_notes(recording.inputs(), true);
  fmt::print("{}", print_json(out));
}

}  // namespace

int show_recording(const std::string& file, bool json) {
  const io::Recording recording = open_recording(file);
  json ? print_as_json(recording) : print_as_text(recording);
  return kExitOk;
}

}  // namespace stance::cli
