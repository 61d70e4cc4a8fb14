#pragma once

// A robot, put into a scene.

#include <string>
#include <utility>
#include <vector>

#include "stance/scene/robot.h"
#include "stance/sim/scene_builder.h"

namespace stance::scene {

struct RobotPlacement {
  std::string name{};  // before its links and joints in the scene; empty: their own names
  sim::Pose base{};    // where a floating base starts, or where a fixed one stands
  std::vector<std::pair<std::string, double>> start = {};           // joint, coordinate
  std::vector<std::pair<std::string, std::string>> unmeeting = {};  // links that never collide
  int material = 0;
  bool replace_missing = false;  // links whose mesh is missing get a box, see below
};

// Links, joints and collision shapes; meshes become their convex hulls. Links joined by a joint, or
// touching at zero or at the start, do not collide with each other. Throws stance::Error when a
// mesh is missing or makes no hull. With replace_missing a link whose mesh is not there has the
// solid box of its mass and inertia instead, which meets everything but the robot itself: rough, so
// a warning tells which.
std::vector<Warning> add_robot(const Robot& robot, const RobotPlacement& placement,
                               sim::SceneBuilder& scene);

}  // namespace stance::scene
