#include "stance/cli/scene_options.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "stance/cli/arguments.h"
#include "stance/cli/robot_options.h"
#include "stance/io/contact_law.h"
#include "stance/io/robot_reader.h"
#include "stance/io/scene_expression.h"

namespace stance::cli {
namespace {

scene::Settings::Values split(const std::vector<std::string>& words, const char* flag) {
  scene::Settings::Values out;
  for (const std::string& text : words) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      throw CLI::ValidationError(flag, fmt::format("'{}' is not NAME=VALUE", text));
    out.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return out;
}

}  // namespace

void repeat(CLI::Option* option, const char* type) {
  option->type_name(type)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_scene_options(CLI::App& command, SceneWords& words) {
  repeat(command.add_option("--set", words.set, "Another value for a variable of the scene"),
         "NAME=VALUE");
  command.add_option("--law", words.settings.law, "Another contact law (docs/contact_laws.md)")
      ->check(not_empty())
      ->type_name("LAW");
  command.add_option("--seed", words.settings.seed, "Another seed for random() in the scene")
      ->check(whole_number_in(0, kMostSeed))
      ->type_name("N");
  repeat(command.add_option("--package-path", words.settings.package_paths,
                            "Folder to look in for package:// files"),
         "DIR");
}

scene::Settings make_settings(const SceneWords& words) {
  scene::Settings out = words.settings;
  out.set = split(words.set, "--set");
  out.joints = split(words.joints, "--joint");
  for (const auto& [name, value] : out.joints) {
    try {
      (void)io::evaluate(value, {});
    } catch (const Error& error) {
      throw CLI::ValidationError("--joint", fmt::format("{}={}: {}", name, value, error.what()));
    }
  }
  if (!out.set.empty() && io::find_robot_reader(out.file))
    throw CLI::ValidationError("--set", "a robot alone has no variables; use --joint NAME=VALUE");
  if (!out.law.empty()) (void)io::parse_contact_law(out.law);
  out.package_paths = add_ros_paths(out.package_paths);
  return out;
}

}  // namespace stance::cli
