#pragma once

// The channels of a scene: those of the engine, and those of its sensors.

#include <memory>
#include <vector>

#include "stance/run/simulation.h"
#include "stance/sim/channel.h"

namespace stance::run {

using ChannelSources = std::vector<std::unique_ptr<sim::ChannelSource>>;

// Sources with working memory of their own. Where objects come and go there is one source that has
// the channels of all of them; what is not there in a step is not a number (NaN) then.
ChannelSources make_channels(const scene::Scene& scene);
ChannelSources make_channels(const scene::Part& part);  // of one world

// The same for a simulation whose world people may change: it keeps its channels, whatever comes or
// goes. Observes the simulation as long as it lives.
ChannelSources make_channels(Simulation& simulation);

// Pointers to them, as ChannelChoice wants them.
std::vector<sim::ChannelSource*> point_to(const ChannelSources& sources);

}  // namespace stance::run
