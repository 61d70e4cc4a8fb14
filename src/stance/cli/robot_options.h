#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "stance/io/urdf.h"

namespace stance::cli {

// What every command that reads a robot asks for.
struct RobotOptions {
  std::string file;
  std::string base = "auto";
  io::RobotOptions reader;  // its base is filled in from the word above
};

// Adds FILE, --base, --strict and --package-path to a command. `other` is what else FILE can be.
void add_robot_options(CLI::App& command, const std::string& other, RobotOptions& options);

// Reads the robot, "-" being standard input. The package paths of the command line come before
// those of ROS_PACKAGE_PATH and AMENT_PREFIX_PATH.
io::UrdfReport read_robot(const RobotOptions& options);

// The package paths of the command line, then those of ROS_PACKAGE_PATH and AMENT_PREFIX_PATH.
std::vector<std::string> add_ros_paths(std::vector<std::string> package_paths);

}  // namespace stance::cli
