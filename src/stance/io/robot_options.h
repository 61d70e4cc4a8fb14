#pragma once

// How a robot is read, whatever the format of its file.

#include <string>
#include <vector>

#include "stance/scene/robot.h"

namespace stance::io {

using scene::BaseChoice;
using scene::Geometry;
using scene::Robot;
using scene::ShapeKind;
using scene::ShapeRole;

struct RobotOptions {
  BaseChoice base = BaseChoice::kAuto;
  bool strict = false;                          // warnings are errors
  std::vector<std::string> package_paths = {};  // where package:// is looked for first
};

}  // namespace stance::io
