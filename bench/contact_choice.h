#pragma once

// Contact points for a benchmark: as written by the user, or picked from the robot's shapes.

#include <string>
#include <vector>

#include "stance/dynamics/contact_set.h"
#include "stance/io/urdf.h"

namespace stance::bench {

struct ContactChoice {
  std::vector<dynamics::ContactPoint> points;
  std::vector<std::string> links;  // of each point
};

// Reads LINK:x,y,z. Any link will do, also one that was merged into another body; links fixed to
// the world will not. Throws stance::Error.
ContactChoice parse_contacts(const model::Model& model, const std::vector<std::string>& texts);

// The lowest points of the bodies at the ends of the tree that reach lowest with all joints at
// zero: four corners of a box, one point of anything else; feet, for a robot with feet.
ContactChoice choose_contacts(const io::Robot& robot);

}  // namespace stance::bench
