#pragma once

// What the penalty laws take beside a group's problem; one per thread.

#include <vector>

#include "stance/contact/penalty_fbl.h"
#include "stance/solver/body_sweeps.h"

namespace stance::contact {

struct PenaltyWork {
  std::vector<kernel::Vec3d> change;  // of velocity that the contact points want
  std::vector<kernel::Vec3d> q, p;    // velocities and impulses put aside
  std::vector<kernel::Vec3d> left;    // of the change, that impulses do not give
  solver::ContactProblem dense;       // the group's problem with W
  solver::NodeMotions motions;        // to make it
  MinimumNorm minimum_norm;
  solver::BodyProblem rest;  // joints and loops, with the contact forces given
  solver::BodySweeps sweeps;
};

}  // namespace stance::contact
