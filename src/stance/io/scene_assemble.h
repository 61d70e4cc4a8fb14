#pragma once

// From a checked file to a world, its start and its drives.

#include "stance/io/scene_parts.h"

namespace stance::io {

// Everything but step, duration, expectations and the sentence about the scene. Errors without a
// place of their own have this one.
LoadedScene assemble_scene(std::shared_ptr<const CheckedScene> file, const std::string& name,
                           const SceneOptions& options, const Place& place);

// A robot on a floor.
LoadedScene assemble_robot(RobotPart part, const SceneOptions& options, const Place& place);

}  // namespace stance::io
