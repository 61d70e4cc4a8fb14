#pragma once

// Robots from URDF. docs/urdf.md says what is read and how, and lists our extensions.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stance/io/findings.h"
#include "stance/scene/robot.h"

namespace stance::io {

using scene::BaseChoice;
using scene::Geometry;
using scene::Robot;
using scene::ShapeKind;
using scene::ShapeRole;

struct UrdfOptions {
  BaseChoice base = BaseChoice::kAuto;
  bool strict = false;                          // warnings are errors
  std::vector<std::string> package_paths = {};  // where package:// is looked for first
};

// Reads a robot. Throws stance::Error at the first thing that cannot be simulated, with its file,
// line and element; what is odd but workable ends in Robot::warnings.
Robot load_urdf(const std::string& path, const UrdfOptions& options = {});

// The same from text. `file` stands in messages, and relative paths of meshes start at its folder.
Robot parse_urdf(std::string_view text, const std::string& file, const UrdfOptions& options = {});

// Everything that can be said about a file at once, for `stance check`. Does not throw
// stance::Error; there is a robot exactly when there are no errors.
struct UrdfReport {
  std::vector<Finding> errors, warnings;  // by line
  std::optional<Robot> robot;
};
UrdfReport check_urdf(const std::string& path, const UrdfOptions& options = {});
UrdfReport check_urdf_text(std::string_view text, const std::string& file,
                           const UrdfOptions& options = {});

}  // namespace stance::io
