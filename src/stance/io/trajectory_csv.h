#pragma once

// Joint angles over time from a CSV file.

#include <string>

#include "stance/control/joint_table.h"

namespace stance::io {

using control::JointTable;

// A line of names, `time` first; then numbers. Empty lines and lines that begin with # are passed
// over. Throws stance::Error at the line and column.
JointTable load_joint_table(const std::string& file);

// The same as text: angles to 1e-7, times to 1e-4.
std::string print_joint_table(const JointTable& table);

}  // namespace stance::io
