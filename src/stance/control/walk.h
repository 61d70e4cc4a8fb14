#pragma once

// A walk as angles of a biped's joints over time, such that the whole robot, all of its bodies
// counted, pushes the ground where the plan wants it.
//
// The robot has the joints of models/biped.urdf: hip yaw, roll, pitch; knee; ankle yaw, pitch, roll
// on either side, and its base is the right foot. The trunk stays upright and at one height; its
// path follows from the table-cart model, put right by what the moment of all bodies shows.
// Kajita et al., "Biped walking pattern generation by using preview control of zero-moment point"
// (2003), here as a boundary value problem over the whole walk.

#include <string>
#include <vector>

#include "stance/control/walk_plan.h"
#include "stance/model/model.h"

namespace stance::control {

struct Walk {
  std::vector<std::string> joints;  // names
  std::vector<double> times;        // s
  std::vector<double> angles;       // rad, time by time
  std::vector<double> torques;      // N m, likewise: what the motion takes
  // rad, likewise: angles, put off by what springs and dampers of the plan's options give way under
  // these torques, so that joints that follow the targets are where the angles are
  std::vector<double> targets;
  std::vector<kernel::Vec3d> hips;  // m, midway between the hips, by time
  std::vector<kernel::Vec3d> zmp;   // m, by time, of all bodies
  double zmp_error = 0.0;           // m, the farthest of it from the plan
};

// Throws stance::Error when the model is no such biped or the plan is out of its reach.
Walk make_walk(const model::Model& biped, const WalkPlan& plan);

}  // namespace stance::control
