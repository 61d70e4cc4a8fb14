// The scenes that benchmarks run do what their names say.

#include "stance/sim/sample_piles.h"

#include "sim/simulation.h"

namespace stance::test {
namespace {

constexpr double kH = 1e-3;            // s
constexpr double kStill = 1e-10;       // m/s; rounding is 1e-13
constexpr double kPlace = 1e-9;        // m
constexpr double kSlop = 2e-6 + 1e-9;  // m: twice ContactOptions::slop is left alone

// How far the bodies are from where they were.
double calc_drift(const Simulation& now, const std::vector<double>& q) {
  double worst = 0.0;
  for (int k = 0; k < now.world.model.nbody - 1; ++k)
    for (int i = 4; i < 7; ++i)
      worst = std::max(worst, std::abs(now.state.q[7 * k + i] - q[7 * k + i]));
  return worst;
}

TEST(SamplePiles, CubesRestOnFourPointsEachAndApart) {
  Simulation run(sim::make_resting_cubes(10));
  const std::vector<double> start = run.state.q;
  run.run(1.0, kH);
  EXPECT_EQ(run.report.contact.points, 40);
  EXPECT_EQ(run.report.contact.groups, 10);
  EXPECT_EQ(run.unconverged, 0);
  EXPECT_LT(calc_drift(run, start), kPlace);
  EXPECT_LT(run.fastest(), kStill);
}

TEST(SamplePiles, StackStandsAndCarriesItsWeight) {
  const int count = 10;
  Simulation run(sim::make_cube_stack(count));
  const std::vector<double> start = run.state.q;
  run.run(2.0, kH);
  EXPECT_EQ(run.report.contact.points, 4 * count);
  EXPECT_EQ(run.report.contact.groups, 1);
  EXPECT_EQ(run.unconverged, 0);
  EXPECT_LT(calc_drift(run, start), kPlace);

  // each interface bears the cubes above it: m g h each
  std::vector<double> normal(count + 1);
  for (int i = 0; i < run.report.contact.points; ++i) {
    const auto& point = run.scratch.contact.points[i];
    normal[std::max(point.body_a, point.body_b)] += run.scratch.contact.contacts[i].p[0];
  }
  for (int k = 1; k <= count; ++k)
    EXPECT_NEAR(normal[k], (count + 1 - k) * 9.81 * kH, 1e-6 * count * 9.81 * kH) << "cube " << k;
}

// At the tolerance of the benchmarks' piles: heaps to 1e-8 take far longer. A step in which cubes
// jam may stop short of it.
TEST(SamplePiles, DroppedCubesDoNotTouchAtFirstAndComeToRestInAHeap) {
  const int count = 27;
  sim::Scene scene = sim::make_dropped_cubes(count, 3);
  scene.world.contact.tolerance = 1e-4;
  Simulation run(std::move(scene));
  run.run(kH, kH);
  EXPECT_EQ(run.report.contact.points, 0);
  run.run(2.5, kH);
  EXPECT_GE(run.report.contact.points, 4 * count);
  EXPECT_LT(run.report.contact.groups, count);  // some lie on others
  EXPECT_LT(run.fastest(), 1e-3);
  EXPECT_LT(run.report.contact.penetration, kSlop);
}

TEST(SamplePiles, SameSeedSameScene) {
  const sim::Scene a = sim::make_dropped_cubes(20, 5), b = sim::make_dropped_cubes(20, 5),
                   c = sim::make_dropped_cubes(20, 6);
  EXPECT_EQ(a.start.q, b.start.q);
  EXPECT_NE(a.start.q, c.start.q);
}

TEST(SamplePiles, CubesOnASlabAreOneGroup) {
  Simulation run(sim::make_cubes_on_slab(7));
  const std::vector<double> start = run.state.q;
  run.run(1.0, kH);
  EXPECT_EQ(run.report.contact.points, 4 * 7 + 4);
  EXPECT_EQ(run.report.contact.groups, 1);
  EXPECT_LT(calc_drift(run, start), kPlace);
}

TEST(SamplePiles, BricksLieInTheirCrate) {
  Simulation run(sim::make_crate_with_bricks());
  const std::vector<double> start = run.state.q;
  run.run(1.0, kH);
  EXPECT_EQ(run.report.contact.points, 4 + 4 * sim::kBricks);
  EXPECT_EQ(run.report.contact.groups, 1);
  EXPECT_NEAR(run.world.model.total_mass(), 2.0 + 0.5 * sim::kBricks, 1e-12);
  EXPECT_LT(calc_drift(run, start), kPlace);
}

}  // namespace
}  // namespace stance::test
