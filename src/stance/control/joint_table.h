#pragma once

// Joint angles over time, as a table.

#include <string>
#include <vector>

namespace stance::control {

struct JointTable {
  std::vector<std::string> joints;  // names of the columns behind `time`
  std::vector<double> times;        // s
  std::vector<double> values;       // row by row
};

}  // namespace stance::control
