#pragma once

// Controllers, forces, sensors and plugins of a scene, made from their specs for one world. Each
// call makes new ones, with working memory of their own.

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "stance/scene/built_robot.h"
#include "stance/scene/sources.h"
#include "stance/scene/spec.h"
#include "stance/sim/module.h"
#include "stance/sim/scene_builder.h"
#include "stance/sim/sensors.h"

namespace stance::scene {

// Where they are made.
struct ModuleSite {
  const sim::Scene& scene;
  const std::vector<BuiltRobot>& robots;
  const std::set<std::string>& absent;  // objects that the scene has, but not now
  const Sources& sources;
};

// Throw stance::Error at the key that does not fit. `robot` is the one that the controller belongs
// to; the scene's seed counts in what noise a sensor has.
std::shared_ptr<sim::Controller> make_controller(const ControllerSpec& spec,
                                                 const BuiltRobot& robot, const ModuleSite& site);
std::shared_ptr<sim::Controller> make_force(const ForceSpec& spec, const ModuleSite& site);
std::unique_ptr<sim::Sensor> make_sensor(const SensorSpec& spec, std::uint64_t seed,
                                         const ModuleSite& site);

// All of a scene that are there now, in their order: forces, controllers of robots, plugins.
struct MadeModules {
  sim::Actuation::Controllers controllers;  // by the names that their memory is kept by
  std::vector<std::unique_ptr<sim::Sensor>> sensors;
};
MadeModules make_modules(const SceneSpec& spec, const ModuleSite& site);

}  // namespace stance::scene
