#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "stance/cli/robot_summary.h"

namespace stance::cli {

// One object; keys are stable and described in src/stance/cli/README.md. Infinite limits are null.
nlohmann::ordered_json make_robot_json(const io::Robot& robot, const RobotSummary& summary);

nlohmann::ordered_json make_findings_json(const std::vector<Warning>& findings);

// Indented text that ends in a newline; bytes that are not UTF-8 are replaced.
std::string print_json(const nlohmann::ordered_json& json);

}  // namespace stance::cli
