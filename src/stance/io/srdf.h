#pragma once

// Pairs of links that never collide, from the SRDF file that planning tools keep beside a URDF.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stance/io/findings.h"
#include "stance/io/urdf.h"

namespace stance::io {

using LinkPairs = std::vector<std::pair<std::string, std::string>>;

// The <disable_collisions link1 link2> of a file; everything else in it is passed over. Throws
// stance::Error with file and line when the text is no SRDF or a pair names no link of the robot.
LinkPairs load_srdf(const std::string& path, const Robot& robot);
LinkPairs parse_srdf(std::string_view text, const std::string& file, const Robot& robot);

}  // namespace stance::io
