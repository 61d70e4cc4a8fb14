#pragma once

// The schema of scenes, written for people and for editors. docs/scenes.md and
// docs/scene.schema.json hold what these return; a test compares.

#include <string>

namespace stance::io {

// The reference of all keys, in Markdown.
std::string make_scene_reference();

// A JSON Schema (draft 7), for editors that complete and check YAML.
std::string make_scene_json_schema();

}  // namespace stance::io
