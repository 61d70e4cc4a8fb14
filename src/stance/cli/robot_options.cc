#include "stance/cli/robot_options.h"

#include <cstdio>
#include <cstdlib>

#include <CLI/CLI.hpp>

#include "stance/io/resolve.h"
#include "stance/io/xml_text.h"

namespace stance::cli {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Reads one byte more than is allowed, so that the reader sees that it is too much.
std::string read_standard_input() {
  std::string text;
  char buffer[1 << 16];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, stdin)) > 0;) {
    text.append(buffer, n);
    if (text.size() > io::kMostXmlBytes) break;
  }
  return text;
}

}  // namespace

void add_robot_options(CLI::App& command, const std::string& other, RobotOptions& options) {
  command
      .add_option("FILE", options.file,
                  "A robot description (.urdf; - reads standard input), or " + other)
      ->required()
      ->type_name("");
  command
      .add_option("--base", options.base,
                  "What the root link does: free, fixed, or auto (fixed if it is named 'world')")
      ->check(CLI::IsMember({"free", "fixed", "auto"}).description(""))
      ->type_name("free|fixed|auto");
  command.add_flag("--strict", options.reader.strict, "Warnings are errors");
  command
      .add_option("--package-path", options.reader.package_paths,
                  "Folder to look in for package:// files; may be given several times")
      ->type_name("DIR")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

std::vector<std::string> add_ros_paths(std::vector<std::string> package_paths) {
  for (std::string& path :
       io::split_package_paths(environment("ROS_PACKAGE_PATH"), environment("AMENT_PREFIX_PATH")))
    package_paths.push_back(std::move(path));
  return package_paths;
}

io::UrdfReport read_robot(const RobotOptions& options) {
  io::RobotOptions reader = options.reader;
  reader.base = options.base == "free"    ? io::BaseChoice::kFree
                : options.base == "fixed" ? io::BaseChoice::kFixed
                                          : io::BaseChoice::kAuto;
  reader.package_paths = add_ros_paths(std::move(reader.package_paths));
  if (options.file == "-") return io::check_urdf_text(read_standard_input(), "<stdin>", reader);
  return io::check_urdf(options.file, reader);
}

}  // namespace stance::cli
