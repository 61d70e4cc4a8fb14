// A thousand random drops over every pair of shapes, collisions in free space, the balance of
// energy, a large heap.

#include <cstdio>

#include "sim/random_shapes.h"

namespace stance {
namespace {

using sim::SceneBuilder;
using test::make_vector;
using test::Random;
using test::ShapeKind;
using test::Simulation;
using test::Vec3d;

constexpr int kDrops = test::kIsSlow ? 60 : 1000;
constexpr double kSeconds = test::kIsSlow ? 0.3 : 0.5;
constexpr double kStep = 1e-3;

// What a thousand drops came to.
struct Tally {
  int steps = 0;        // with contacts
  int unconverged = 0;  // of them, short of a residual of 1e-8
  int gains = 0;        // of them, with impulses that gave energy
  double most = 0.0;    // gain, as a part of the energy at hand
  double deepest = 0.0;

  void print(const char* what) const {
    std::printf(
        "%s: %d drops, %d steps with contacts, %d unconverged, %d gained energy (at most %.2g of "
        "it), deepest %.2g mm\n",
        what, kDrops, steps, unconverged, gains, most, 1e3 * deepest);
  }
};

// Work of normal impulses and of friction in the last step, J.
struct Work {
  explicit Work(const Simulation& s) {
    for (const contact::PointContact& contact : s.scratch.contact.contacts) {
      const Vec3d mean = 0.5 * (contact.u + contact.u_free);
      normal += contact.p[0] * mean[0];
      friction += contact.p[1] * mean[1] + contact.p[2] * mean[2];
    }
  }
  double normal = 0.0, friction = 0.0;
};

template <class Watch>
Tally run_drops(double restitution, std::initializer_list<double> frictions, Watch&& watch) {
  Tally tally;
  for (int n = 0; n < kDrops; ++n) {
    SCOPED_TRACE(n);
    const double friction = frictions.begin()[n / test::kPairKinds % frictions.size()];
    Simulation s(test::make_drop(n, {friction, restitution}));
    s.run(kSeconds, kStep, [&] {
      if (s.report.contact.points == 0) return;
      const double energy = s.report.kinetic + std::abs(s.report.potential);
      const double gain = s.report.contact.work / energy;
      ++tally.steps;
      tally.most = std::max(tally.most, gain);
      if (gain <= 1e-12) return;
      ++tally.gains;
      watch(s);
    });
    tally.unconverged += s.unconverged;
    tally.deepest = std::max(tally.deepest, s.deepest);
    if (testing::Test::HasFatalFailure()) break;
  }
  return tally;
}

// With restitution 0 no contact impulse ever does positive work, whatever hits whatever.
TEST(Drops, PlasticContactsNeverGiveEnergy) {
  const Tally tally = run_drops(0.0, {0.0, 0.5, 1.5}, [](const Simulation&) {});
  tally.print("plastic");
  EXPECT_EQ(tally.gains, 0);
  EXPECT_LE(tally.most, 1e-12);
  EXPECT_LT(tally.unconverged, 1e-3 * tally.steps);
  EXPECT_LT(tally.deepest, 2e-3);
}

// Nor with restitution, as long as there is no friction.
TEST(Drops, BouncesWithoutFrictionNeverGiveEnergy) {
  const Tally tally = run_drops(0.9, {0.0}, [](const Simulation&) {});
  tally.print("bouncing, no friction");
  EXPECT_EQ(tally.gains, 0);
  EXPECT_LT(tally.unconverged, 1e-3 * tally.steps);
}

// With both, some impacts do (Kane and Levinson 1985): Newton's law sets the normal velocity after
// the impact whatever friction does, and friction is opposed to the slip after the impact while its
// impulse may act along the slip before it, when the normal impulse reverses that. So the normal
// impulses never gain; all that is gained comes from friction.
TEST(Drops, BouncesWithFrictionGiveEnergyByFrictionOnly) {
  const Tally tally = run_drops(0.9, {0.5, 1.5}, [](const Simulation& s) {
    const Work work(s);
    ASSERT_LE(work.normal, 1e-12);
    ASSERT_GT(work.friction, 0.0);
  });
  tally.print("bouncing, friction");
  EXPECT_GT(tally.gains, 0);
  // one in thirty of a thousand drops; sixty are few
  EXPECT_LT(tally.gains, (test::kIsSlow ? 0.1 : 0.05) * tally.steps);
  EXPECT_LT(tally.unconverged, 1e-2 * tally.steps);
}

// Two bodies of any kinds in free space: linear momentum stays, and the impulses of every step add
// up to no force and no moment, which is angular momentum (between collisions a spinning body keeps
// its own only to the order of the integrator; balls keep it, so there it is looked at directly).
TEST(Drops, FreeCollisionsKeepMomentum) {
  const int trials = test::kIsSlow ? 25 : 400;
  for (int seed = 0; seed < trials; ++seed) {
    SCOPED_TRACE(seed);
    Random random(8200 + seed);
    SceneBuilder builder("space");
    builder.set_gravity({});
    builder.set_material(0, {0.4, seed % 2 ? 0.5 : 0.0});
    for (int k = 0; k < 2; ++k) {
      const ShapeKind kind = ShapeKind(k ? seed % 5 : seed / 5 % 5);
      SceneBuilder::Body body = test::make_body(kind, random, Vec3d(k ? 0.25 : 0.0, 0, 0), builder);
      body.velocity = Vec3d(k ? -1.0 : 1.0, 0, 0) + make_vector(random, 0.05);
      builder.add_body(body);
    }
    Simulation s(builder.build());
    const model::Model& model = s.world.model;
    const bool are_balls = seed % 25 == 0;
    Vec3d linear, angular;
    const auto update_momentum = [&] {
      linear = angular = Vec3d();
      for (int k = 0; k < 2; ++k) {
        const double m = model.mass[s.bodies[k]];
        linear += m * s.velocity(k);
        angular +=
            m * cross(s.position(k), s.velocity(k)) + model.inertia[s.bodies[k]].full() * s.spin(k);
      }
    };
    update_momentum();
    const Vec3d linear_before = linear, angular_before = angular;
    double largest = 0.0;  // impulse, N s
    s.run(0.3, kStep, [&] {
      if (s.report.contact.points == 0) return;
      Vec3d force, moment;
      for (const int body : {1, 2}) {
        const kernel::Force<double>& p = s.scratch.contact.impulses[body];
        force += p.lin;
        moment += p.ang + cross(s.scratch.start.kin().p_WO[model.tree[body]], p.lin);
        largest = std::max(largest, norm(p.lin));
      }
      ASSERT_LT(norm(force), 1e-14);
      ASSERT_LT(norm(moment), 1e-14);
    });
    update_momentum();
    EXPECT_LT(norm(linear - linear_before), 1e-12);
    if (are_balls) {
      EXPECT_LT(norm(angular - angular_before), 1e-12);
    }
    EXPECT_GT(largest, 0.01) << "they never met";
  }
}

// ---- balance of energy --------------------------------------------------------------------

// Energy now, less that at the start, less the work of contact impulses on the motion without them:
// the integrator's error.
double calc_imbalance(Simulation& s, double seconds, double h) {
  double work = 0.0;
  const double before = test::calc_energy(s);
  s.run(seconds, h, [&] { work += s.report.contact.work; });
  return std::abs(test::calc_energy(s) - before - work);
}

// Over drops of every kind, with friction and plastic impacts.
TEST(Energy, ImbalanceOfDropsFallsLinearlyWithTheStep) {
  std::vector<double> errors, booked;  // mine, and the account's
  const int drops = test::kIsSlow ? 6 : 60;
  for (const double h : {2e-3, 1e-3, 5e-4, 2.5e-4}) {
    double sum = 0.0, sum_booked = 0.0;
    for (int n = 0; n < drops; ++n) {
      Simulation s(test::make_drop(n, {0.5, 0.0}));
      sum += calc_imbalance(s, 0.4, h);
      sum_booked += std::abs(s.report.energy_error);
    }
    errors.push_back(sum / drops), booked.push_back(sum_booked / drops);
    std::printf("h %g: imbalance %.3g J, by the account %.3g J\n", h, errors.back(), booked.back());
  }
  EXPECT_NEAR(test::calc_order(errors, 2.0), 1.0, 0.25);
  EXPECT_NEAR(test::calc_order(booked, 2.0), 1.0, 0.25);
}

// An elastic ball keeps its energy but for the error of the step.
TEST(Energy, ErrorOfAnElasticBallFallsLinearlyWithTheStep) {
  std::vector<double> errors;
  for (const double h : {2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4}) {
    Simulation s(sim::make_bouncing_ball(1.0, 1.0));
    const double before = test::calc_energy(s);
    double worst = 0.0;
    s.run(4.0, h, [&] {
      worst = std::max(worst, std::abs(s.report.kinetic + s.report.potential - before));
    });
    errors.push_back(worst / before);
    std::printf("h %g: error %.3g of the energy\n", h, errors.back());
  }
  EXPECT_NEAR(test::calc_order(errors, 2.0), 1.0, 0.25);
}

// ---- a large heap -------------------------------------------------------------------------

// Of two hundred bodies, spheres to hulls, at a residual of 1e-4: to 1e-8 it would take minutes.
TEST(Heap, OfTwoHundredMixedBodiesComesToRest) {
  Simulation s(sim::make_heap(test::kIsSlow ? 12 : 200));
  s.world.contact.tolerance = 1e-4;
  s.run(2.2, kStep);
  std::printf("heap: %d points, %d of 2200 steps unconverged, deepest %.2g mm, fastest %.2g m/s\n",
              s.report.contact.points, s.unconverged, 1e3 * s.deepest, s.fastest());
  EXPECT_LT(s.fastest(), 1e-2);
  EXPECT_LT(s.deepest, 5e-3);
  EXPECT_LE(s.most_work, 0.0);
  EXPECT_LT(s.unconverged, 22);
}

}  // namespace
}  // namespace stance
