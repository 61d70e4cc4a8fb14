#pragma once

// What happened, in words.

#include <string>

#include "stance/sim/monitor.h"

namespace stance::run {

// "left_foot on floor slips"
std::string event_text(const sim::Event& event);

}  // namespace stance::run
