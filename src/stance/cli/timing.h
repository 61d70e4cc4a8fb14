#pragma once

// How long the stages of the steps of a run took (`stance run --timing`).

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "stance/sim/stages.h"

namespace stance::cli {

struct StageTime {
  std::string stage;
  std::int64_t calls = 0;
  double total_ms = 0.0, mean_us = 0.0;
  double share = 0.0;  // of all stages
};

// In the order of the step; what never ran is left out.
std::vector<StageTime> list_times(const sim::StepTimer& timer);

void print_times(const std::vector<StageTime>& times);
nlohmann::ordered_json write_times(const std::vector<StageTime>& times);

}  // namespace stance::cli
