// Row H15: objects created and removed while it runs.

#include "stance/sim/transfer.h"

#include <gtest/gtest.h>

#include "mechanisms.h"
#include "simulation.h"

namespace stance::sim {
namespace {

SceneBuilder::Body make_cube(const std::string& name, double z) {
  SceneBuilder::Body cube;
  cube.name = name, cube.shape = collision::make_box({0.05, 0.05, 0.05});
  cube.pose.p = {0.0, 0.0, z};
  return cube;
}

SceneBuilder make_stack() {
  SceneBuilder builder("stack");
  builder.add_fixed(collision::make_plane(), {}, 0, "floor");
  for (int k = 0; k < 3; ++k)
    builder.add_body(make_cube("cube" + std::to_string(k), 0.05 + 0.1 * k));
  return builder;
}

struct Running {
  explicit Running(const SceneBuilder& from)
      : builder(from), scene(builder.build()), x(scene.start) {}

  void run(double seconds) {
    Scratch scratch(scene.world);
    for (int n = static_cast<int>(std::lround(seconds / 1e-3)); n > 0; --n) {
      report = step(scene.world, {}, 1e-3, x, scratch);
      ASSERT_EQ(report.status, kStepFine);
      sweeps += report.contact.sweeps;
    }
  }
  // Goes on in the world that the builder has now.
  void change() {
    Scene next = builder.build();
    x = transfer(scene.world, x, next);
    scene = std::move(next);
  }
  double height(const std::string& name) const {
    const model::Model& model = scene.world.model;
    return x.q[model.q_start[model.find_body(name)] + 6];
  }

  SceneBuilder builder;
  Scene scene;
  State x;
  StepReport report;
  int sweeps = 0;
};

TEST(Transfer, WhatIsNewFallsOnWhatWasThere) {
  Running r(make_stack());
  r.run(0.3);
  const State before = r.x;
  r.builder.add_body(make_cube("late", 0.8));
  r.change();
  EXPECT_EQ(r.x.time, before.time);
  EXPECT_EQ(r.height("cube2"), before.q[6 + 14]);
  r.run(1.0);
  EXPECT_NEAR(r.height("late"), 0.35, 1e-5);
  EXPECT_NEAR(r.height("cube0"), 0.05, 1e-5);
}

TEST(Transfer, WhatStoodOnSomethingRemovedFalls) {
  Running r(make_stack());
  r.run(0.3);
  r.builder.remove_body("cube1");
  r.change();
  EXPECT_EQ(r.scene.world.model.nv, 12);
  r.run(0.05);
  EXPECT_NEAR(r.height("cube2"), 0.25 - 0.5 * 9.81 * 0.05 * 0.051, 1e-5);
  r.run(1.0);
  EXPECT_NEAR(r.height("cube2"), 0.15, 1e-5);
  EXPECT_THROW(r.builder.remove_body("cube1"), Error);
}

// Nothing changed: the same bits as without, so contacts keep what they start from.
TEST(Transfer, IntoTheSameWorldChangesNothing) {
  Running whole(make_stack()), parts(make_stack());
  whole.run(0.3), parts.run(0.3);
  parts.change();
  EXPECT_EQ(parts.x.warm.id, whole.x.warm.id);
  whole.x.warm.rest = State(whole.scene.world).warm.rest;  // plans of rest begin anew
  whole.run(0.3), parts.run(0.3);
  EXPECT_EQ(whole.x.q, parts.x.q);
  EXPECT_EQ(whole.x.v, parts.x.v);
}

// What comes brings its energy, what goes takes it away: the error of the integrator goes on.
TEST(Transfer, TheAccountOfEnergyGoesOn) {
  Running r(make_stack());
  r.builder.add_body(make_cube("falling", 5.0));
  r.change();
  r.run(0.3);
  const double before = r.report.energy_error;
  EXPECT_GT(std::abs(before), 1e-4);  // of free fall, half a step of its velocity
  r.builder.add_body(make_cube("late", 9.0));
  r.change();
  r.run(0.001);
  EXPECT_NEAR(r.report.energy_error, before, 1e-4);
  r.builder.remove_body("falling");
  r.change();
  r.run(0.001);
  EXPECT_NEAR(r.report.energy_error, before, 2e-4);
}

// A robot's joints, limits and controllers' memory go on while a ball comes.
TEST(Transfer, RobotsGoOn) {
  test::Runner r(test::make_drive_chain(4));
  for (int n = 0; n < 100; ++n) (void)r.step(1e-3);
  r.state.memory = {{{"arm", 2}}, {1.0, 2.0}};
  Scene same = test::make_drive_chain(4);
  const State moved = transfer(r.scene.world, r.state, same);
  EXPECT_EQ(moved.q, r.state.q);
  EXPECT_EQ(moved.v, r.state.v);
  EXPECT_EQ(moved.memory, r.state.memory);
}

}  // namespace
}  // namespace stance::sim
