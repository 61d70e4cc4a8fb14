#pragma once

// Scenes from YAML files (docs/scenes.md), and robots put on a floor: as specs, or compiled.

#include <string>
#include <string_view>
#include <vector>

#include "stance/io/findings.h"
#include "stance/io/scene_text.h"
#include "stance/scene/compile.h"
#include "stance/scene/settings.h"

namespace stance::io {

// Whether a file that is there is a scene rather than a robot, by its content.
bool is_scene_file(const std::string& file);

// A scene as its file and the settings have it.
struct SceneFile {
  scene::SceneSpec spec;
  scene::Sources sources;
  std::vector<Warning> warnings;
  scene::Settings settings{};  // that it was read with
};

// Reads what the settings name: a scene, or a robot alone, which is put on a floor and held where
// it starts. Throws stance::Error at file, line and column: at the first thing that is wrong (it
// tells how many more there are). `texts` are read instead of files, where given.
SceneFile read_scene(const scene::Settings& settings, const SceneTexts& texts = {});
SceneFile read_scene(const std::string& file);
SceneFile parse_scene_file(std::string_view text, const scene::Settings& settings);

// The spec of a robot alone: its lowest points on a floor unless its base is fixed, held where it
// starts by springs and dampers that are scaled by what each joint carries.
scene::SceneSpec make_robot_scene(const scene::Robot& robot);

// The scene that a file's spec says, which may be another one by now. Checked: what is expected and
// recorded exists. Throws stance::Error.
scene::Scene compile_scene(SceneFile file);

// Read, compiled and checked.
scene::Scene load_scene(const scene::Settings& settings, const SceneTexts& texts = {});
scene::Scene load_scene(const std::string& file);
scene::Scene parse_scene(std::string_view text, const scene::Settings& settings);
scene::Scene parse_scene(std::string_view text, const std::string& file);

// Everything that is wrong with a scene file, for `stance check`; empty when it can be run.
struct SceneReport {
  std::vector<Finding> errors, warnings;
};
SceneReport check_scene(const scene::Settings& settings);

// Objects that are added to a scene while it runs: `text` is what would stand under `name` in
// objects:, in YAML or JSON. They name no files. Throws stance::Error.
scene::AddObjects parse_object(const std::string& name, std::string_view text);

}  // namespace stance::io
