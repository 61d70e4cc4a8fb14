#pragma once

// What a scene is, as one number: two scenes that share it go on alike from the same state. Every
// key of the schema counts with its value, or the default; but for those that say they do not
// matter (SceneKey::matters). Files count by their content, wherever they lie; robots, meshes and
// tables besides as they are in the spec, whatever made or changed them. The maker of a plugin
// counts by the file of its library. One that is a function of the program itself has no bytes to
// count: of it the entry alone does, its name and numbers, and a program that changes the function
// gives the entry another name.

#include <string>

#include "stance/scene/spec.h"

namespace stance::scene {

// The digest of a scene: SHA-256, 64 hexadecimal digits.
std::string calc_digest(const SceneSpec& spec);

}  // namespace stance::scene
