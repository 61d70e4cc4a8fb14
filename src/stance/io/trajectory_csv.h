#pragma once

// Joint angles over time from a CSV file.

#include <string>
#include <vector>

namespace stance::io {

struct JointTable {
  std::vector<std::string> joints;  // names of the columns behind `time`
  std::vector<double> times;        // s
  std::vector<double> values;       // row by row
};

// A line of names, `time` first; then numbers. Empty lines and lines that begin with # are passed
// over. Throws stance::Error at the line and column.
JointTable load_joint_table(const std::string& file);

// The same as text: angles to 1e-7, times to 1e-4.
std::string print_joint_table(const JointTable& table);

}  // namespace stance::io
