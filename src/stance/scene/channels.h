#pragma once

#include <memory>
#include <vector>

#include "stance/scene/compile.h"
#include "stance/sim/run_channels.h"

namespace stance::scene {

// The channels of the engine itself for a world of a scene; sensors have others.
std::unique_ptr<sim::RunChannels> make_run_channels(const Part& part);

// Those of the engine, then those of sensors.
std::vector<sim::Channel> list_channels(const Part& part);

}  // namespace stance::scene
