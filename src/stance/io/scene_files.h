#pragma once

// The files that a scene names: robots, meshes, trajectories, plugins; read into its spec.

#include "stance/io/scene_check.h"

namespace stance::io {

// Fills in what the spec keeps of files (descriptions, meshes, tables, heights of expressions) and
// SceneSpec::files, with the SHA-256 of each. Throws stance::Error at the key that names a file
// which is not there or not usable.
void read_named_files(CheckedScene& scene, const std::vector<std::string>& package_paths);

// Files that the spec was made from, with the SHA-256 of each.
void add_files(std::vector<std::string> files, scene::SceneSpec& spec);

// The heights of a field that is given by an expression. Throws stance::Error.
void work_out_heights(scene::HeightFieldSpec& field, const Scope& scope);

}  // namespace stance::io
