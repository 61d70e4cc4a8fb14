#include "stance/cli/timing.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stance/cli/terminal.h"

namespace stance::cli {

std::vector<StageTime> list_times(const sim::StepTimer& timer) {
  std::int64_t all = 0;
  for (const auto& stage : timer.stages()) all += stage.nanoseconds;
  std::vector<StageTime> out;
  for (int k = 0; k < sim::kStages; ++k) {
    const auto& [laps, nanoseconds] = timer.stages()[k];
    if (laps == 0) continue;
    const auto spent = static_cast<double>(nanoseconds);
    out.push_back({sim::kStageNames[k], laps, 1e-6 * spent,
                   1e-3 * spent / static_cast<double>(laps),
                   all > 0 ? spent / static_cast<double>(all) : 0.0});
  }
  return out;
}

void print_times(const std::vector<StageTime>& times) {
  const Style style = find_style(stdout);
  fmt::print("  {}{:<14} {:>9} {:>10} {:>7} {:>9}{}\n", style.dim, "stage", "calls", "total ms",
             "share", "mean us", style.plain);
  for (const StageTime& time : times)
    fmt::print("  {:<14} {:>9} {:>10.2f} {:>6.1f}% {:>9.3f}\n", time.stage, time.calls,
               time.total_ms, 100.0 * time.share, time.mean_us);
}

nlohmann::ordered_json write_times(const std::vector<StageTime>& times) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const StageTime& time : times)
    out.push_back({{"stage", time.stage},
                   {"calls", time.calls},
                   {"total_ms", time.total_ms},
                   {"share", time.share},
                   {"mean_us", time.mean_us}});
  return out;
}

}  // namespace stance::cli
