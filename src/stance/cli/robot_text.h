#pragma once

#include <string>

#include "stance/cli/robot_summary.h"
#include "stance/cli/terminal.h"

namespace stance::cli {

// The robot as a page for people: facts, tree, joints, shapes, warnings.
std::string format_robot(const io::Robot& robot, const RobotSummary& summary, const Style& style);

// The tree of bodies with box-drawing lines. Robots with more branches than fit a screen are cut,
// and the cut is named.
std::string format_tree(const model::Model& model, const RobotSummary& summary, const Style& style);

}  // namespace stance::cli
