#pragma once

// The channels of a scene: those of the engine, and those of its sensors.

#include <memory>
#include <vector>

#include "stance/io/scene_run.h"
#include "stance/sim/channel.h"

namespace stance::io {

// Sources with working memory of their own. Where objects come and go there is one source that has
// the channels of all of them; what is not there in a step is not a number (NaN) then.
std::vector<std::unique_ptr<sim::ChannelSource>> make_channels(const LoadedScene& scene);

// The same for a run whose world people may change: it keeps its channels, whatever comes or goes.
// Listens to the run, which must not outlive them by a change.
std::vector<std::unique_ptr<sim::ChannelSource>> make_channels(SceneRun& run);

}  // namespace stance::io
