// Problems of a humanoid that holds a beam at which people pull, as they were in a step: 16 points
// of four flat faces, most of which slip at micrometres a second, and 30 joints with dry friction.
// In those that lean, the beam is pressed on crates that slide on a table: up to 53 points.

#include <filesystem>

#include <gtest/gtest.h>

#include "stance/solver/body_sweeps.h"
#include "stance/solver/solve.h"

#include "solver/grasp_file.h"

namespace stance::solver {
namespace {

constexpr double kTolerance = 1e-8;

// As a step solves them. Before robots had a plan of their own, each of these took 2,000 sweeps and
// missed the tolerance; those that lean or are dragged did so before the path was followed, with 60
// steps of Newton's method in each of up to 15 tries.
TEST(Grasp, IsSolvedFromTheImpulsesOfTheLastStep) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(STANCE_SOURCE_DIR "/tests/data/grasps")) {
    const test::Grasp grasp = test::read_grasp(entry.path().string());
    SolveOptions options;
    options.tolerance = kTolerance;
    options.max_sweeps = 2000;
    options.settle = true;
    BodySweeps sweeps;
    Solver solver;
    std::vector<Vec3d> p = grasp.warm;
    sweeps.start(grasp.problem);
    const SolveStatus status = solver.solve(sweeps, options, p);
    EXPECT_TRUE(status.is_converged) << entry.path();
    // graded apart from the solver
    NodeMotions motions;
    EXPECT_LT(calc_residual(grasp.problem, p, motions).relative, kTolerance) << entry.path();
    // a step of Newton's method takes about 30 us, 80 of those that lean, a sweep 8
    EXPECT_LE(status.newton_steps, 180) << entry.path();
    EXPECT_LE(status.sweeps, 50) << entry.path();
    ++count;
  }
  EXPECT_EQ(count, 16);
}

// What is found lies near what the last step left behind: nearer than the answer that a start from
// nothing finds.
TEST(Grasp, AnswersStayNearThoseOfTheLastStep) {
  double near = 0.0, far = 0.0;
  for (const auto& entry :
       std::filesystem::directory_iterator(STANCE_SOURCE_DIR "/tests/data/grasps")) {
    const test::Grasp grasp = test::read_grasp(entry.path().string());
    SolveOptions options;
    options.max_sweeps = 2000;
    for (const bool is_warm : {true, false}) {
      BodySweeps sweeps;
      Solver solver;
      std::vector<Vec3d> p(grasp.warm.size());
      if (is_warm) p = grasp.warm;
      sweeps.start(grasp.problem);
      (void)solver.solve(sweeps, options, p);
      for (std::size_t i = 0; i < p.size(); ++i)
        (is_warm ? near : far) += dot(p[i] - grasp.warm[i], p[i] - grasp.warm[i]);
    }
  }
  EXPECT_LT(near, far);
}

}  // namespace
}  // namespace stance::solver
