// What rests costs next to nothing, and stays where it is.

#include "stance/sim/sample_piles.h"

#include "simulation.h"

namespace stance::test {
namespace {

constexpr double kStep = 1e-3;

struct Cost {
  double sweeps = 0.0;    // a step, steps that hold things still included
  double without = 0.0;   // part of the steps that needed none
  double residual = 0.0;  // worst
};

Cost count(Simulation& s, double seconds) {
  Cost cost;
  int steps = 0;
  s.run(seconds, kStep, [&] {
    ++steps;
    cost.sweeps += s.report.contact.sweeps, cost.without += s.report.contact.sweeps == 0;
    cost.residual = std::max(cost.residual, s.report.contact.residual);
  });
  cost.sweeps /= steps, cost.without /= steps;
  return cost;
}

// Sweeps hardly see the sway of a tower; without hold_still it rings on, five sweeps in every step.
TEST(Rest, AStackNeedsHardlyAnySweeps) {
  for (const int height : {1, 3, 10}) {
    Simulation s(sim::make_cube_stack(height));
    s.run(1.0, kStep);
    const Cost cost = count(s, 2.0);
    EXPECT_LT(cost.sweeps, 1.5) << height;
    EXPECT_GT(cost.without, height < 10 ? 0.95 : 0.6) << height;  // the rest is one sweep each
    EXPECT_LT(cost.residual, 2e-12) << height;
    EXPECT_EQ(s.unconverged, 0) << height;
  }
}

TEST(Rest, AStackStaysForAMinute) {
  Simulation s(sim::make_cube_stack(10));
  s.run(1.0, kStep);
  const std::vector<double> start = s.state.q;
  const Cost cost = count(s, kIsSlow ? 1.0 : 60.0);
  double moved = 0.0;
  for (std::size_t k = 0; k < start.size(); ++k)
    moved = std::max(moved, std::abs(s.state.q[k] - start[k]));
  EXPECT_LT(moved, 1e-11);
  EXPECT_LT(s.deepest, 1e-9);
  EXPECT_LT(cost.residual, 2e-12);
}

TEST(Rest, CubesSideBySideNeedHardlyAnySweeps) {
  Simulation s(sim::make_resting_cubes(9));
  s.run(1.0, kStep);
  const Cost cost = count(s, 2.0);  // of the busiest cube
  EXPECT_LT(cost.sweeps, 1.0);
  EXPECT_GT(cost.without, 0.8);
}

// A force that grows by and by, from hardly to well noticed: the impulses of the last step nearly
// do, but never for long. Attempts to make them exact must not come back in every step.
TEST(Rest, ChangingForcesAreNotTakenForRest) {
  for (const double growth : {1e-12, 1e-11, 1e-10, 1e-9, 1e-8}) {  // N a step
    Simulation s(sim::make_cube_stack(10));
    s.run(1.0, kStep);
    s.tau.assign(s.world.model.nv, 0.0);
    double& push = s.tau[s.world.model.v_start[s.bodies[9]] + 3];
    double sweeps = 0.0;
    const int steps = kIsSlow ? 100 : 1000;
    for (int k = 0; k < steps; ++k) {
      push += growth;
      s.run(kStep, kStep);
      sweeps += s.report.contact.sweeps;
      EXPECT_LT(s.report.contact.residual, 1e-8);
    }
    EXPECT_LT(sweeps / steps, 12.0) << growth;
    EXPECT_EQ(s.unconverged, 0) << growth;
  }
}

// Raised by less than rounding over a step would matter, a cube stays; raised by more, it comes
// down.
TEST(Rest, OnlyGapsThatMatterAreClosed) {
  const auto gap_after = [](double raised) {
    Simulation s(sim::make_cube_stack(1));
    s.run(0.1, kStep);
    const double z = s.position()[2];
    s.state.q[s.world.model.q_start[s.bodies[0]] + 6] += raised;
    s.run(0.01, kStep);
    return s.position()[2] - z;
  };
  EXPECT_NEAR(gap_after(5e-14), 5e-14, 1e-15);
  for (const double raised : {2e-13, 1e-11, 1e-8, 1e-5}) {
    EXPECT_LT(gap_after(raised), 1e-13) << raised;
    EXPECT_GT(gap_after(raised), -1e-12) << raised;
  }
}

}  // namespace
}  // namespace stance::test
