#pragma once

// Problems of robots in the space of bodies, as they were in a step, with the impulses that it
// began with: to the bit, in little-endian binary files (tests/data/grasps).

#include <deque>
#include <string>
#include <vector>

#include "stance/solver/body_problem.h"

namespace stance::test {

struct Grasp {
  solver::BodyProblem problem;
  std::vector<kernel::Vec3d> warm;         // impulses of the step before, by block
  std::deque<std::vector<double>> arrays;  // what the problem does not own
};

// Throws stance::Error.
Grasp read_grasp(const std::string& file);
void write_grasp(const Grasp& grasp, const std::string& file);

}  // namespace stance::test
