// Controllers against closed forms, on the step's own grid and in the limit of small steps.

#include <cmath>
#include <complex>

#include <gtest/gtest.h>

#include "stance/sim/channel.h"
#include "stance/sim/controllers.h"

#include "heap_counter.h"
#include "mechanisms.h"
#include "simulation.h"

namespace stance::sim {
namespace {

using control::Interpolation;
using control::Trajectory;
using test::make_arm;

// A scene with controllers.
struct Controlled {
  Controlled(Scene made, const Drive& base, Actuation::Controllers controllers)
      : scene(std::move(made)),
        state(scene.start),
        scratch(scene.world),
        actuation(scene.world, base, std::move(controllers)) {
    actuation.start(scene.world, state);
  }
  StepReport step(double h) {
    return sim::step(scene.world, actuation.update(scene.world, h, state, scratch), h, state,
                     scratch);
  }

  Scene scene;
  State state;
  Scratch scratch;
  Actuation actuation;
};

// ---- trajectories -----------------------------------------------------------------------------

TEST(Trajectory, GoesThroughItsKeyframes) {
  const std::vector<double> times = {0.0, 0.5, 2.0, 2.1}, values = {0, 5, 1, 4, -2, 3, 0.5, 2};
  for (const Interpolation how : {Interpolation::kMinimumJerk, Interpolation::kCubic}) {
    const Trajectory trajectory(times, values, how);
    double at[2], before[2], after[2];
    for (std::size_t k = 0; k < times.size(); ++k) {
      trajectory.sample(times[k], at);
      trajectory.sample(times[k] - 1e-7, before), trajectory.sample(times[k] + 1e-7, after);
      for (int c = 0; c < 2; ++c) {
        EXPECT_NEAR(at[c], values[2 * k + c], 1e-15);
        // smooth: the same slope on both sides, none for minimum jerk
        const double left = (at[c] - before[c]) / 1e-7, right = (after[c] - at[c]) / 1e-7;
        EXPECT_NEAR(left, right, 1e-3);
        if (how == Interpolation::kMinimumJerk) {
          EXPECT_NEAR(left, 0.0, 1e-6);
        }
      }
    }
    trajectory.sample(-1.0, at);
    EXPECT_EQ(at[0], 0.0);
    trajectory.sample(9.0, at);
    EXPECT_EQ(at[1], 2.0);
  }
}

// Cubic is exact for a parabola's inner pieces, minimum jerk has its textbook middle and speed.
TEST(Trajectory, HasItsClosedForms) {
  const Trajectory parabola({0, 1, 2, 3, 4}, {0, 1, 4, 9, 16}, Interpolation::kCubic);
  double at[1];
  for (const double t : {1.25, 1.5, 2.2, 2.9}) {
    parabola.sample(t, at);
    EXPECT_NEAR(at[0], t * t, 1e-14);
  }
  const Trajectory jerk({1, 3}, {10, 14}, Interpolation::kMinimumJerk);
  jerk.sample(2.0, at);
  EXPECT_NEAR(at[0], 12.0, 1e-14);
  double next[1];
  jerk.sample(2.0 + 1e-6, next);
  EXPECT_NEAR((next[0] - at[0]) / 1e-6, 1.875 * 4.0 / 2.0, 1e-5);  // peak: 15/8 of the mean
  const Trajectory line({1, 3, 4}, {10, 14, 13}, Interpolation::kLinear);
  for (const double t : {0.5, 1.0, 1.3, 2.9, 3.0, 3.6, 7.0}) {
    line.sample(t, at);
    const double closed = t < 1.0 ? 10.0 : t < 3.0 ? 8.0 + 2.0 * t : t < 4.0 ? 17.0 - t : 13.0;
    EXPECT_NEAR(at[0], closed, 1e-14) << t;
  }
}

TEST(Trajectory, RefusesWhatIsNone) {
  EXPECT_THROW(Trajectory({}, {}, Interpolation::kCubic), Error);
  EXPECT_THROW(Trajectory({0, 0}, {1, 2}, Interpolation::kCubic), Error);
  EXPECT_THROW(Trajectory({0, 1}, {1, 2, 3}, Interpolation::kCubic), Error);
  EXPECT_THROW(Trajectory({0, 1}, {1, NAN}, Interpolation::kCubic), Error);
}

// ---- computed torque --------------------------------------------------------------------------

Scene make_double_arm() {
  SceneBuilder builder("arms");
  RobotSpec robot;
  for (int k = 0; k < 2; ++k) {
    const std::string name = k == 0 ? "upper" : "lower";
    robot.parts.add_link({.name = name,
                          .mass = 1.0 + k,
                          .com = {0.25, 0.0, 0.0},
                          .inertia = Eigen::Vector3d(0.01, 0.03, 0.03).asDiagonal()});
    model::JointSpec hinge;
    hinge.name = name + "_hinge", hinge.type = model::JointType::kRevolute, hinge.child = name;
    hinge.axis = k == 0 ? Eigen::Vector3d::UnitY() : Eigen::Vector3d(0.0, 1.0, 1.0);
    hinge.damping = 0.3, hinge.rotor_inertia = 0.05;
    if (k == 1) hinge.parent = "upper", hinge.p_PJ = Eigen::Vector3d(0.5, 0.0, 0.0);
    robot.parts.add_joint(hinge);
  }
  builder.add_robot(robot);
  return builder.build();
}

std::shared_ptr<Controller> make_tracker(const Scene& scene, const Trajectory& trajectory) {
  return std::make_shared<ComputedTorque>(
      scene.world, Reference(scene.world, scene.start, {0, 1}, trajectory), 100.0, 20.0);
}

TEST(ComputedTorque, StaysOnASmoothReferenceToRounding) {
  const Trajectory trajectory({0, 1, 2}, {0, 0, 2, -1, -1, 1.5}, Interpolation::kMinimumJerk);
  for (const double h : {1e-2, 1e-3}) {
    const Scene scene = make_double_arm();
    Controlled c(scene, Drive(scene.world), {make_tracker(scene, trajectory)});
    double wanted[2], worst = 0.0;
    for (int n = 0; n < std::lround(2.5 / h); ++n) {
      ASSERT_EQ(c.step(h).status, kStepFine);
      trajectory.sample(c.state.time, wanted);
      for (int k = 0; k < 2; ++k) worst = std::max(worst, std::abs(c.state.q[k] - wanted[k]));
    }
    EXPECT_LT(worst, 1e-11) << h;
  }
}

// An error at the start vanishes as e'' + 20 e' + 100 e = 0, e = e0 (1 + 10 t) exp(-10 t), to first
// order in h.
TEST(ComputedTorque, ErrorsDieOutAsTheGainsSay) {
  const Trajectory trajectory({0, 1, 2}, {0, 0, 2, -1, -1, 1.5}, Interpolation::kMinimumJerk);
  const auto measure = [&](double h) {
    Scene scene = make_double_arm();
    scene.start.q[0] = 0.1;
    Controlled c(scene, Drive(scene.world), {make_tracker(scene, trajectory)});
    for (int n = 0; n < std::lround(0.2 / h); ++n) (void)c.step(h);
    double wanted[2];
    trajectory.sample(c.state.time, wanted);
    return c.state.q[0] - wanted[0] - 0.1 * 3.0 * std::exp(-2.0);
  };
  const double coarse = measure(2e-3), fine = measure(1e-3), finest = measure(5e-4);
  EXPECT_LT(std::abs(finest), 2e-4);
  EXPECT_NEAR(coarse / fine, 2.0, 0.1);
  EXPECT_NEAR(fine / finest, 2.0, 0.1);
}

TEST(GravityCompensation, HoldsAnArmAtRestAnywhere) {
  Scene scene = make_double_arm();
  scene.start.q[0] = 0.7, scene.start.q[1] = -1.1;
  Controlled c(scene, Drive(scene.world),
               {std::make_shared<GravityCompensation>(scene.world, std::vector<int>{0, 1})});
  for (int n = 0; n < 1000; ++n) (void)c.step(1e-3);
  EXPECT_NEAR(c.state.q[0], 0.7, 1e-12);
  EXPECT_NEAR(c.state.q[1], -1.1, 1e-12);
}

// ---- admittance (A17) -------------------------------------------------------------------------

TEST(JointAdmittance, MovesAsItsMassAndDamping) {
  const double mass = 2.0, damping = 4.0, torque = 1.5;
  const auto run = [&](double h, double& q, double& v) {
    const Scene scene = make_arm({.gravity = 0.0});
    Drive base(scene.world);
    base.stiffness[0] = 1e7, base.damping[0] = 1e4;
    const PointWrench push{model::BodyIndex(1), {1.0, 0.0, 0.0}, {0.0, 0.0, -torque}, {}};
    Controlled c(scene, base,
                 {std::make_shared<Push>(push, 0.0, 1e9),
                  std::make_shared<JointAdmittance>(scene.world, std::vector<int>{0},
                                                    std::vector<double>{mass},
                                                    std::vector<double>{damping})});
    const int steps = static_cast<int>(std::lround(0.2 / h));
    for (int n = 0; n < steps; ++n) (void)c.step(h);
    q = c.state.memory.values[0], v = c.state.memory.values[1];
    EXPECT_NEAR(c.state.q[0], q, 1e-4);  // the arm follows
    return steps;
  };
  // on the grid: v_n = torque c / damping (1 - (1 + h damping / mass)^-n), where the lever arm
  // changes little; in the limit of small steps the exponential
  double q = 0.0, v = 0.0;
  const double h = 1e-3;
  const int steps = run(h, q, v);
  const double t = steps * h, exact = torque / damping * (1.0 - std::exp(-damping * t / mass));
  EXPECT_NEAR(v, exact, 1e-3);
  EXPECT_NEAR(q, torque / damping * (t - mass / damping * (1.0 - std::exp(-damping * t / mass))),
              1e-4);
  double q_fine = 0.0, v_fine = 0.0;
  run(0.5 * h, q_fine, v_fine);
  double q_finer = 0.0, v_finer = 0.0;
  run(0.25 * h, q_finer, v_finer);
  EXPECT_NEAR((v - v_fine) / (v_fine - v_finer), 2.0, 0.05);
}

// A plate of 3 kg on a slide rests on the tip of the arm, which gives way: (mass + 3 l^2) a +
// damping v = 3 g l while it is nearly level. Without a skin it does not move.
TEST(JointAdmittance, GivesWayToWhatTouchesItWhereAsked) {
  SceneBuilder builder("skin");
  builder.set_material(0, {.friction = 0.0});
  RobotSpec arm, plate;
  arm.parts.add_link({.name = "arm", .mass = 1.0, .inertia = Eigen::Matrix3d::Identity()});
  model::JointSpec hinge;
  hinge.name = "hinge", hinge.type = model::JointType::kRevolute, hinge.child = "arm";
  hinge.axis = Eigen::Vector3d::UnitY();
  arm.parts.add_joint(hinge);
  arm.shapes.push_back({"arm", collision::make_sphere(0.05), {.p = {0.5, 0.0, 0.0}}});
  plate.parts.add_link({.name = "plate", .mass = 3.0, .inertia = Eigen::Matrix3d::Identity()});
  model::JointSpec slide;
  slide.name = "slide", slide.type = model::JointType::kPrismatic, slide.child = "plate";
  slide.axis = Eigen::Vector3d::UnitZ(), slide.p_PJ = {0.5, 0.0, 0.1};
  plate.parts.add_joint(slide);
  plate.shapes.push_back({"plate", collision::make_box({0.5, 0.5, 0.05}), {}});
  builder.add_robot(arm), builder.add_robot(plate);
  const Scene scene = builder.build();
  const int k = scene.world.model.v_start[scene.world.model.find_joint("hinge")];
  for (const bool feels : {false, true}) {
    Drive base(scene.world);
    base.stiffness[k] = 1e7, base.damping[k] = 1e5;
    const double mass = 2.0, damping = 20.0, l = 0.5;
    Controlled c(scene, base,
                 {std::make_shared<JointAdmittance>(
                     scene.world, std::vector<int>{k}, std::vector<double>{mass},
                     std::vector<double>{damping}, Carried{}, feels)});
    StepReport report;
    long long calls = 0;
    const double h = 1e-3;
    for (int n = 0; n < 200; ++n) {
      report = c.step(h);
      ASSERT_EQ(report.status, kStepFine);
      const StepView view{c.scene.world, c.state, c.scratch, c.actuation.input(), report, h};
      const auto watch = [&] { c.actuation.watch(view, c.state); };
      n < 5 ? watch() : void(calls += bench::count_heap_calls(watch));
    }
    EXPECT_EQ(calls, 0);
    const double all = mass + 3.0 * l * l, final = 3.0 * 9.81 * l / damping;
    const double expected = final * (1.0 - std::exp(-damping * 0.2 / all));
    EXPECT_NEAR(c.state.v[k], feels ? expected : 0.0, feels ? 0.01 * expected : 1e-4);
  }
}

// ---- memory -----------------------------------------------------------------------------------

// All that a controller remembers is in the State: a copy goes on bit for bit, with fresh
// controllers and scratch, and a step asks for no memory.
TEST(Actuation, GoesOnFromACopyOfTheState) {
  const auto make = [] {
    const Scene scene = make_arm({.rotor = 0.1});
    Drive base(scene.world);
    base.stiffness[0] = 1e3, base.damping[0] = 50.0, base.limit[0] = 6.0;
    const PointWrench push{model::BodyIndex(1), {1.0, 0.0, 0.0}, {0.0, 0.0, 8.0}, {}};
    return Controlled(
        scene, base,
        {std::make_shared<Push>(push, 0.1, 0.6),
         std::make_shared<JointAdmittance>(scene.world, std::vector<int>{0},
                                           std::vector<double>{1.0}, std::vector<double>{2.0})});
  };
  Controlled whole = make(), parts = make();
  for (int n = 0; n < 500; ++n) (void)whole.step(1e-3);
  parts.state = whole.state;
  int saturated = 0;
  const long long calls = bench::count_heap_calls([&] {
    for (int n = 0; n < 500; ++n) {
      (void)whole.step(1e-3);
      saturated += whole.state.at_limit[0] != 0;
    }
  });
  for (int n = 0; n < 500; ++n) (void)parts.step(1e-3);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(whole.state.q, parts.state.q);
  EXPECT_EQ(whole.state.v, parts.state.v);
  EXPECT_EQ(whole.state.memory, parts.state.memory);
}

// ---- flexible joints (A25) --------------------------------------------------------------------

// A link on a spring behind a motor that is held: frequency and damping of k / I and d / I. The
// step's own are the roots of z^2 (I + h d + h^2 k) - z (2 I + h d) + I = 0.
TEST(FlexibleJoint, SwingsWithTheFrequencyAndDampingOfItsSpring) {
  const double inertia = 1.0 / 3.0, k = 400.0, d = 2.0, h = 1e-4;
  SceneBuilder builder("flexible");
  builder.set_gravity({0.0, 0.0, 0.0});
  RobotSpec robot;
  robot.parts.add_link({.name = "arm",
                        .mass = 1.0,
                        .com = {0.5, 0.0, 0.0},
                        .inertia = Eigen::Vector3d(1e-9, 1.0 / 12.0, 1.0 / 12.0).asDiagonal()});
  model::JointSpec hinge;
  hinge.name = "hinge", hinge.type = model::JointType::kRevolute, hinge.child = "arm";
  hinge.axis = Eigen::Vector3d::UnitY(), hinge.rotor_inertia = 0.01;
  robot.parts.add_joint(hinge);
  EXPECT_EQ(robot.parts.make_flexible("hinge", {}), std::vector<std::string>{"hinge_flex"});
  builder.add_robot(robot);
  test::Runner r(builder.build());
  ASSERT_EQ(r.scene.world.model.nv, 2);
  const int motor = r.scene.world.model.v_start[r.scene.world.model.find_joint("hinge")];
  const int flex = r.scene.world.model.v_start[r.scene.world.model.find_joint("hinge_flex")];
  r.drive.stiffness[motor] = 1e12;
  r.drive.stiffness[flex] = k, r.drive.damping[flex] = d;
  r.state.q[flex] = 0.1;

  // crossings of zero, and the peaks between
  std::vector<double> crossings, peaks;
  double last = 0.1, peak = 0.0;
  while (crossings.size() < 9) {
    ASSERT_EQ(r.step(h).status, kStepFine);
    const double q = r.state.q[flex];
    peak = std::max(peak, std::abs(q));
    if (q * last < 0.0) {
      crossings.push_back(r.state.time - h * std::abs(q) / (std::abs(q) + std::abs(last)));
      peaks.push_back(peak), peak = 0.0;
    }
    last = q;
  }
  const double half_period = (crossings[8] - crossings[0]) / 8.0;
  const double decay = std::log(peaks[1] / peaks[8]) / 7.0 / half_period;
  const double a = inertia + h * d + h * h * k, b = 2.0 * inertia + h * d;
  const std::complex<double> z =
      (b + std::sqrt(std::complex<double>(b * b - 4.0 * a * inertia))) / (2.0 * a);
  EXPECT_NEAR(M_PI / half_period, std::arg(z) / h, 1e-3);
  EXPECT_NEAR(decay, -std::log(std::abs(z)) / h, 1e-2);
  // and these are the textbook's, to the order of h
  const double damping = d / (2.0 * inertia), omega = std::sqrt(k / inertia - damping * damping);
  EXPECT_NEAR(M_PI / half_period, omega, 0.005 * omega);
  EXPECT_NEAR(decay, damping, 0.06 * damping);
}

TEST(FlexibleJoint, NeedsAMotorThatHasInertia) {
  model::ModelBuilder parts("robot");
  parts.add_link({.name = "arm", .mass = 1.0, .inertia = Eigen::Matrix3d::Identity()});
  model::JointSpec hinge;
  hinge.name = "hinge", hinge.type = model::JointType::kRevolute, hinge.child = "arm";
  parts.add_joint(hinge);
  EXPECT_THROW(model::ModelBuilder(parts).make_flexible("hinge", {}), Error);
  EXPECT_THROW(model::ModelBuilder(parts).make_flexible("knee", {}), Error);
  EXPECT_NO_THROW(model::ModelBuilder(parts).make_flexible("hinge", {{0.0, 1.0, 0.0}}));
}

// Three springs stand in for a fixed joint; zero deflection is where the joint was.
TEST(FlexibleJoint, ReplacesAFixedOneInSeveralDirections) {
  model::ModelBuilder parts("robot");
  parts.add_link({.name = "leg", .mass = 1.0, .inertia = Eigen::Matrix3d::Identity()});
  parts.add_link({.name = "foot", .mass = 1.0, .inertia = Eigen::Matrix3d::Identity()});
  model::JointSpec weld;
  weld.name = "weld", weld.parent = "leg", weld.child = "foot";
  weld.p_PJ = Eigen::Vector3d(0.0, 0.0, -0.4);
  parts.add_joint(weld);
  parts.attach_roots(model::ModelBuilder::Base::kFree);
  const auto names = parts.make_flexible(
      "weld", {Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY(), Eigen::Vector3d::UnitZ()});
  EXPECT_EQ(names, (std::vector<std::string>{"weld_flex0", "weld_flex1", "weld_flex2"}));
  const model::Model model = parts.build();
  EXPECT_EQ(model.nv, 9);
  dynamics::Kinematics<double> kin(model);
  update_kinematics(model, std::span<const double>(model::make_neutral(model)), kin);
  const model::Frame& foot = model.frames[model.find_frame("foot")];
  EXPECT_NEAR(kin.calc_position(model, foot.body, foot.p_BF)[2], -0.4, 1e-15);
}

}  // namespace
}  // namespace stance::sim
