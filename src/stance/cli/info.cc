#include <memory>

#include <fmt/format.h>

#include "stance/cli/app.h"
#include "stance/cli/commands.h"
#include "stance/cli/recording_info.h"
#include "stance/cli/robot_json.h"
#include "stance/cli/robot_options.h"
#include "stance/cli/robot_summary.h"
#include "stance/cli/robot_text.h"
#include "stance/io/recording.h"
#include "stance/io/scene.h"
#include "stance/kernel/error.h"

namespace stance::cli {
namespace {

int run_info(const RobotOptions& options, bool json) {
  if (options.file.ends_with(".journal") || io::is_recording(options.file))
    return show_recording(options.file, json);
  if (io::is_scene_file(options.file))
    throw Error({options.file},
                "`stance info` describes robots and recordings; use `stance check` for scenes");
  io::UrdfReport report = read_robot(options);
  if (!report.robot) {
    for (const io::Finding& error : report.errors)
      fmt::print(stderr, "{}\n", finding_text(error, "error"));
    return kExitBadInput;
  }
  io::Robot& robot = *report.robot;
  const RobotSummary summary = summarize(robot);
  for (const MeshSummary& mesh : summary.meshes)
    if (!mesh.problem.empty())
      robot.warnings.push_back({mesh.place, fmt::format("{}: {}", mesh.path, mesh.problem)});
  fmt::print("{}", json ? print_json(make_robot_json(robot, summary))
                        : format_robot(robot, summary, find_style(stdout)));
  return kExitOk;
}

}  // namespace

void add_info(CLI::App& app, int& status) {
  struct Options {
    RobotOptions robot;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("info", "Show what a robot consists of, or what a recording contains");
  add_robot_options(*command, "a recording (.h5)", options->robot);
  command->add_flag("--json", options->json, "Print one JSON object instead of text");
  command->footer(
      "\nExamples:\n"
      "  stance info models/humanoid.urdf\n"
      "  stance info arm.urdf --base fixed --package-path ~/ros/src\n"
      "  stance info log.h5                   channels, units, scene and events of a recording\n"
      "  xacro robot.urdf.xacro | stance info - --json\n");
  command->callback([options, &status] { status = run_info(options->robot, options->json); });
}

}  // namespace stance::cli
