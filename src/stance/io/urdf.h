#pragma once

// Robots from URDF. docs/urdf.md says what is read and how, and lists our extensions.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stance/io/findings.h"
#include "stance/io/robot_options.h"

namespace stance::io {

// Reads a robot. Throws stance::Error at the first thing that cannot be simulated, with its file,
// line and element; what is odd but workable ends in Robot::warnings.
Robot load_urdf(const std::string& path, const RobotOptions& options = {});

// The same from text. `file` stands in messages, and relative paths of meshes start at its folder.
Robot parse_urdf(std::string_view text, const std::string& file, const RobotOptions& options = {});

// Everything that can be said about a file at once, for `stance check`. Does not throw
// stance::Error; there is a robot exactly when there are no errors.
struct UrdfReport {
  std::vector<Finding> errors, warnings;  // by line
  std::optional<Robot> robot;
};
UrdfReport check_urdf(const std::string& path, const RobotOptions& options = {});
UrdfReport check_urdf_text(std::string_view text, const std::string& file,
                           const RobotOptions& options = {});

}  // namespace stance::io
