#pragma once

// Controllers, forces and sensors of a checked scene.

#include <cstdint>
#include <set>

#include "stance/io/scene_parts.h"

namespace stance::io {

// What a scene says of its joints beyond gains: gears, friction, limits, flexibility. Changes the
// links and joints that the robot is built from, so before it is put into a scene.
void read_joint_hardware(const SceneNode& node, RobotPart& part);

// Makers of all controllers, forces and sensors but those of absent objects. Throws where one
// cannot be made.
void read_modules(const SceneNode& root, const std::vector<RobotPart>& robots, std::uint64_t seed,
                  const std::set<std::string>& absent, LoadedScene& out);

// One sensor of the scene (scene_sensors.cc).
void read_sensor(const SceneNode& node, const std::vector<RobotPart>& robots, std::uint64_t seed,
                 LoadedScene& out);

// Velocity coordinates of joints of a robot; the body or link that a key names and that can move.
std::vector<int> find_coordinates(const sim::Scene& scene, const RobotPart& part,
                                  const std::vector<std::string>& joints);
const model::Frame& find_link(const SceneNode& node, std::string_view key,
                              const LoadedScene& scene);

// Channels that the scene's readings name exist, with as many columns.
void check_readings(const SceneNode* expect, const LoadedScene& scene);

}  // namespace stance::io
