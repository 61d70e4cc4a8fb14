#pragma once

// Twenty ways in which a humanoid touches the world (A10).

#include <string>
#include <vector>

#include "stance/dynamics/contact_set.h"
#include "stance/model/model.h"

namespace stance::bench {

struct Situation {
  std::string name;
  std::vector<dynamics::ContactPoint> points;
};

// For models/humanoid.urdf; an empty list for a robot without its links.
std::vector<Situation> list_situations(const model::Model& model);

}  // namespace stance::bench
