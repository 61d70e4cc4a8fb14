#pragma once

// Robots and their dynamics, without contact: kinematics, inertias, forward and inverse dynamics,
// the mass matrix, Jacobians, derivatives, and the inverse inertia at points of contact (Delassus).
//
//   const stance::Robot robot = stance::load_robot("robot.urdf");
//   stance::dynamics::Bodies bodies(robot.model);   // where everything is, worked out once
//   bodies.update(robot.model, q, v);
//
// The algorithms are in stance::dynamics, one header each; models are plain structs in
// stance::model.

#include "stance/dynamics/aba.h"
#include "stance/dynamics/bodies.h"
#include "stance/dynamics/centroidal.h"
#include "stance/dynamics/contact_set.h"
#include "stance/dynamics/crba.h"
#include "stance/dynamics/delassus.h"
#include "stance/dynamics/derivatives.h"
#include "stance/dynamics/integrators.h"
#include "stance/dynamics/jacobian.h"
#include "stance/dynamics/kinematics.h"
#include "stance/dynamics/rnea.h"
#include "stance/error.h"
#include "stance/io/robot_reader.h"
#include "stance/math.h"
#include "stance/model/builder.h"
#include "stance/model/model.h"
#include "stance/version.h"

namespace stance {

using model::Model;
using scene::BaseChoice;
using scene::Robot;

// How a robot is read: what its base is, where packages are looked for.
using io::RobotOptions;

// Reads a robot, of any format that Stance knows (URDF today). Throws stance::Error at the first
// thing that cannot be simulated, with its file, line and element; what is odd but workable ends in
// Robot::warnings.
inline Robot load_robot(const std::string& file, const RobotOptions& options = {}) {
  return io::load_robot(file, options);
}

// Reads the meshes that a robot collides with, too: before it goes into a scene
// (RobotSpec::description).
using io::load_collision_meshes;

namespace detail {
inline const kernel::LibraryCheck dynamics_check(kHeaders);
}

}  // namespace stance
