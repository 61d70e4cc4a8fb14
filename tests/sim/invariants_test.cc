// What must hold in any scene: the same bits again, rest, no heap, refusal of nonsense. Momentum
// and energy: drops_test.cc.

#include "stance/kernel/random.h"

#include "heap_counter.h"
#include "sim/simulation.h"

namespace stance {
namespace {

using sim::SceneBuilder;
using test::Simulation;
using test::Vec3d;

Vec3d make_vector(kernel::Random& random, double limit) {
  return {random.uniform(-limit, limit), random.uniform(-limit, limit),
          random.uniform(-limit, limit)};
}

collision::Shape make_shape(kernel::Random& random) {
  switch (random.integer(4)) {
    case 0: return test::make_sphere(random.uniform(0.03, 0.06));
    case 1: return collision::make_capsule(random.uniform(0.02, 0.04), random.uniform(0.02, 0.05));
    case 2: return test::make_cylinder(random.uniform(0.03, 0.05), random.uniform(0.03, 0.05));
    default:
      return test::make_box(
          {random.uniform(0.02, 0.06), random.uniform(0.02, 0.06), random.uniform(0.02, 0.06)});
  }
}

SceneBuilder::Body make_body(kernel::Random& random, const Vec3d& position) {
  SceneBuilder::Body body;
  body.shape = make_shape(random);
  body.mass = random.uniform(0.2, 2.0);
  body.pose = {sim::make_rotation(make_vector(random, 1.0), random.uniform(0.0, 3.0)), position};
  body.spin = make_vector(random, 5.0);
  return body;
}

sim::Scene make_heap(std::uint64_t seed, int count) {
  kernel::Random random(8100 + seed);
  SceneBuilder builder("heap");
  builder.add_fixed(test::make_plane(), {});
  for (int k = 0; k < count; ++k)
    builder.add_body(
        make_body(random, Vec3d(0.25 * (k % 3), 0.25 * (k / 3 % 3), 0.15 + 0.25 * (k / 9)) +
                              make_vector(random, 0.02)));
  return builder.build();
}

// Three narrow heaps, two metres apart.
sim::Scene make_heaps_apart() {
  kernel::Random random(8107);
  SceneBuilder builder("heaps");
  builder.add_fixed(test::make_plane(), {});
  for (int k = 0; k < 60; ++k) {
    SceneBuilder::Body cube;
    cube.shape = test::make_box({0.05, 0.05, 0.05});
    const Vec3d at(2.0 * (k % 3) + 0.1 * (k / 3 % 2), 0.1 * (k / 6 % 2), 0.1 + 0.17 * (k / 12));
    cube.pose = {sim::make_rotation(make_vector(random, 1.0), random.uniform(0.0, 3.0)),
                 at + make_vector(random, 0.01)};
    builder.add_body(cube);
  }
  return builder.build();
}

// The same scene gives the same bits.
TEST(Determinism, SameSceneSameBits) {
  Simulation a(make_heap(7, 12)), b(make_heap(7, 12));
  a.run(0.8, 1e-3), b.run(0.8, 1e-3);
  EXPECT_EQ(a.state.q, b.state.q);
  EXPECT_EQ(a.state.v, b.state.v);
}

// Heaps apart are groups of their own, which threads share.
TEST(Determinism, SameBitsOnAnyNumberOfThreads) {
  const auto run = [](int threads) {
    sim::Scene scene = make_heaps_apart();
    scene.world.contact.threads = threads;
    Simulation s(std::move(scene));
    s.run(0.5, 1e-3);
    EXPECT_EQ(s.scratch.contact.side_by_side > 50, threads > 1) << s.scratch.contact.side_by_side;
    return s.state;
  };
  const sim::State one = run(1);
  for (const int threads : {2, 3}) {
    const sim::State same = run(threads);
    EXPECT_EQ(one.q, same.q);
    EXPECT_EQ(one.v, same.v);
  }
}

// A snapshot is the State: going on from it in another place gives the same bits.
TEST(Determinism, AStateIsAllThatASnapshotNeeds) {
  Simulation a(make_heap(8, 12));
  a.run(0.4, 1e-3);
  Simulation b(make_heap(8, 12));
  b.state = a.state;
  a.run(0.3, 1e-3), b.run(0.3, 1e-3);
  EXPECT_EQ(a.state.q, b.state.q);
}

TEST(Step, AsksForNoMemoryOnceWarm) {
  Simulation s(make_heap(4, 12));
  s.run(0.5, 1e-3);
  int calls = 0;
  for (int k = 0; k < 100; ++k)
    calls += bench::count_heap_calls(
        [&] { s.report = sim::step(s.world, {}, 1e-3, s.state, s.scratch); });
  EXPECT_EQ(calls, 0);
}

// A number that is lost stops the step, names the body, and leaves the state as it was.
TEST(Step, RefusesNumbersThatAreNotFinite) {
  Simulation s(make_heap(5, 3));
  s.run(0.1, 1e-3);
  std::vector<double> tau(s.world.model.nv, 0.0);
  tau[7] = std::nan("");
  const sim::State before = s.state;
  sim::Input input;
  input.tau = tau;
  const sim::StepReport report = sim::step(s.world, input, 1e-3, s.state, s.scratch);
  EXPECT_EQ(report.status, sim::kNotFinite);
  EXPECT_EQ(report.bad_body, 2);
  EXPECT_EQ(s.state.q, before.q);
  EXPECT_EQ(s.state.v, before.v);
  EXPECT_EQ(s.state.time, before.time);
  EXPECT_EQ(sim::step(s.world, {}, 1e-3, s.state, s.scratch).status, sim::kStepFine);
}

// A report that is not content names a contact of the group that gave it trouble.
TEST(Step, NamesAContactOfTheWorstGroup) {
  SceneBuilder builder("ball and stack");
  builder.add_fixed(test::make_plane(), {});
  SceneBuilder::Body body;
  body.shape = test::make_sphere(0.05);
  body.pose.p = {1, 0, 0.05};
  builder.add_body(body);  // one contact: one sweep solves it
  for (int k = 0; k < 5; ++k) {
    body.shape = test::make_box({0.05, 0.05, 0.05});
    body.pose.p = {0, 0, 0.05 + 0.1 * k};
    builder.add_body(body);
  }
  Simulation s(builder.build());
  s.world.contact.max_sweeps = 3;
  s.run(1e-3, 1e-3);
  EXPECT_EQ(s.unconverged, 1);
  ASSERT_GE(s.report.contact.worst_contact, 0);
  const auto& point = s.scratch.contact.points[s.report.contact.worst_contact];
  EXPECT_GT(std::max(point.body_a, point.body_b), 1);
  EXPECT_GT(s.report.contact.residual, s.world.contact.tolerance);
}

// Rows H7, A11: three cubes in touch are one group; apart they are three.
TEST(Groups, AreLinkedThroughBodiesThatMove) {
  for (const double distance : {0.1, 0.15}) {
    SceneBuilder builder("cubes");
    builder.add_fixed(test::make_plane(), {});
    for (int k = 0; k < 3; ++k) {
      SceneBuilder::Body cube;
      cube.shape = test::make_box({0.05, 0.05, 0.05});
      cube.pose.p = {distance * k, 0, 0.05};
      builder.add_body(cube);
    }
    Simulation s(builder.build());
    s.run(1e-3, 1e-3);
    EXPECT_EQ(s.report.contact.groups, distance > 0.1 ? 3 : 1);
    EXPECT_GE(s.report.contact.points, 12);
  }
}

}  // namespace
}  // namespace stance
