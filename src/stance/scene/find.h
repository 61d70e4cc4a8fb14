#pragma once

// Things of a world by the names that a scene has for them.

#include "stance/scene/built_robot.h"
#include "stance/scene/sources.h"

namespace stance::scene {

// Velocity coordinates of joints of a robot.
std::vector<int> find_coordinates(const model::Model& model, const BuiltRobot& robot,
                                  const std::vector<std::string>& joints);

// An object or link that can move; throws stance::Error at `path` when there is none.
const model::Frame& find_moving_link(const model::Model& model, const std::string& name,
                                     const Sources& sources, const Path& path);

// Where a robot's tree begins.
model::BodyIndex find_base(const model::Model& model, const BuiltRobot& robot);

}  // namespace stance::scene
