// What must hold in any scene: momentum, energy, the same bits again, no heap, refusal of nonsense.

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

// With restitution 0 no contact impulse ever does positive work, whatever hits whatever. A step or
// two in ten thousand miss their tolerance (3 of 24,000) and say so.
TEST(Drops, PlasticContactsNeverGiveEnergy) {
  int unconverged = 0;
  for (int seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Simulation s(make_heap(seed, 4));
    s.run(0.6, 1e-3, [&] {
      const double energy = s.report.kinetic + std::abs(s.report.potential);
      ASSERT_LE(s.report.contact.work, 1e-12 * energy) << "at " << s.state.time;
    });
    EXPECT_LT(s.deepest, 2e-3);
    unconverged += s.unconverged;
  }
  EXPECT_LE(unconverged, 1);
}

// Without gravity and floor, colliding bodies keep linear momentum; and the impulses of every step
// add up to no force and no moment, which is angular momentum (between collisions a spinning body
// keeps it only to the order of the integrator).
TEST(Drops, FreeCollisionsKeepMomentum) {
  for (int seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    kernel::Random random(8200 + seed);
    SceneBuilder builder("space");
    builder.set_gravity({});
    builder.set_material(0, {0.4, seed % 2 ? 0.5 : 0.0});
    for (int k = 0; k < 2; ++k) {
      SceneBuilder::Body body = make_body(random, Vec3d(k ? 0.25 : 0.0, 0, 0));
      body.velocity = Vec3d(k ? -1.0 : 1.0, 0, 0) + make_vector(random, 0.05);
      builder.add_body(body);
    }
    Simulation s(builder.build());
    const auto calc_momentum = [&] {
      return s.world.model.mass[1] * s.velocity(0) + s.world.model.mass[2] * s.velocity(1);
    };
    const Vec3d before = calc_momentum();
    double largest = 0.0;  // impulse, N s
    s.run(0.3, 1e-3, [&] {
      Vec3d force, moment;
      if (s.report.contact.points == 0) return;
      for (int body : {1, 2}) {
        const kernel::Force<double>& p = s.scratch.contact.impulses[body];
        force += p.lin;
        moment += p.ang + cross(s.scratch.kin.p_WO[s.world.model.tree[body]], p.lin);
        largest = std::max(largest, norm(p.lin));
      }
      ASSERT_LT(norm(force), 1e-14);
      ASSERT_LT(norm(moment), 1e-14);
    });
    EXPECT_LT(norm(calc_momentum() - before), 1e-12);
    EXPECT_GT(largest, 0.01) << "they never met";
  }
}

// The same scene gives the same bits.
TEST(Determinism, SameSceneSameBits) {
  Simulation a(make_heap(7, 12)), b(make_heap(7, 12));
  a.run(0.8, 1e-3), b.run(0.8, 1e-3);
  EXPECT_EQ(a.state.q, b.state.q);
  EXPECT_EQ(a.state.v, b.state.v);
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

TEST(Heap, ComesToRest) {
  Simulation s(make_heap(3, 27));
  s.world.contact.tolerance = 1e-6;
  s.world.materials[0].rolling_friction = 5e-3;  // or the balls roll for ever
  s.world.materials[0].torsion_friction = 5e-3;
  s.run(4.0, 1e-3);
  EXPECT_LT(s.fastest(), 1e-3);
  EXPECT_LT(s.deepest, 5e-3);
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
