// Orders of convergence, measured: halve the step, and the error falls by two or by sixteen.

#include <cmath>

#include <gtest/gtest.h>

#include "stance/model/builder.h"
#include "stance/model/samples.h"

#include "support/simulate.h"
#include "support/specs.h"

namespace stance::dynamics {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;
using test::Method;
using test::Simulation;

struct Start {
  VectorXd q, v;
};

// State after `duration` as coordinates relative to the start, and velocities.
VectorXd simulate(const Model& model, const Start& start, Method method, double duration,
                  int steps) {
  Simulation sim(model, test::kGravity);
  sim.start(start.q, start.v);
  sim.run(method, duration / steps, steps);
  VectorXd end(2 * model.nv);
  model::difference(model, start.q.data(), sim.q.data(), end.data());
  end.tail(model.nv) = sim.v;
  return end;
}

// Slope of log error over log step between `coarse` and twice as many steps; the reference has
// sixteen times as many RK4 steps.
double measure_order(const Model& model, const Start& start, Method method, double duration,
                     int coarse) {
  const VectorXd exact = simulate(model, start, Method::kRk4, duration, 1600);
  const double rough = (simulate(model, start, method, duration, coarse) - exact).norm();
  const double fine = (simulate(model, start, method, duration, 2 * coarse) - exact).norm();
  // far above rounding, far below the motion itself: in the range where slopes mean something
  EXPECT_GT(fine, 1e-11);
  EXPECT_LT(rough, 1.0);
  return std::log2(rough / fine);
}

constexpr double kSlopeError = 0.3;  // the next term of the error series at these steps

void expect_orders(const Model& model, const Start& start, double duration) {
  SCOPED_TRACE(model.name);
  EXPECT_NEAR(measure_order(model, start, Method::kSemiImplicit, duration, 400), 1.0, kSlopeError);
  EXPECT_NEAR(measure_order(model, start, Method::kRk4, duration, 50), 4.0, kSlopeError);
}

TEST(IntegratorOrder, OnADoublePendulum) {
  const Model model = model::make_chain(2, {.length = 1.0, .mass = 1.0, .radius = 0.05});
  const Start start{Eigen::Vector2d(1.0, 0.5), Eigen::Vector2d(0.3, -0.7)};
  expect_orders(model, start, 1.0);
}

// Euler's top about its middle axis: it tumbles.
TEST(IntegratorOrder, OnASpinningAsymmetricBody) {
  model::ModelBuilder builder("top");
  model::LinkSpec body = test::make_link("body");
  body.inertia = Vector3d(1.0, 2.0, 2.5).asDiagonal();
  builder.add_link(body);
  builder.attach_roots(model::ModelBuilder::Base::kFree);
  const Model model = builder.build();
  Start start{VectorXd::Zero(7), VectorXd::Zero(6)};
  start.q[0] = 1.0;
  start.v << 0.2, 3.0, -0.1, 0.5, 0.0, 1.0;
  expect_orders(model, start, 1.0);
}

// A floating trunk with spherical shoulders and hips, arms that slide, and a hinge.
Model make_acrobat() {
  model::ModelBuilder builder("acrobat");
  builder.add_link(test::make_link("trunk", 3.0));
  const auto add = [&](const char* name, const char* parent, model::JointType type,
                       const Vector3d& p) {
    model::LinkSpec link = test::make_link(name);
    link.com = {0.02, 0.03, -0.2};
    link.inertia = Vector3d(0.02, 0.03, 0.04).asDiagonal();
    builder.add_link(link);
    model::JointSpec joint = test::make_joint(std::string("to_") + name, type, parent, name);
    joint.p_PJ = p;
    joint.axis = {0.6, 0.0, 0.8};
    builder.add_joint(joint);
  };
  add("arm", "trunk", model::JointType::kSpherical, {0.2, 0.0, 0.2});
  add("forearm", "arm", model::JointType::kRevolute, {0.0, 0.0, -0.4});
  add("leg", "trunk", model::JointType::kSpherical, {0.0, 0.1, -0.2});
  add("foot", "leg", model::JointType::kPlanar, {0.0, 0.0, -0.4});
  add("slider", "trunk", model::JointType::kPrismatic, {-0.1, 0.0, 0.0});
  builder.attach_roots(model::ModelBuilder::Base::kFree);
  return builder.build();
}

TEST(IntegratorOrder, OnARobotWithSphericalJoints) {
  const Model model = make_acrobat();
  kernel::Random random(42);
  const Start start{test::make_coordinates(random, model),
                    test::make_vector(random, model.nv, 2.0)};
  expect_orders(model, start, 0.3);
}

// Large turns in one step: the quaternions' own term of fourth order must be there.
TEST(IntegratorOrder, OnALockedSpinWithTurningAxis) {
  // angular velocity prescribed as a function of time through the acceleration
  model::ModelBuilder builder("ball");
  builder.add_link(test::make_link("ball"));
  builder.add_joint(test::make_joint("pivot", model::JointType::kSpherical, "", "ball"));
  const Model model = builder.build();
  const auto turn = [&](int steps) {
    IntegratorWork work(model);
    VectorXd q = VectorXd::Zero(4), v(3);
    q[0] = 1.0;
    v << 2.0, 0.0, 1.0;
    // w precesses about z with 3 rad/s: w' = 3 z x w
    const auto accelerate = [](std::span<const double>, std::span<const double> w,
                               std::span<double> wdot) {
      wdot[0] = -3.0 * w[1], wdot[1] = 3.0 * w[0], wdot[2] = 0.0;
    };
    for (int n = 0; n < steps; ++n)
      step_rk4(model, 2.0 / steps, accelerate, test::out(q), test::out(v), work);
    return q;
  };
  // closed form: R = exp(3 t z) exp(t (w0 - 3 z))
  const auto a = kernel::exp_quat(Vec3d(0.0, 0.0, 6.0));
  const auto b = kernel::exp_quat(Vec3d(4.0, 0.0, -4.0));
  const auto end = a * b;
  const Eigen::Vector4d exact(end.w, end.x, end.y, end.z);
  const double rough = (turn(40) - exact).norm(), fine = (turn(80) - exact).norm();
  EXPECT_NEAR(std::log2(rough / fine), 4.0, kSlopeError);
  EXPECT_LT(fine, 1e-4);
}

}  // namespace
}  // namespace stance::dynamics
