// Nothing asks for memory once it is built: every algorithm of the layer under a counter that
// stands in for malloc.

#include <cstdlib>

#include <gtest/gtest.h>

#include "stance/dynamics/centroidal.h"
#include "stance/dynamics/delassus.h"
#include "stance/dynamics/derivatives.h"
#include "stance/dynamics/integrators.h"
#include "stance/dynamics/jacobian.h"
#include "stance/dynamics/mimic.h"
#include "stance/model/samples.h"

#include "heap_counter.h"
#include "support/contacts.h"
#include "support/robots.h"
#include "support/workbench.h"

namespace stance::dynamics {
namespace {

using bench::count_heap_calls;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::in;
using test::out;
using test::Workbench;

// Makes the compiler believe that the memory is looked at, lest it leave the request out.
void look_at(const void* memory) { asm volatile("" : : "g"(memory) : "memory"); }

// The counter sees what Eigen and the standard library ask for; without this the tests below would
// prove nothing.
TEST(HeapCounter, SeesEveryWayToAskForMemory) {
  EXPECT_EQ(count_heap_calls([] {}), 0);
  const VectorXd x = VectorXd::Ones(100);
  const MatrixXd M = MatrixXd::Identity(100, 100);
  VectorXd y = x;
  EXPECT_GT(count_heap_calls([&] { y = M * x; }), 0);
  EXPECT_EQ(count_heap_calls([&] { y.noalias() = M * x; }), 0);
  EXPECT_EQ(count_heap_calls([] { look_at(VectorXd(100).data()); }), 1);
  EXPECT_EQ(count_heap_calls([] { look_at(std::vector<Motion<double>>(3).data()); }), 1);
  void* memory = nullptr;
  EXPECT_EQ(count_heap_calls([&] { look_at(memory = std::calloc(10, 10)); }), 1);
  EXPECT_EQ(count_heap_calls([&] { look_at(memory = std::realloc(memory, 1000)); }), 1);
  std::free(memory);
}

// Runs a call twice under the counter: the very first one must not allocate either.
template <class Call>
void expect_quiet(const char* what, Call call) {
  EXPECT_EQ(count_heap_calls(call), 0) << what << ", first call";
  EXPECT_EQ(count_heap_calls(call), 0) << what << ", second call";
}

using NoForces = std::span<const Force<double>>;

// Kinematics, inverse and forward dynamics, mass matrix and factor, implicit diagonal, wrenches.
void expect_dynamics_without_heap(const Model& model) {
  Workbench w = test::make_workbench(model, 1), fresh(model);
  const VectorXd zero = VectorXd::Zero(model.nv);
  const VectorXd diagonal = VectorXd::Constant(model.nv, 0.1);
  VectorXd tau = VectorXd::Ones(model.nv), vdot = tau, x = tau;
  const test::Wrenches wrenches(model.nbody);
  MassFactor factor(model);
  Workbench& f = fresh;
  expect_quiet("update_kinematics", [&] { update_kinematics(model, in(w.q), f.kin); });
  expect_quiet("update_velocities", [&] { update_velocities(model, f.kin, in(w.v), f.vel); });
  expect_quiet("update_inertias", [&] { update_inertias(model, f.kin, f.inertias); });
  expect_quiet("calc_inverse_dynamics", [&] {
    calc_inverse_dynamics(model, f.gravity, f.kin, f.inertias, f.vel, in(zero), NoForces(wrenches),
                          f.newton_euler, out(tau));
  });
  expect_quiet("update_mass_matrix", [&] { update_mass_matrix(model, f.kin, f.inertias, f.mass); });
  expect_quiet("update_mass_factor",
               [&] { update_mass_factor(model, f.mass.M, in(diagonal), factor); });
  expect_quiet("solve_mass", [&] { solve_mass(model, factor, out(x)); });
  expect_quiet("update_articulated",
               [&] { update_articulated(model, f.kin, f.inertias, in(diagonal), f.art); });
  expect_quiet("calc_forward_dynamics", [&] {
    calc_forward_dynamics(model, f.gravity, f.kin, f.inertias, f.vel, f.art, in(tau),
                          NoForces(wrenches), f.forward, out(vdot));
  });
  expect_quiet("apply_inverse_mass", [&] {
    apply_inverse_mass(model, f.kin, f.art, in(tau), NoForces(), f.forward, out(vdot));
  });
}

// Points, frames, momentum, energy, derivatives, mimics.
void expect_analysis_without_heap(const Model& model) {
  Workbench w = test::make_workbench(model, 2);
  std::vector<Motion<double>> A(model.nbody);
  Eigen::Matrix3Xd J3(3, model.nv);
  Matrix6X J6(6, model.nv);
  Centroidal centroidal(model);
  const BodyIndex tip(model.nbody - 1);
  const Vec3d p(0.1, 0.2, 0.3);
  expect_quiet("calc_accelerations", [&] { calc_accelerations(model, w.kin, w.vel, {}, A); });
  expect_quiet("calc_position", [&] { (void)w.kin.calc_position(model, tip, p); });
  expect_quiet("calc_point_velocity", [&] { (void)calc_point_velocity(w.kin, w.vel, tip, p); });
  expect_quiet("calc_point_acceleration",
               [&] { (void)calc_point_acceleration(w.kin, w.vel, A, tip, p); });
  expect_quiet("calc_point_jacobian", [&] { calc_point_jacobian(model, w.kin, tip, p, J3); });
  expect_quiet("calc_frame_jacobian", [&] { calc_frame_jacobian(model, w.kin, tip, p, J6); });
  expect_quiet("update_centroidal",
               [&] { update_centroidal(model, w.kin, w.inertias, w.vel, centroidal); });
  expect_quiet("calc_momentum_bias", [&] {
    (void)calc_momentum_bias(model, w.kin, w.inertias, w.vel, A, centroidal.com);
  });
  expect_quiet("calc_kinetic_energy",
               [&] { (void)calc_kinetic_energy(model, w.inertias, w.vel, in(w.v)); });
  expect_quiet("calc_potential_energy",
               [&] { (void)calc_potential_energy(model, w.gravity, w.kin, w.inertias); });

  DerivativesWork work(model);
  MassFactor factor(model);
  update_mass_factor(model, w.calc_mass_matrix(), {}, factor);
  MatrixXd by_q(model.nv, model.nv), by_v = by_q, by_tau = by_q;
  VectorXd vdot = VectorXd::Ones(model.nv), q = w.q, v = w.v;
  expect_quiet("calc_inverse_dynamics_derivatives", [&] {
    calc_inverse_dynamics_derivatives(model, w.gravity, in(q), in(v), in(vdot), work, by_q, by_v);
  });
  expect_quiet("calc_forward_dynamics_derivatives", [&] {
    calc_forward_dynamics_derivatives(model, w.gravity, in(q), in(v), in(vdot), factor, work, by_q,
                                      by_v, by_tau);
  });

  MimicWork mimic(model);
  update_articulated(model, w.kin, w.inertias, {}, w.art);
  expect_quiet("apply_mimics", [&] {
    apply_mimics(model, w.kin, w.art, in(v), 1e-3, w.forward, mimic, out(vdot));
  });
  expect_quiet("set_mimic_positions", [&] { set_mimic_positions(model, out(q)); });
  expect_quiet("set_mimic_velocities", [&] { set_mimic_velocities(model, out(v)); });
}

// Both integrators, with forward dynamics inside.
void expect_integrators_without_heap(const Model& model) {
  Workbench w = test::make_workbench(model, 3);
  IntegratorWork work(model);
  VectorXd q = w.q, v = w.v;
  const VectorXd tau = VectorXd::Zero(model.nv);
  const auto accelerate = [&](std::span<const double> q_now, std::span<const double> v_now,
                              std::span<double> vdot) {
    update_kinematics(model, q_now, w.kin);
    update_velocities(model, w.kin, v_now, w.vel);
    update_inertias(model, w.kin, w.inertias);
    update_articulated(model, w.kin, w.inertias, {}, w.art);
    calc_forward_dynamics(model, w.gravity, w.kin, w.inertias, w.vel, w.art, in(tau), NoForces(),
                          w.forward, vdot);
  };
  expect_quiet("step_semi_implicit",
               [&] { step_semi_implicit(model, 1e-4, accelerate, out(q), out(v), work); });
  expect_quiet("step_rk4", [&] { step_rk4(model, 1e-4, accelerate, out(q), out(v), work); });
}

// Contact sets grow on their first use; any later set that is no larger must not.
void expect_contacts_without_heap(const Model& model) {
  Workbench w = test::make_workbench(model, 4);
  update_articulated(model, w.kin, w.inertias, {}, w.art);
  kernel::Random random(4100);
  ContactSet contacts(model);
  Delassus<double> delassus(model);
  DirectDelassus direct(model);
  const auto run = [&](const test::Points& points) {
    contacts.set(model, points);
    update_points(model, w.kin, contacts, delassus);
    for (DelassusMethod method : kDelassusMethods) {
      if (method == DelassusMethod::kDirect)
        update_lambda_direct(model, w.kin, w.inertias, {}, contacts, direct, delassus);
      else
        update_lambda(method, model, w.kin, w.art, contacts, delassus);
    }
    for (DelassusMethod method :
         {DelassusMethod::kChangKhatib, DelassusMethod::kSixPerBody, DelassusMethod::kSkeleton})
      update_omega(method, model, w.kin, w.art, contacts, delassus);
  };
  test::Points largest;  // every body, twice: no later set has more points, bodies or nodes
  for (int body = 1; body < model.nbody; ++body)
    for (int n = 0; n < 2; ++n) largest.push_back(test::make_contact(random, body));
  run(largest);
  for (int count : {2 * model.nbody - 2, 1, 0, 4, 8}) {
    const test::Points points =
        test::make_contacts(random, model, std::min(count, 2 * model.nbody - 2));
    EXPECT_EQ(count_heap_calls([&] { run(points); }), 0) << count << " points";
  }
}

// As many points as before, but on other bodies and longer paths: there is room for them.
TEST(NoHeap, WhenContactsMoveToOtherBodies) {
  for (int seed = 0; seed < 20; ++seed) {
    const Model model = test::make_forest(seed);
    kernel::Random random(4150 + seed);
    ContactSet contacts(model);
    contacts.set(model, test::Points(8, test::make_contact(random, 1)));
    Workbench w = test::make_workbench(model, seed);
    update_articulated(model, w.kin, w.inertias, {}, w.art);
    Delassus<double> delassus(model);
    update_points(model, w.kin, contacts, delassus);
    const test::Points spread = test::make_contacts(random, model, 8);
    expect_quiet("a contact set spread over the bodies", [&] {
      contacts.set(model, spread);
      update_points(model, w.kin, contacts, delassus);
      update_lambda(DelassusMethod::kSkeleton, model, w.kin, w.art, contacts, delassus);
    });
  }
}

void expect_no_heap(const Model& model) {
  SCOPED_TRACE(model.name);
  expect_dynamics_without_heap(model);
  expect_analysis_without_heap(model);
  expect_integrators_without_heap(model);
  expect_contacts_without_heap(model);
}

TEST(NoHeap, AfterConstructionOnRandomForests) {
  for (int seed = 0; seed < 20; ++seed) expect_no_heap(test::make_forest(seed));
}

TEST(NoHeap, AfterConstructionOnALongChain) { expect_no_heap(model::make_chain(100)); }

class NoHeapOnRobot : public test::RobotTest {};
TEST_P(NoHeapOnRobot, AfterConstruction) { expect_no_heap(model()); }
INSTANTIATE_TEST_SUITE_P(Robots, NoHeapOnRobot, testing::ValuesIn(test::kRobotNames),
                         test::robot_name);

}  // namespace
}  // namespace stance::dynamics
