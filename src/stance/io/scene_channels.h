#pragma once

// The channels of a scene: those of the engine, and those of its sensors.

#include <memory>
#include <vector>

#include "stance/io/scene.h"
#include "stance/sim/channel.h"

namespace stance::io {

// Sources with working memory of their own. Where objects come and go there is one source that has
// the channels of all of them; what is not there in a step is not a number (NaN) then.
std::vector<std::unique_ptr<sim::ChannelSource>> make_channels(const LoadedScene& scene);

}  // namespace stance::io
