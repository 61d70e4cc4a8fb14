#pragma once

// Controllers and sensors in a shared library that a scene names under `plugins:`
// (docs/plugins.md). The library ends with
//
//   void make(const stance::PluginRequest& request, stance::PluginModules& modules) { ... }
//   STANCE_PLUGIN(make)
//
// and must be built with the headers and the compiler of the program that loads it; a library of
// another version, or for another instruction set, is refused when it is loaded.

#include "stance/controller.h"
#include "stance/sensor.h"

// Once in the library, outside of all namespaces: MAKE is the function that makes the modules.
#define STANCE_PLUGIN(MAKE)                                           \
  int stance_plugin_version() { return stance::sim::kPluginVersion; } \
  const stance::kernel::BuildInfo* stance_plugin_build() {            \
    static const auto info = stance::kernel::make_build_info();       \
    return &info;                                                     \
  }                                                                   \
  void stance_plugin_make(const stance::sim::PluginRequest& request,  \
                          stance::sim::PluginModules& modules) {      \
    MAKE(request, modules);                                           \
  }
