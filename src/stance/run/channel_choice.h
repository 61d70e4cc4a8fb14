#pragma once

// Which of the channels that a simulation offers are wanted.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stance/kernel/error.h"
#include "stance/sim/channel.h"

namespace stance::run {

// Channels by name or pattern (`*` stands for any letters), in the order in which they are offered;
// without any pattern, all but impulses, which forces tell as well. Throws stance::Error, at the
// pattern's place where there is one, when a pattern fits nothing, with the nearest name.
std::vector<sim::Channel> choose_channels(std::span<const sim::Channel> offered,
                                          std::span<const std::string> patterns,
                                          std::span<const Place> places = {});

// ", did you mean 'robot/com'?", or what there is: for a name that no channel has.
std::string suggest_channel(std::string_view name, std::span<const std::string> known);

}  // namespace stance::run
