#pragma once

// Controllers of your own: what acts in every step (docs/plugins.md).
//
// A controller looks at the state before a step and fills in a Drive. It is made for a world, by a
// function that the spec has, in the program itself:
//
//   spec.plugins.push_back({.name = "balance", .maker = [](const stance::PluginRequest& request,
//                                                           stance::PluginModules& modules) {
//     modules.controllers.push_back(std::make_shared<Balance>(request.scene.world));
//   }});
//
// or in a shared library that the scene names (plugin.h).

#include "stance/error.h"
#include "stance/math.h"
#include "stance/sim/module.h"
#include "stance/sim/plugin.h"

namespace stance {

using sim::Controller;
using sim::Drive;
using sim::PluginModules;
using sim::PluginRequest;
using sim::StepStart;
using sim::Touch;
using sim::World;

}  // namespace stance
