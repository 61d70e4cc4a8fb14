#include "stance/scene/modules.h"

#include <iterator>

namespace stance::scene {

sim::PluginModules make_modules(const SceneSpec& spec, const ModuleSite& site) {
  sim::PluginModules out;
  for (const ForceSpec& force : spec.forces)
    if (!site.absent.count(force.body)) out.controllers.push_back(make_force(force, site));
  for (std::size_t k = 0; k < spec.robots.size(); ++k)
    for (const ControllerSpec& controller : spec.robots[k].controllers)
      out.controllers.push_back(make_controller(controller, site.robots[k], site));
  for (const SensorSpec& sensor : spec.sensors)
    if (!site.absent.count(sensor.at))
      out.sensors.push_back(at_path(site.sources, {"sensors", sensor.name},
                                    [&] { return make_sensor(sensor, spec.seed, site); }));
  for (const PluginSpec& plugin : spec.plugins)
    at_path(site.sources, {"plugins", plugin.name}, [&] {
      if (!plugin.maker) throw Error("the plugin '" + plugin.name + "' was not loaded");
      sim::PluginModules made;
      plugin.maker({site.scene, plugin.name, {plugin.numbers.begin(), plugin.numbers.end()}}, made);
      for (auto& controller : made.controllers) out.controllers.push_back(std::move(controller));
      for (auto& sensor : made.sensors) out.sensors.push_back(std::move(sensor));
    });
  return out;
}

}  // namespace stance::scene
