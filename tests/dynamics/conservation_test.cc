// What physics keeps, the integrators keep to their order: energy and momentum.

#include <cmath>

#include <gtest/gtest.h>

#include "stance/dynamics/centroidal.h"
#include "stance/model/builder.h"
#include "stance/model/samples.h"

#include "support/simulate.h"
#include "support/specs.h"

namespace stance::dynamics {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;
using test::in;
using test::Method;
using test::Simulation;
using test::Workbench;

double calc_energy(Workbench& w) {
  return calc_kinetic_energy(w.model, w.inertias, w.vel, in(w.v)) +
         calc_potential_energy(w.model, w.gravity, w.kin, w.inertias);
}

Centroidal calc_centroidal(const Workbench& w) {
  Centroidal out(w.model);
  update_centroidal(w.model, w.kin, w.inertias, w.vel, out);
  return out;
}

struct Drift {
  double energy = 0.0;            // largest, J
  double angular_momentum = 0.0;  // about the centre of mass, largest, N m s
  double linear_momentum = 0.0;   // against m g t, largest, N s
};

Drift measure_drift(const Model& model, const Vec3d& gravity, const VectorXd& q, const VectorXd& v,
                    double h, double duration) {
  Simulation sim(model, gravity);
  sim.start(q, v);
  const double energy = calc_energy(sim.look());
  const Centroidal start = calc_centroidal(sim.look());
  Drift drift;
  const int steps = static_cast<int>(std::lround(duration / h));
  for (int n = 1; n <= steps; ++n) {
    sim.step(Method::kRk4, h);
    if (n % (steps / 20) != 0) continue;
    const Centroidal now = calc_centroidal(sim.look());
    drift.energy = std::max(drift.energy, std::abs(calc_energy(sim.bench) - energy));
    drift.angular_momentum =
        std::max(drift.angular_momentum, (now.h_G.ang.eigen() - start.h_G.ang.eigen()).norm());
    const Vector3d p = start.h_G.lin.eigen() + start.mass * n * h * gravity.eigen();
    drift.linear_momentum = std::max(drift.linear_momentum, (now.h_G.lin.eigen() - p).norm());
  }
  return drift;
}

// Halving the step must cut a fourth-order drift by about 16, and by 10 at the very least.
constexpr double kOrderFourCut = 10.0;

TEST(Conservation, ASpinningBodyKeepsEnergyAndMomentum) {
  model::ModelBuilder builder("brick");
  model::LinkSpec brick = test::make_link("brick", 2.0);
  brick.com = {0.1, -0.2, 0.3};
  brick.inertia = Vector3d(1.0, 2.0, 2.5).asDiagonal();
  builder.add_link(brick);
  builder.attach_roots(model::ModelBuilder::Base::kFree);
  const Model model = builder.build();
  VectorXd q = VectorXd::Zero(7), v(6);
  q[0] = 1.0;
  v << 0.1, 5.0, 0.2, 1.0, 0.0, -1.0;  // about the middle axis: it tumbles
  const Drift coarse = measure_drift(model, test::kWeightless, q, v, 2e-3, 10.0);
  const Drift fine = measure_drift(model, test::kWeightless, q, v, 1e-3, 10.0);
  // energy 28 J, momentum 10 N m s; a turn takes 1.2 s, 600 steps: (2 pi / 600)^4 = 1e-8 a turn
  EXPECT_LT(coarse.energy, 1e-6);
  EXPECT_LT(coarse.angular_momentum, 1e-7);
  EXPECT_LT(fine.energy, coarse.energy / kOrderFourCut);
  EXPECT_LT(fine.angular_momentum, coarse.angular_momentum / kOrderFourCut);
}

TEST(Conservation, ADoublePendulumKeepsItsEnergy) {
  const Model model = model::make_chain(2, {.length = 1.0, .mass = 1.0, .radius = 0.05});
  const VectorXd q = Eigen::Vector2d(2.0, 1.0), v = VectorXd::Zero(2);
  const Drift coarse = measure_drift(model, test::kGravity, q, v, 2e-3, 5.0);
  const Drift fine = measure_drift(model, test::kGravity, q, v, 1e-3, 5.0);
  EXPECT_LT(coarse.energy, 1e-6);  // of about 20 J that swing
  EXPECT_LT(fine.energy, coarse.energy / kOrderFourCut);
}

// A chain let go in the air, writhing: it falls as one body and keeps its spin.
TEST(Conservation, AFallingChainKeepsEnergyAndMomentum) {
  const Model model = model::make_chain(10, {.length = 0.2, .mass = 0.3, .floating = true});
  kernel::Random random(50);
  const VectorXd q = test::make_coordinates(random, model);
  const VectorXd v = test::make_vector(random, model.nv, 4.0);
  const Drift coarse = measure_drift(model, test::kGravity, q, v, 4e-3, 0.4);
  const Drift fine = measure_drift(model, test::kGravity, q, v, 2e-3, 0.4);
  EXPECT_LT(coarse.energy, 1e-4);
  EXPECT_LT(coarse.angular_momentum, 1e-5);
  EXPECT_LT(coarse.linear_momentum, 1e-5);
  EXPECT_LT(fine.energy, coarse.energy / kOrderFourCut);
  EXPECT_LT(fine.angular_momentum, coarse.angular_momentum / kOrderFourCut);
}

// The same chain hung up by one end.
TEST(Conservation, AHangingChainKeepsItsEnergy) {
  const Model model = model::make_chain(10, {.length = 0.2, .mass = 0.3});
  const VectorXd q = VectorXd::Constant(model.nq, 0.3), v = VectorXd::Zero(model.nv);
  const Drift coarse = measure_drift(model, test::kGravity, q, v, 1e-3, 1.0);
  const Drift fine = measure_drift(model, test::kGravity, q, v, 5e-4, 1.0);
  EXPECT_LT(coarse.energy, 1e-7);
  EXPECT_LT(fine.energy, coarse.energy / kOrderFourCut);
}

// The semi-implicit step wavers about the true energy of a pendulum by a bounded amount, over a
// thousand swings; the explicit one would have blown up.
TEST(Conservation, SemiImplicitStepsKeepAPendulumSwinging) {
  const Model model = model::make_chain(1, {.length = 1.0, .mass = 1.0, .radius = 0.05});
  Simulation sim(model, test::kGravity);
  sim.start(VectorXd::Constant(1, 1.0), VectorXd::Zero(1));
  const double start = calc_energy(sim.look());
  const double swing = 9.81 * 0.5 * (1.0 - std::cos(1.0));  // height energy, J
  double early = 0.0, late = 0.0;
  constexpr int kSteps = 400000;  // of 5 ms: 2000 s, about 1200 swings
  for (int n = 0; n < kSteps; ++n) {
    sim.step(Method::kSemiImplicit, 5e-3);
    if (n > kSteps / 100 && n < kSteps * 99 / 100) continue;
    const double error = std::abs(calc_energy(sim.look()) - start) / swing;
    (n < kSteps / 2 ? early : late) = std::max(n < kSteps / 2 ? early : late, error);
  }
  EXPECT_LT(early, 0.02);  // half of h times the frequency
  EXPECT_NEAR(late, early, 0.1 * early);
}

}  // namespace
}  // namespace stance::dynamics
