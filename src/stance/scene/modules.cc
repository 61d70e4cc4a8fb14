#include "stance/scene/modules.h"

#include <iterator>

namespace stance::scene {

MadeModules make_modules(const SceneSpec& spec, const ModuleSite& site) {
  MadeModules out;
  for (const ForceSpec& force : spec.forces)
    if (!site.absent.count(force.body))
      out.controllers.emplace_back("forces/" + force.name, make_force(force, site));
  for (std::size_t k = 0; k < spec.robots.size(); ++k)
    for (const ControllerSpec& controller : spec.robots[k].controllers)
      out.controllers.emplace_back(site.robots[k].prefix + "controllers/" + controller.name,
                                   make_controller(controller, site.robots[k], site));
  for (const SensorSpec& sensor : spec.sensors)
    if (!site.absent.count(sensor.at))
      out.sensors.push_back(at_path(site.sources, {"sensors", sensor.name},
                                    [&] { return make_sensor(sensor, spec.seed, site); }));
  for (const PluginSpec& plugin : spec.plugins)
    at_path(site.sources, {"plugins", plugin.name}, [&] {
      if (!plugin.maker) throw Error("the plugin '" + plugin.name + "' was not loaded");
      sim::PluginModules made;
      plugin.maker({site.scene, plugin.name, {plugin.numbers.begin(), plugin.numbers.end()}}, made);
      int number = 0;
      for (auto& controller : made.controllers)
        out.controllers.emplace_back(plugin.name + "/" + std::to_string(++number),
                                     std::move(controller));
      for (auto& sensor : made.sensors) out.sensors.push_back(std::move(sensor));
    });
  return out;
}

}  // namespace stance::scene
