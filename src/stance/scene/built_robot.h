#pragma once

// A robot of a scene with all that the scene says of its joints, ready to be put into a world.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stance/scene/add_robot.h"
#include "stance/scene/sources.h"
#include "stance/scene/spec.h"

namespace stance::scene {

struct BuiltRobot {
  std::string prefix;  // before its names in the scene: "robot/", or nothing
  Robot robot;         // actuators and flexible joints included
  RobotPlacement placement;
  NamedNumbers rates;  // joint, rad/s or m/s
  Vec3d velocity, spin;

  struct Actuator {
    std::string joint;
    double ratio = 1.0;
    std::optional<double> limit = {};  // N m or N, at the joint
  };
  std::vector<Actuator> actuators;
  struct Flexible {
    std::vector<std::string> joints;  // that it became
    double stiffness = 0.0, damping = 0.0;
  };
  std::vector<Flexible> flexible;
};

// All but frame and material, which are the scene's. Throws stance::Error at what does not fit the
// robot: joints that it has not, values beyond limits.
BuiltRobot build_robot(const RobotSpec& spec, const Sources& sources);

// The joints of one coordinate that a name or pattern means; throws at `path` when there are none.
std::vector<std::string> find_joints(const Robot& robot, const std::string& pattern,
                                     const Sources& sources, const Path& path);

}  // namespace stance::scene
