#pragma once

// Modules of users, from a shared library that a scene names under `plugins:` (docs/plugins.md).
// The library and the program must come from the same version of stance and the same compiler.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "stance/kernel/library_check.h"
#include "stance/sim/module.h"
#include "stance/sim/scene_builder.h"
#include "stance/sim/sensors.h"

namespace stance::sim {

// Of these interfaces; a library of another version is refused.
inline constexpr int kPluginVersion = 6;

// What the scene says about the plugin.
struct PluginRequest {
  const Scene& scene;
  std::string name;                       // of the entry: channels should begin with it
  std::map<std::string, double> numbers;  // as given there
};

// What it makes; everything new at every call, once for each world of a simulation. Controllers and
// sensors of one call may share objects of their own. It may throw stance::Error.
struct PluginModules {
  std::vector<std::shared_ptr<Controller>> controllers;
  std::vector<std::unique_ptr<Sensor>> sensors;
};

// What makes them: a function of the program itself, or stance_plugin_make of a library.
using PluginMaker = std::function<void(const PluginRequest&, PluginModules&)>;

}  // namespace stance::sim

// What the library must have; the macro STANCE_PLUGIN writes it (include/stance/plugin.h).
extern "C" {
int stance_plugin_version();  // kPluginVersion of the headers that it was built with
const stance::kernel::BuildInfo* stance_plugin_build();
void stance_plugin_make(const stance::sim::PluginRequest& request,
                        stance::sim::PluginModules& modules);
}
