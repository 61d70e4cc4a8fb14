// Bodies held by springs and dampers that are taken at the end of the step (H11, A16).

#include "stance/sim/drag.h"

#include <cmath>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "stance/dynamics/crba.h"
#include "stance/dynamics/jacobian.h"
#include "stance/kernel/random.h"
#include "stance/sim/outside.h"
#include "stance/sim/scene_builder.h"
#include "stance/sim/step.h"

#include "mechanisms.h"
#include "support/random_forest.h"

namespace stance::sim {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using kernel::Mat3d;

// A scene that is stepped with one drag.
struct Held {
  Held(Scene scene_in, double stiffness)
      : scene(std::move(scene_in)), scratch(scene.world), forces(scene.world), drive(scene.world) {
    drag.body = scene.bodies[0], drag.stiffness = stiffness;
  }

  StepReport step(double h) {
    forces.update({scene.world, scene.start, update_start(scene.world, scene.start, scratch), h},
                  {&drag, 1});
    drive.wrenches.assign(1, drag.wrench);
    return sim::step(scene.world, drive.input(), h, scene.start, scratch);
  }
  const Vec3d& force() const { return scratch.pushes[0].force; }

  Scene scene;
  Scratch scratch;
  DragForces forces;
  Drive drive;
  Drag drag{};
};

Scene make_ball(double mass) {
  SceneBuilder builder("ball");
  builder.add_body({.name = "ball", .shape = collision::make_sphere(0.05), .mass = mass});
  return builder.build();
}

// m v' = K (x_t - x) + D (v_t - v) at the end of the step, D = sqrt(2 m K): a recursion by hand.
TEST(Drag, IsTheImplicitSpringAndDamper) {
  const double m = 0.7, k = 900.0, h = 1e-3, d = std::sqrt(2.0 * m * k);
  Held held(make_ball(m), k);
  held.scene.world.gravity = {};
  held.drag.target = {0.1, -0.2, 0.3}, held.drag.velocity = {0.5, 0.0, -0.1};
  double x[3] = {}, v[3] = {};
  for (int n = 0; n < 200; ++n) {
    ASSERT_EQ(held.step(h).status, kStepFine);
    for (int i = 0; i < 3; ++i) {
      const double pull =
          k * (held.drag.target[i] + h * held.drag.velocity[i] - x[i]) + d * held.drag.velocity[i];
      v[i] = (m * v[i] + h * pull) / (m + h * d + h * h * k);
      x[i] += h * v[i];
    }
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(held.scene.start.v[3 + i], v[i], 1e-12);
    held.drag.target += h * held.drag.velocity;
  }
}

// Released from a stretch, against the closed form of a swing with damping 1/sqrt(2): the error
// halves with the step.
TEST(Drag, ConvergesToTheExactSwing) {
  const double m = 1.0, k = 100.0, w = std::sqrt(k / m), end = 0.3;
  const auto calc_error = [&](double h) {
    Held held(make_ball(m), k);
    held.scene.world.gravity = {};
    held.drag.target = {1.0, 0.0, 0.0};
    for (int n = 0; n < std::lround(end / h); ++n) (void)held.step(h);
    const double a = w / std::sqrt(2.0);
    const double exact = 1.0 - std::exp(-a * end) * (std::cos(a * end) + std::sin(a * end));
    const Vec3d p = [&] {
      dynamics::Kinematics<double> kin(held.scene.world.model);
      update_kinematics(held.scene.world.model, std::span<const double>(held.scene.start.q), kin);
      return kin.calc_position(held.scene.world.model, held.drag.body, Vec3d());
    }();
    return std::abs(p[0] - exact);
  };
  const double coarse = calc_error(1e-3), fine = calc_error(5e-4);
  EXPECT_LT(coarse, 3e-3);
  EXPECT_NEAR(coarse / fine, 2.0, 0.1);
}

// 1e7 N/m on a gram at 1 ms (h^2 k / m = 1e4): held still within its weight, never gains energy.
TEST(Drag, NoSpringIsTooStiff) {
  for (const double h : {1e-4, 1e-3, 1e-2}) {
    Held held(make_ball(1e-3), 1e7);
    held.drag.target = {0.01, 0.0, 0.0};
    double worst = 0.0;
    for (int n = 0; n < 2000; ++n) {
      ASSERT_EQ(held.step(h).status, kStepFine);
      worst = std::max(worst, std::abs(held.scene.start.v[3]) * h);
    }
    EXPECT_LE(worst, 0.0101) << h;  // it goes there and no further
    EXPECT_NEAR(held.force()[2], 9.81e-3, 1e-9) << h;
    EXPECT_NEAR(norm(Vec3d(held.scene.start.v[3], held.scene.start.v[4], held.scene.start.v[5])),
                0.0, 1e-9)
        << h;
  }
}

// A spring at rest carries the weight (H12) and stretches by m g / k.
TEST(Drag, StretchesByTheWeight) {
  Held held(make_ball(2.0), 1000.0);
  for (int n = 0; n < 5000; ++n) (void)held.step(1e-3);
  EXPECT_NEAR(held.force()[2], 2.0 * 9.81, 1e-9);
  EXPECT_NEAR(held.drag.position[2], -2.0 * 9.81 / 1000.0, 1e-9);
}

// The account of energy has the work of what acted, so what is left is the integrator's error.
TEST(Drag, ItsWorkIsBooked) {
  const auto calc_error = [](double h) {
    Held held(make_ball(1.0), 400.0);
    held.drag.target = {0.3, 0.1, 0.2};
    StepReport report;
    for (int n = 0; n < std::lround(0.5 / h); ++n) report = held.step(h);
    EXPECT_GT(std::abs(held.scene.start.energy.input), 1.0);
    return std::abs(report.energy_error);
  };
  const double coarse = calc_error(1e-3), fine = calc_error(5e-4);
  EXPECT_LT(coarse, 0.01);
  EXPECT_LT(fine, 0.55 * coarse);
}

// Random trees, any joints: (M + h J^T C J + h J_w^T T J_w) dv = h (tau - bias + J^T F), by dense
// matrices, is what the articulated bodies give.
TEST(Drag, AddsToTheMassMatrix) {
  kernel::Random random(11);
  const auto draw = [&] { return random.uniform(-1.0, 1.0); };
  const auto draw_vector = [&] { return Vec3d(draw(), draw(), draw()); };
  const auto draw_matrix = [&](double size) {
    Eigen::Matrix3d a;
    for (int k = 0; k < 9; ++k) a(k) = draw();
    return Mat3d(Eigen::Matrix3d(size * a * a.transpose()));
  };
  for (int trial = 0; trial < 40; ++trial) {
    const double h = 1e-3;
    const World world{test::make_forest(trial), {}};
    const model::Model& model = world.model;
    State x(world);
    for (double& v : x.v) v = draw();
    const VectorXd q = test::make_coordinates(random, model);
    x.q.assign(q.begin(), q.end());

    Drive drive(world);
    for (int k = 0; k < 2; ++k) {
      PointWrench pull{model::BodyIndex(1 + (5 * k + trial) % (model.nbody - 1)), draw_vector(),
                       draw_vector(), draw_vector()};
      pull.damping = draw_matrix(1e3), pull.turn_damping = draw_matrix(10.0);
      drive.wrenches.push_back(pull);
    }
    const State start = x;
    Scratch s(world);
    ASSERT_EQ(step(world, drive.input(), h, x, s).status, kStepFine);

    // the same by dense matrices
    dynamics::MassMatrix<double> mass(model);
    update_mass_matrix(model, s.start.kin(), s.start.inertias(), mass);
    MatrixXd A = mass.M;
    VectorXd right(model.nv), zero = VectorXd::Zero(model.nv);
    dynamics::NewtonEuler<double> work(model);
    // gyroscopic forces of loose bodies are those of the mean velocity
    calc_inverse_dynamics(model, world.gravity, s.start.kin(), s.start.inertias(), s.mean,
                          std::span<const double>(zero.data(), zero.size()),
                          std::span<const kernel::Force<double>>(), work,
                          std::span<double>(right.data(), right.size()));
    right = -right;
    for (int k = 0; k < model.nv; ++k) {
      A(k, k) += h * model.damping[k];
      right[k] -= model.damping[k] * start.v[k];
    }
    for (const PointWrench& pull : drive.wrenches) {
      Eigen::Matrix<double, 6, Eigen::Dynamic> J(6, model.nv);
      calc_frame_jacobian(model, s.start.kin(), pull.body, pull.p_BP, J);
      A += h * J.bottomRows<3>().transpose() * pull.damping.eigen() * J.bottomRows<3>();
      A += h * J.topRows<3>().transpose() * pull.turn_damping.eigen() * J.topRows<3>();
      right += J.bottomRows<3>().transpose() * pull.force.eigen() +
               J.topRows<3>().transpose() * pull.torque.eigen();
    }
    const VectorXd dv = h * A.ldlt().solve(right);
    double worst = 0.0;
    for (int k = 0; k < model.nv; ++k)
      worst = std::max(worst, std::abs(x.v[k] - start.v[k] - dv[k]));
    EXPECT_LT(worst, 1e-9 * (1.0 + dv.lpNorm<Eigen::Infinity>())) << "trial " << trial;

    // what acted is what was given less what the change of velocity took
    for (std::size_t k = 0; k < drive.wrenches.size(); ++k) {
      const PointWrench& pull = drive.wrenches[k];
      Eigen::Matrix<double, 6, Eigen::Dynamic> J(6, model.nv);
      calc_frame_jacobian(model, s.start.kin(), pull.body, pull.p_BP, J);
      const Eigen::Vector3d force =
          pull.force.eigen() - pull.damping.eigen() * (J.bottomRows<3>() * dv);
      EXPECT_LT((s.pushes[k].force.eigen() - force).norm(), 1e-7 * (1.0 + force.norm()));
    }
  }
}

// A block held down on a floor by a stiff spring: the floor carries weight and spring, and the
// problem's own grade stays below its tolerance.
TEST(Drag, ContactsFeelTheHand) {
  SceneBuilder builder("block");
  builder.add_fixed(collision::make_plane(), {});
  builder.add_body({.name = "block",
                    .shape = collision::make_box({0.05, 0.05, 0.05}),
                    .pose = {.p = {0.0, 0.0, 0.05}}});
  Held held(builder.build(), 1e6);
  held.drag.target = {0.0, 0.0, 0.05 - 1e-4};  // 100 N
  StepReport report;
  for (int n = 0; n < 500; ++n) report = held.step(1e-3);
  EXPECT_EQ(report.status, kStepFine);
  double up = 0.0;
  for (const contact::PointContact& contact : held.scratch.contact.contacts) up += contact.p[0];
  EXPECT_NEAR(up / 1e-3, 109.81, 1e-3);
  EXPECT_NEAR(held.force()[2], -100.0, 1e-3);
}

// The tip of a rod on a hinge can move along one axis only: the damper is that of the mass felt
// there and none along the others, which rounding must not take for very heavy.
TEST(Drag, DampsOnlyWhatCanMove) {
  test::Runner arm(test::make_arm({}));
  DragForces forces(arm.scene.world);
  Drag drag{};
  drag.body = model::BodyIndex(1), drag.p_B = {1.0, 0.3, 0.2}, drag.stiffness = 600.0;
  const double felt = 1.0 / 3.0 / (1.0 + 0.2 * 0.2);  // kg
  for (int k = 0; k < 200; ++k) {
    arm.state.q[0] = 0.03 * k;
    forces.update(
        {arm.scene.world, arm.state, update_start(arm.scene.world, arm.state, arm.scratch), 1e-3},
        {&drag, 1});
    const Eigen::Matrix3d damper = drag.damper.eigen();
    EXPECT_NEAR(damper.trace(), std::sqrt(2.0 * felt * 600.0), 1e-6);
    EXPECT_NEAR(damper.norm(), damper.trace(), 1e-6);  // of rank one
  }
}

// The body turns to the wanted orientation and stays there, at any stiffness.
TEST(Drag, TurnsToAnOrientation) {
  for (const double turning : {1.0, 1e4}) {
    Held held(make_ball(1.0), 1000.0);
    held.scene.world.gravity = {};
    held.drag.turning = turning;
    held.drag.R_target = kernel::make_rotation(kernel::exp_quat(Vec3d(0.3, -0.8, 1.1)));
    for (int n = 0; n < 3000; ++n) ASSERT_EQ(held.step(1e-3).status, kStepFine);
    dynamics::Kinematics<double> kin(held.scene.world.model);
    update_kinematics(held.scene.world.model, std::span<const double>(held.scene.start.q), kin);
    const Eigen::Matrix3d rest =
        kin.R_WB[held.drag.body].eigen() * held.drag.R_target.eigen().transpose();
    EXPECT_LT((rest - Eigen::Matrix3d::Identity()).norm(), 1e-6) << turning;
  }
}

}  // namespace
}  // namespace stance::sim
