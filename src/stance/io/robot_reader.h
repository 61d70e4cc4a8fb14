#pragma once

// Robots from files of any format that is known here, told by what the file says and not by how it
// is named. A new format is a line in the table of robot_reader.cc.

#include <span>
#include <string>
#include <string_view>

#include "stance/io/robot_options.h"

namespace stance::io {

struct RobotReader {
  std::string_view name;  // "URDF"
  // Whether a text, of which this is the beginning, is of the format.
  bool (*recognises)(std::string_view beginning);
  Robot (*load)(const std::string& path, const RobotOptions& options);
};

std::span<const RobotReader> robot_readers();

// The reader of a file, or none: it is no robot, or cannot be read at all.
const RobotReader* find_robot_reader(const std::string& path);

// Throws stance::Error when the file is missing, of no known format, or wrong.
Robot load_robot(const std::string& path, const RobotOptions& options = {});

// Reads the collision meshes that the robot names, so that it can be put into a scene.
void load_collision_meshes(Robot& robot);

}  // namespace stance::io
