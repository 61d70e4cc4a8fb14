#include "stance/io/plugin.h"

#include <dlfcn.h>

#include <filesystem>

#include <fmt/format.h>

namespace stance::io {

sim::PluginMaker load_plugin(const std::string& file, const Place& place) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(file, code))
    throw Error(place, fmt::format("there is no file {}", file));
  // an absolute path: a bare name would be looked for elsewhere
  void* library = dlopen(std::filesystem::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw Error(place, fmt::format("the library cannot be loaded: {}", dlerror()));
  const auto version = reinterpret_cast<int (*)()>(dlsym(library, "stance_plugin_version"));
  using Make = void (*)(const sim::PluginRequest&, sim::PluginModules&);
  const auto make = reinterpret_cast<Make>(dlsym(library, "stance_plugin_make"));
  if (!version || !make)
    throw Error(place,
                fmt::format("{} is no plugin: it lacks STANCE_PLUGIN (docs/plugins.md)", file));
  if (const int found = version(); found != sim::kPluginVersion)
    throw Error(place, fmt::format("the plugin {} was built for version {} of the interface, this "
                                   "program has version {}; build it again",
                                   file, found, sim::kPluginVersion));
  const auto build =
      reinterpret_cast<const kernel::BuildInfo* (*)()>(dlsym(library, "stance_plugin_build"));
  if (!build)
    throw Error(place, fmt::format("{} does not say how it was built; write STANCE_PLUGIN in it "
                                   "(docs/plugins.md)",
                                   file));
  if (const kernel::Misfit misfit = kernel::find_misfit(*build()); misfit.text[0])
    throw Error(place, fmt::format("the plugin {} does not fit: {}", file, misfit.text));
  return make;
}

}  // namespace stance::io
