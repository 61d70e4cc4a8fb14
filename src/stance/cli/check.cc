#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "stance/cli/app.h"
#include "stance/cli/commands.h"
#include "stance/cli/robot_json.h"
#include "stance/cli/robot_options.h"
#include "stance/cli/robot_summary.h"
#include "stance/cli/terminal.h"
#include "stance/io/scene.h"

namespace stance::cli {
namespace {

// Mesh files are opened only here, so that loading a robot stays quick.
void check_mesh_files(const io::Robot& robot, bool strict, io::UrdfReport& report) {
  for (const MeshSummary& mesh : summarize(robot).meshes) {
    if (mesh.problem.empty()) continue;
    auto& list = strict ? report.errors : report.warnings;
    list.push_back({mesh.place, fmt::format("{}: {}", mesh.path, mesh.problem)});
  }
}

void print_findings(const std::vector<io::Finding>& findings, const char* severity,
                    const char* colour, const Style& style) {
  for (const io::Finding& finding : findings)
    fmt::print("{}{}{}\n", colour, finding_text(finding, severity), style.plain);
}

// A scene, with the robots in it.
io::UrdfReport check_scene_file(const RobotOptions& options) {
  scene::Settings settings{options.file};
  settings.package_paths = add_ros_paths(options.reader.package_paths);
  const io::SceneReport found = io::check_scene(settings);
  io::UrdfReport report{found.errors, found.warnings, {}};
  if (options.reader.strict) {
    report.errors.insert(report.errors.end(), report.warnings.begin(), report.warnings.end());
    report.warnings.clear();
  }
  return report;
}

int run_check(const RobotOptions& options, bool json) {
  const bool is_scene = io::is_scene_file(options.file);
  io::UrdfReport report = is_scene ? check_scene_file(options) : read_robot(options);
  if (report.robot) check_mesh_files(*report.robot, options.reader.strict, report);
  const bool ok = report.errors.empty();
  if (json) {
    nlohmann::ordered_json result;
    result["file"] = options.file;
    result["ok"] = ok;
    result["errors"] = make_findings_json(report.errors);
    result["warnings"] = make_findings_json(report.warnings);
    fmt::print("{}", print_json(result));
    return ok ? kExitOk : kExitBadInput;
  }
  const Style style = find_style(stdout);
  print_findings(report.errors, "error", style.red, style);
  print_findings(report.warnings, "warning", style.yellow, style);
  if (ok)
    fmt::print("{}{}{}: fine{}\n", style.bold, options.file, style.plain,
               report.warnings.empty() ? std::string()
                                       : fmt::format(", with {} warning{}", report.warnings.size(),
                                                     report.warnings.size() == 1 ? "" : "s"));
  return ok ? kExitOk : kExitBadInput;
}

}  // namespace

void add_check(CLI::App& app, int& status) {
  struct Options {
    RobotOptions robot;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("check", "Report what is wrong with a robot description or a scene");
  add_robot_options(*command, "a scene (.yaml)", options->robot);
  command->add_flag("--json", options->json, "Print one JSON object instead of text");
  command->footer(
      "\nPrints one line per finding, file:line: element: what, and exits with 1 when there are\n"
      "errors. Warnings mark input that Stance accepts but that you should check.\n\n"
      "Examples:\n"
      "  stance check my_robot.urdf\n"
      "  stance check my_scene.yaml\n"
      "  stance check my_robot.urdf --strict --package-path ~/ros/src\n");
  command->callback([options, &status] { status = run_check(options->robot, options->json); });
}

}  // namespace stance::cli
