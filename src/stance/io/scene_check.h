#pragma once

// From the words of a scene file to its SceneSpec, along the schema: known keys only, of the right
// type, in their bounds, expressions worked out. Files that the scene names are not looked at yet
// (scene_files.h).

#include "stance/io/findings.h"
#include "stance/io/scene_expression.h"
#include "stance/io/scene_text.h"
#include "stance/scene/settings.h"
#include "stance/scene/sources.h"
#include "stance/scene/spec.h"

namespace stance::io {

struct CheckedScene {
  scene::SceneSpec spec;
  scene::Sources sources;
  Scope scope;  // variables with their values
};

// Collects what is wrong; the spec is usable only when there are no errors. Of the settings,
// variables and seed.
CheckedScene check_scene_tree(const YamlNode& file, const scene::Settings& settings,
                              Findings& findings);

}  // namespace stance::io
