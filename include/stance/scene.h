#pragma once

// Scenes: plain structs that say what there is (SceneSpec), texts that say the same
// (docs/scenes.md), and the compiled Scene that a Simulation runs.
//
//   stance::Scene scene = stance::load_scene("scenes/humanoid_stand.yaml");   // text to Scene
//
//   stance::SceneFile file = stance::read_scene("scenes/stack.yaml");         // text to spec
//   file.spec.gravity = {0, 0, -1.62};
//   stance::Scene moon = stance::compile_scene(file);                        // spec to Scene
//
//   stance::Scene empty = stance::compile(stance::SceneSpec{.name = "empty"});

#include "stance/error.h"
#include "stance/io/scene.h"
#include "stance/math.h"
#include "stance/scene/compile.h"
#include "stance/scene/digest.h"
#include "stance/scene/edit.h"
#include "stance/scene/settings.h"
#include "stance/scene/spec.h"
#include "stance/version.h"

namespace stance {

// What a scene says; the other specs are members of it (stance::scene).
using scene::ControllerSpec;
using scene::ForceSpec;
using scene::ObjectSpec;
using scene::PluginSpec;
using scene::RobotSpec;
using scene::SceneSpec;
using scene::SensorSpec;

// A scene that can be run, and what is settled besides its file: variables, law, seed, duration.
using scene::Scene;
using scene::Settings;

// From text and files; all throw stance::Error at file, line and column.
using io::check_scene;
using io::load_scene;
using io::parse_scene;

// In two steps, to change the spec in between.
using io::compile_scene;
using io::read_scene;
using io::SceneFile;

// The same from a text; `file` is its name in messages.
inline SceneFile read_scene_text(std::string_view text, const std::string& file) {
  return io::parse_scene_file(text, scene::Settings{file});
}

// From a spec, and the number that tells scenes apart.
using scene::calc_digest;
using scene::compile;

// What can be changed while it runs (Simulation::change); parse_object reads an object's text.
using io::parse_object;
using scene::AddObjects;
using scene::Edit;
using scene::RemoveObject;
using scene::SetGravity;
using scene::SetLaw;

namespace detail {
inline const kernel::LibraryCheck scene_check(kHeaders);
}

}  // namespace stance
