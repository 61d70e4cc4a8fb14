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
  const auto make = reinterpret_cast<sim::PluginMaker>(dlsym(library, "stance_plugin_make"));
  if (!version || !make)
    throw Error(place, fmt::format("{} is no plugin: it has no stance_plugin_version and "
                                   "stance_plugin_make (docs/plugins.md)",
                                   file));
  if (const int found = version(); found != sim::kPluginVersion)
    throw Error(place, fmt::format("the plugin {} was built for version {} of the interface, this "
                                   "program has version {}; build it again",
                                   file, found, sim::kPluginVersion));
  return make;
}

}  // namespace stance::io
