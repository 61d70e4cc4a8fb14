// Steps of second order (docs/adr/0016): motions with a known answer, by the forms that
// `stance bench order` prints.

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "stance/sim/sample_scenes.h"
#include "stance/sim/step.h"

#include "sim/closed_forms.h"

namespace stance::sim {
namespace {

using bench::ClosedForm;

// The error of a form with steps of h seconds, in a frame half-way.
double calc_error(const std::string& name, const std::string& quantity, double h) {
  for (const auto list : {bench::closed_forms(), bench::smooth_forms()})
    for (const ClosedForm& form : list)
      if (form.name == name && form.quantity == quantity)
        return form.calc_error({h, Integrator::kMidpoint});
  ADD_FAILURE() << "no form " << name << ", " << quantity;
  return 0.0;
}

// Halving the step from `h` on, three times: the order from the first to the last error.
double calc_order(const std::string& name, const std::string& quantity, double h) {
  return std::log2(calc_error(name, quantity, h) / calc_error(name, quantity, h / 8)) / 3.0;
}

TEST(SecondOrder, SmoothMotionsGainAFactorOfFourFromHalfTheStep) {
  // a little less than two: the last halvings of some meet rounding and the solver's tolerance
  EXPECT_GT(calc_order("pendulum, joint", "angle at 2 s", 4e-3), 1.95);
  EXPECT_GT(calc_order("pendulum, hinge", "angle at 2 s", 4e-3), 1.95);
  EXPECT_GT(calc_order("rod of 1 m, joint", "energy in 60 s", 4e-3), 1.95);
  EXPECT_GT(calc_order("symmetric top", "axis at 1 s", 4e-3), 1.95);
  EXPECT_GT(calc_order("tumbling box", "angular momentum in 10 s", 4e-3), 1.95);
  EXPECT_GT(calc_order("ball on a turntable", "place at 2 s", 4e-3), 1.8);
  EXPECT_GT(calc_order("disk that rolls round", "place and tilt at 1 s", 4e-3), 1.9);
  EXPECT_GT(calc_order("top, ball", "tilt at 10 s", 2e-3), 1.9);
}

// The bounds are a user's, at the default step.
TEST(SecondOrder, AtAMillisecondNothingIsLostToTheEye) {
  EXPECT_LT(calc_error("tumbling box", "angular momentum in 10 s", 1e-3), 1e-4);
  EXPECT_LT(calc_error("rod of 1 m, hinge", "energy in 60 s", 1e-3), 1e-3);
  EXPECT_LT(calc_error("rod of 1 m, joint", "energy in 60 s", 1e-3), 1e-6);
  EXPECT_LT(calc_error("rod of 1 m, hinge", "tip at 5 s", 5e-4), 1e-5);
  EXPECT_LT(calc_error("rod of 1 m, joint", "tip at 5 s", 5e-4), 1e-5);
  EXPECT_LT(calc_error("top, ball", "tilt at 10 s", 1e-3), 0.0175) << "a degree";
  EXPECT_LT(calc_error("top, spherical joint", "tilt at 10 s", 1e-3), 0.0175);
}

// A loose body keeps the energy of its turning to rounding, and Newton's law with e = 1 gives back
// what it takes: 1e-10 of about ten joules.
TEST(SecondOrder, ElasticBodiesBounceForTenSecondsWithoutLoss) {
  EXPECT_LT(calc_error("elastic ball", "energy in 10 s", 1e-3), 1e-9);
  EXPECT_LT(calc_error("elastic box", "energy in 10 s", 1e-3), 1e-9);
}

// Thin and fast: the explicit gyroscopic term of the first order gains without bound here.
TEST(SecondOrder, AThinBarThatSpinsKeepsItsEnergy) {
  SceneBuilder builder("bar");
  builder.set_gravity({});
  builder.set_integrator(Integrator::kMidpoint);
  builder.add_body({.name = "bar",
                    .shape = collision::make_box({0.3, 0.02, 0.015}),
                    .spin = {100.0, 50.0, 20.0}});
  const Scene scene = builder.build();
  State x = scene.start;
  Scratch scratch(scene.world);
  double energy = 0.0;
  for (int k = 0; k < 5000; ++k) {
    const StepReport report = step(scene.world, {}, 1e-3, x, scratch);
    if (k == 0) energy = report.kinetic;
    ASSERT_NEAR(report.kinetic, energy, 1e-10 * energy) << k;
  }
}

// ---- drives -------------------------------------------------------------------------------------

// A sledge on a spring without friction, let go at x0; where it is after 0.8 s against x0 cos(w t).
double calc_sledge_error(double stiffness, double h) {
  OscillatorSpec spec;
  spec.friction = 0.0, spec.stiffness = stiffness;
  Sample sample = make_coulomb_oscillator(spec);
  sample.scene.world.integrator = Integrator::kMidpoint;
  const World& world = sample.scene.world;
  State x = sample.scene.start;
  Scratch scratch(world);
  for (long k = std::lround(0.8 / h); k > 0; --k) (void)step(world, sample.input(), h, x, scratch);
  const int q = world.model.q_start[world.model.find_joint("sledge/spring")];
  return std::abs(x.q[q] - spec.stretch * std::cos(0.8 * std::sqrt(stiffness / spec.mass)));
}

TEST(SecondOrder, SoftSpringsAreOfSecondOrder) {
  const double rough = calc_sledge_error(100.0, 4e-3), fine = calc_sledge_error(100.0, 5e-4);
  EXPECT_GT(std::log2(rough / fine) / 3.0, 1.95);
}

// Far too stiff for the step: rings in no way, as the scheme of first order does not.
TEST(SecondOrder, StiffSpringsDoNotRing) {
  for (const double x : {2.0, 5.0, 30.0, 1000.0}) {  // h sqrt(K / m)
    OscillatorSpec spec;
    spec.friction = 0.0, spec.stiffness = spec.mass * x * x / 1e-6;
    Sample sample = make_coulomb_oscillator(spec);
    sample.scene.world.integrator = Integrator::kMidpoint;
    const World& world = sample.scene.world;
    State state = sample.scene.start;
    Scratch scratch(world);
    const int q = world.model.q_start[world.model.find_joint("sledge/spring")];
    for (int k = 0; k < 12; ++k) (void)step(world, sample.input(), 1e-3, state, scratch);
    EXPECT_LT(std::abs(state.q[q]), 1e-2 * spec.stretch) << x;
  }
}

// ---- the way to the first frame -----------------------------------------------------------------

// Half a step at 100 m/s is 50 mm; the plate is 2 mm thick and 10 mm away.
TEST(SecondOrder, AFastBallIsStoppedInItsFirstStep) {
  for (const double speed : {0.5, 5.0, 30.0, 100.0}) {
    SceneBuilder builder("shot");
    builder.set_gravity({});
    builder.set_integrator(Integrator::kMidpoint);
    builder.add_fixed(collision::make_box({0.5, 0.5, 0.001}), {});
    builder.add_body({.name = "ball",
                      .shape = collision::make_sphere(0.02),
                      .pose = {Mat3d::identity(), {0.0, 0.0, 0.031}},
                      .velocity = {0.0, 0.0, -speed}});
    const Scene scene = builder.build();
    State x = scene.start;
    Scratch scratch(scene.world);
    const int z = scene.world.model.q_start[scene.bodies[0]] + 6;
    for (int k = 0; k < 100; ++k) {
      const StepReport report = step(scene.world, {}, 1e-3, x, scratch);
      EXPECT_EQ(report.status, kStepFine) << speed;
      ASSERT_GT(x.q[z], 0.021 - 1e-9) << speed << ", step " << k;
    }
    EXPECT_LT(x.q[z], 0.032) << speed;
  }
}

}  // namespace
}  // namespace stance::sim
