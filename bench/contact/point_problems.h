#pragma once

// The contact problem of a humanoid on its two feet, 8 points, with free velocities at random such
// that contacts stick, slide and open; from zero.

#include <optional>

#include "options.h"

namespace stance::bench {

struct PointProblemResult {
  int problems = 0, points = 0;
  double us = 0.0;  // mean of one problem, Omega given: building it, solving, grading
  double tolerance = 0.0, residual = 0.0;  // the worst
  int unconverged = 0;
  double sweeps = 0.0;                               // mean
  double sticking = 0.0, sliding = 0.0, open = 0.0;  // parts of all points
  std::optional<double> siconos_us;  // mean of the best of its solvers on each of a few problems
  int siconos_problems = 0;
};

PointProblemResult measure_point_problems(const Options& options);

}  // namespace stance::bench
