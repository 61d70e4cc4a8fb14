#pragma once

// Words of the command line that say which scene, and how it is set: of `run` and `view` alike.

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "stance/scene/settings.h"

namespace stance::cli {

struct SceneWords {
  scene::Settings settings;              // but for what follows
  std::vector<std::string> set, joints;  // NAME=VALUE
};

// Adds --set, --law, --seed and --package-path to a command.
void add_scene_options(CLI::App& command, SceneWords& words);

// An option that may stand several times, each time with one word.
void repeat(CLI::Option* option, const char* type);

// The settings that the words are. Throws CLI::ValidationError where they are none.
scene::Settings make_settings(const SceneWords& words);

}  // namespace stance::cli
