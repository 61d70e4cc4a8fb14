// `stance replay`: runs a recording's inputs again and compares every number.

#include "stance/io/replay.h"

#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stance/cli/app.h"
#include "stance/cli/commands.h"
#include "stance/cli/recording_file.h"
#include "stance/cli/robot_json.h"
#include "stance/cli/terminal.h"
#include "stance/run/outcome.h"

namespace stance::cli {
namespace {

void tell(const io::Recording& recording, const io::ReplayResult& result, bool json) {
  const std::optional<run::Difference>& difference = result.difference;
  if (json) {
    nlohmann::ordered_json out;
    out["same"] = !difference;
    out["rows"] = result.rows;
    out["columns"] = result.columns;
    out["complete"] = recording.is_complete();
    out["not_converged"] = result.summary.unconverged;
    out["contacts_dropped"] = result.summary.contacts_dropped;
    out["contacts_missed"] = result.summary.contacts_missed;
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
               recording.file(), style.plain, result.rows, result.columns,
               recording.is_complete() ? "" : " (the run was cut off there)");
    fmt::print("  {}\n", run::trust_text(result.summary));
    return;
  }
  fmt::print("{}{}{}: {}not the same{}: at {:g} s {}{}{} was {}, is now {}\n", style.bold,
             recording.file(), style.plain, style.red, style.plain, difference->time,
             difference->channel, difference->column.empty() ? "" : ":", difference->column,
             difference->recorded, difference->found);
}

int run_replay(const std::string& file, bool json) {
  const io::Recording recording = open_recording(file);
  std::vector<std::string> warnings;
  const io::ReplayResult result = io::replay(recording, warnings);
  const Style style = find_style(stderr);
  for (const std::string& warning : warnings)
    fmt::print(stderr, "{}warning:{} {}\n", style.yellow, style.plain, warning);
  tell(recording, result, json);
  return result.difference ? kExitUnmet : kExitOk;
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
