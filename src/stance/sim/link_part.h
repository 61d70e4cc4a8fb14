#pragma once

// What hangs on a fixed joint: some links of the body that they were merged into, and the bodies
// that their joints carry. Force-torque sensors of ankles and wrists often sit in such a joint.

#include <string>
#include <vector>

#include "stance/model/builder.h"
#include "stance/sim/sensors.h"

namespace stance::sim {

struct LinkPart {
  // Of one link, in the frame of the body.
  struct Mass {
    double mass = 0.0;               // kg
    Vec3d com{};                     // m
    kernel::Sym3<double> inertia{};  // about it, kg m^2
  };

  model::FrameIndex link;      // that the joint carries
  std::vector<char> has_link;  // by frame of the model: it is one of them
  std::vector<Mass> masses;    // of those that have one
  std::vector<int> bodies;     // whose joints sit on one of them
};

// The part that a fixed joint of a robot carries; `parts` is what the robot was built from,
// `prefix` stands before its names in the model.
LinkPart find_link_part(const model::ModelBuilder& parts, const std::string& prefix,
                        const model::JointSpec& joint, const model::Model& model);

// The wrench that the joint transmitted to the part in a step, at O of its tree (at the world's
// origin where the part does not move): what its motion needs, less what acts on it from outside.
kernel::Force<double> calc_part_wrench(const StepView& view, const StepForces& forces,
                                       const LinkPart& part);

}  // namespace stance::sim
