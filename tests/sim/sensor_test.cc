// Sensors against closed forms.

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "stance/kernel/random.h"
#include "stance/sim/sensor_kinds.h"

#include "heap_counter.h"
#include "mechanisms.h"
#include "simulation.h"

namespace stance::sim {
namespace {

using test::make_arm;
using test::Runner;

// Reads a suite after a step of the runner.
struct Bench {
  explicit Bench(Runner& runner) : r(runner), suite(runner.scene.world) {}
  void read(double h) {
    values.resize(suite.width());
    suite.read({r.scene.world, r.state, r.scratch, r.input, r.report, h}, values);
  }
  double at(const std::string& channel, int column = 0) const {
    const int first = suite.find(channel);
    return first < 0 ? NAN : values[first + column];
  }
  Vec3d three(const std::string& channel) const {
    return {at(channel, 0), at(channel, 1), at(channel, 2)};
  }

  Runner& r;
  SensorSuite suite;
  std::vector<double> values;
};

void expect_near(const Vec3d& a, const Vec3d& b, double tolerance) {
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(a[k], b[k], tolerance) << k;
}

// ---- force and torque (A22) -------------------------------------------------------------------

// f_e = -P + G (f_l + f_d) in a frame turned by 90 degrees, with a full gain matrix.
TEST(ForceTorque, FollowsTheSensorEquationInItsFrame) {
  Runner r(make_arm({}));
  r.drive.stiffness[0] = 1e8, r.drive.damping[0] = 1e6;
  const model::BodyIndex arm(1);
  const Vec3d force(3.0, 4.0, -2.0), torque(0.1, 0.0, 0.3);
  r.drive.wrenches = {{arm, {1.0, 0.0, 0.0}, force, torque}};
  ForceTorque::Options options;
  kernel::Random random(3);
  for (int i = 0; i < 6; ++i) {
    options.offset[i] = random.uniform(-1.0, 1.0);
    for (int j = 0; j < 6; ++j) options.gain(i, j) += 0.2 * random.uniform(-1.0, 1.0);
  }
  const Mount mount{arm, {make_rotation({0, 0, 1}, std::numbers::pi / 2), {1.0, 0.0, 0.0}}};
  Bench b(r);
  b.suite.add(std::make_unique<ForceTorque>(r.scene.world, "s", mount, options));
  for (int n = 0; n < 3000; ++n) (void)r.step(1e-3);
  b.read(1e-3);
  // x of the sensor is y of the world, y is -x; the arm gives way by 1e-7 rad
  const auto turn = [](const Vec3d& v) { return Vec3d(v[1], -v[0], v[2]); };
  expect_near(b.three("s/external_force"), turn(force), 1e-5);
  expect_near(b.three("s/external_torque"), turn(torque), 1e-5);
  const Vec3d weight(0.0, 0.0, -9.81), at_com(-0.5, 0.0, 0.0);
  expect_near(b.three("s/force"), turn(force + weight), 1e-5);
  expect_near(b.three("s/torque"), turn(torque + cross(at_com, weight)), 1e-5);
  // the reading: G (f_l + f_d) = f_c
  Vector6 reading, f_c;
  for (int k = 0; k < 3; ++k) {
    reading[k] = b.at("s/reading_force", k), reading[3 + k] = b.at("s/reading_torque", k);
    f_c[k] = b.at("s/force", k), f_c[3 + k] = b.at("s/torque", k);
  }
  EXPECT_LT((options.gain * (reading + options.offset) - f_c).norm(), 1e-12);
}

// While it swings freely the hinge carries the bob's weight and centripetal force, no torque.
TEST(ForceTorque, KnowsTheForcesOfMotion) {
  Runner r(make_arm({}));
  Bench b(r);
  b.suite.add(std::make_unique<ForceTorque>(r.scene.world, "s", Mount{model::BodyIndex(1), {}},
                                            ForceTorque::Options{}));
  const double h = 1e-5;
  for (int n = 0; n < 30000; ++n) (void)r.step(h);
  b.read(h);
  // along the arm: m (w^2 l/2 + g sin q); across it: 1/4 m g cos q
  const double q = r.state.q[0], w = r.state.v[0];
  EXPECT_NEAR(b.at("s/force", 0), 0.5 * w * w + 9.81 * std::sin(q), 1e-3);
  EXPECT_NEAR(b.at("s/force", 2), -0.25 * 9.81 * std::cos(q), 1e-3);
  EXPECT_NEAR(b.at("s/torque", 1), 0.0, 1e-9);
}

// ---- inertial ---------------------------------------------------------------------------------

TEST(Imu, FeelsGravityAtRestAndNothingInFreeFall) {
  for (const bool falls : {false, true}) {
    SceneBuilder builder("box");
    if (!falls) builder.add_fixed(collision::make_plane(), {});
    SceneBuilder::Body box;
    box.shape = collision::make_box({0.1, 0.1, 0.1});
    box.pose.p = {0.0, 0.0, 0.1};
    builder.add_body(box);
    Runner r(builder.build());
    Bench b(r);
    b.suite.add(std::make_unique<Imu>("imu", Mount{r.scene.bodies[0], {}}, Imu::Options{}));
    for (int n = 0; n < 20; ++n) (void)r.step(1e-3);
    b.read(1e-3);
    expect_near(b.three("imu/acceleration"), {0.0, 0.0, falls ? 0.0 : 9.81}, 1e-7);
    expect_near(b.three("imu/gyro"), {0.0, 0.0, 0.0}, 1e-9);
  }
}

TEST(Imu, FeelsCentripetalAccelerationOnAWheel) {
  Runner r(make_arm({.gravity = 0.0}));
  r.state.v[0] = 3.0;
  Bench b(r);
  Mount tip{model::BodyIndex(1), {}};
  tip.pose.p = {0.8, 0.0, 0.0};
  b.suite.add(std::make_unique<Imu>("imu", tip, Imu::Options{}));
  for (int n = 0; n < 100; ++n) (void)r.step(1e-3);
  b.read(1e-3);
  expect_near(b.three("imu/acceleration"), {-9.0 * 0.8, 0.0, 0.0}, 1e-9);
  expect_near(b.three("imu/gyro"), {0.0, 3.0, 0.0}, 1e-12);
}

// ---- encoders, noise --------------------------------------------------------------------------

TEST(Encoder, CountsWholeSteps) {
  Runner r(make_arm({.gravity = 0.0}));
  r.state.v[0] = 1.2345;
  Bench b(r);
  b.suite.add(std::make_unique<Encoder>(r.scene.world, "e", std::vector<int>{0},
                                        Encoder::Options{.resolution = 1e-3}));
  double sum = 0.0;
  for (int n = 0; n < 1000; ++n) {
    (void)r.step(1e-3);
    b.read(1e-3);
    const double position = b.at("e/position"), counts = position / 1e-3;
    EXPECT_NEAR(counts, std::round(counts), 1e-9);
    EXPECT_LE(std::abs(position - r.state.q[0]), 0.5e-3 + 1e-12);
    const double rate = b.at("e/rate");  // one or two counts a step
    EXPECT_NEAR(rate, std::round(rate), 1e-9);
    sum += rate;
  }
  EXPECT_NEAR(sum / 1000.0, 1.2345, 1e-3);
}

TEST(Noise, IsNormalAndTheSameForTheSameTime) {
  double mean = 0.0, square = 0.0, product = 0.0, fourth = 0.0;
  const int n = 200000;
  for (int k = 0; k < n; ++k) {
    const double a = calc_noise(7, 1e-3 * k, 0), b = calc_noise(7, 1e-3 * k, 1);
    mean += a / n, square += a * a / n, fourth += a * a * a * a / n, product += a * b / n;
  }
  EXPECT_NEAR(mean, 0.0, 0.01);
  EXPECT_NEAR(square, 1.0, 0.02);
  EXPECT_NEAR(fourth, 3.0, 0.1);
  EXPECT_NEAR(product, 0.0, 0.01);
  EXPECT_EQ(calc_noise(7, 0.5, 3), calc_noise(7, 0.5, 3));
  EXPECT_NE(calc_noise(7, 0.5, 3), calc_noise(8, 0.5, 3));
}

// ---- balance (K14, K15) -----------------------------------------------------------------------

// The cart on a table: a foot of 0.4 x 0.2 m with a mast, and a cart on top of it that moves along
// x (and another along y) as its drive says.
Scene make_table(double friction) {
  SceneBuilder builder("table");
  builder.set_material(0, {.friction = friction});
  builder.add_fixed(collision::make_plane(), {}, 0, "floor");
  RobotSpec robot;
  robot.parts.add_link({.name = "foot",
                        .mass = 10.0,
                        .com = {0.0, 0.0, 0.1},
                        .inertia = Eigen::Vector3d(0.2, 0.2, 0.1).asDiagonal()});
  for (int k = 0; k < 2; ++k) {
    const std::string name = k == 0 ? "cart_x" : "cart_y";
    robot.parts.add_link(
        {.name = name, .mass = 3.0, .inertia = Eigen::Vector3d(0.01, 0.02, 0.03).asDiagonal()});
    model::JointSpec slide;
    slide.name = name + "_slide", slide.type = model::JointType::kPrismatic, slide.child = name;
    slide.axis = k == 0 ? Eigen::Vector3d::UnitX() : Eigen::Vector3d::UnitY();
    slide.parent = k == 0 ? "foot" : "cart_x";
    slide.p_PJ = Eigen::Vector3d(0.0, 0.0, k == 0 ? 0.9 : 0.1);
    robot.parts.add_joint(slide);
  }
  robot.parts.attach_roots(model::ModelBuilder::Base::kFree);
  robot.shapes.push_back({"foot", collision::make_box({0.2, 0.1, 0.02}), {.p = {0, 0, 0.02}}});
  builder.add_robot(robot);
  return builder.build();
}

TEST(Balance, ZmpIsTheCopAndTheCartTablesFormula) {
  Runner r(make_table(0.8));
  const model::Model& model = r.scene.world.model;
  const int x = model.v_start[model.find_joint("cart_x_slide")];
  const int y = model.v_start[model.find_joint("cart_y_slide")];
  Bench b(r);
  b.suite.add(std::make_unique<Balance>(r.scene.world, r.state, "b", model.find_body("foot")));
  double worst = 0.0, widest = 0.0, worst_formula = 0.0;
  Vec3d before;
  const double h = 1e-3;
  for (int n = 0; n < 2000; ++n) {
    const double t = n * h;
    r.drive.stiffness[x] = r.drive.stiffness[y] = 2e3;
    r.drive.damping[x] = r.drive.damping[y] = 100.0;
    r.drive.target[x] = 0.05 * std::sin(5.0 * t), r.drive.target[y] = 0.03 * std::sin(7.0 * t);
    const StepReport report = r.step(h);
    ASSERT_EQ(report.status, kStepFine);
    b.read(h);
    const Vec3d zmp = b.three("b/zmp"), cop = b.three("b/cop");
    worst = std::max(worst, norm(zmp - cop));
    widest = std::max(widest, std::abs(cop[0]));
    // com - (z / g) a, of whole momentum: carts do not turn, the foot stands
    const Vec3d velocity = b.three("b/com_velocity"), com = b.three("b/com");
    if (n > 0) {
      const Vec3d a = (1.0 / h) * (velocity - before);
      EXPECT_NEAR(b.at("b/ground_force", 2), 16.0 * (9.81 + a[2]), 1e-6);
      EXPECT_NEAR(b.at("b/ground_force", 0), 16.0 * a[0], 1e-6);
      // x: carts at 0.9 m and 1 m accelerate together, sum of m (x - z a / g) over total weight
      const double cart = r.state.q[model.q_start[model.find_joint("cart_x_slide")]];
      const double formula =
          (6.0 * 9.81 * cart - (3.0 * 0.9 + 3.0 * 1.0) * 16.0 / 6.0 * a[0]) / (16.0 * 9.81);
      worst_formula = std::max(worst_formula, std::abs(formula - cop[0]));
    }
    before = velocity;
    EXPECT_GT(b.at("b/margin"), 0.0);
    EXPECT_EQ(b.at("b/flags", 0) + b.at("b/flags", 1) + b.at("b/flags", 2) + b.at("b/flags", 3),
              0.0);
    expect_near(b.three("b/dcm"), com + std::sqrt(com[2] / 9.81) * velocity, 1e-6);
  }
  std::printf("zmp - cop %.2e m, cart table %.2e m, widest %.3f m\n", worst, worst_formula, widest);
  EXPECT_LT(worst, 1e-9);
  EXPECT_LT(worst_formula, 1e-3);  // the cart's place is that of the end of the step
  EXPECT_GT(widest, 0.02);
}

// What a robot holds, a wall that it leans on and a rope that it is tied by are no ground: the
// polygon is that of the sole, and the ZMP is still the CoP. Once a box on the mast widened it.
TEST(Balance, GroundIsWhatCarriesTheRobot) {
  SceneBuilder builder("loaded");
  builder.set_material(0, {.friction = 0.6});
  builder.add_fixed(collision::make_plane(), {}, 0, "floor");
  builder.add_fixed(collision::make_box({0.1, 1.0, 1.0}), {.p = {0.8, 0.0, 1.0}}, 0, "wall");
  RobotSpec robot;
  robot.parts.add_link({.name = "foot",
                        .mass = 10.0,
                        .com = {0.0, 0.0, 0.1},
                        .inertia = Eigen::Vector3d(0.2, 0.2, 0.1).asDiagonal()});
  robot.parts.attach_roots(model::ModelBuilder::Base::kFree);
  robot.shapes.push_back({"foot", collision::make_box({0.2, 0.1, 0.02}), {.p = {0, 0, 0.02}}});
  // a tray that reaches beyond the sole, and a bumper on the wall
  robot.shapes.push_back({"foot", collision::make_box({0.1, 0.1, 0.01}), {.p = {-0.4, 0, 0.5}}});
  robot.shapes.push_back({"foot", collision::make_sphere(0.05), {.p = {0.65, 0.0, 0.6}}});
  builder.add_robot(robot);
  SceneBuilder::Body load;
  load.name = "load", load.mass = 1.0;
  load.shape = collision::make_box({0.05, 0.05, 0.05});
  load.pose.p = {-0.45, 0.0, 0.56};
  builder.add_body(load);
  builder.add_loop({.kind = contact::LoopKind::kDistance,
                    .link_a = "foot",
                    .link_b = "",
                    .pose_a = {.p = {0.0, 0.0, 0.8}},
                    .pose_b = {.p = {0.0, 0.9, 1.4}},
                    .length = std::sqrt(0.81 + 0.36)});
  Runner r(builder.build());
  const model::BodyIndex foot = r.scene.world.model.find_body("foot");
  r.drive.wrenches = {{foot, {0.0, 0.0, 0.5}, {90.0, -3.0, 0.0}, {}}};
  Bench b(r);
  auto balance = std::make_unique<Balance>(r.scene.world, r.state, "b", foot);
  const sensing::SupportPolygon& support = balance->support();
  b.suite.add(std::move(balance));
  b.suite.add(std::make_unique<ContactForce>(r.scene.world, "load", "load"));
  b.suite.add(std::make_unique<ContactForce>(r.scene.world, "wall", "wall"));
  for (int n = 0; n < 500; ++n) {
    (void)r.step(1e-3);
    b.read(1e-3);
    EXPECT_LT(norm(b.three("b/zmp") - b.three("b/cop")), 1e-9) << n;
  }
  EXPECT_GT(b.at("load/force", 2), 5.0);
  EXPECT_GT(b.at("wall/force", 0), 1.0);
  double low = 1.0, high = -1.0;
  for (const sensing::Point2& corner : support.corners())
    low = std::min(low, corner.x), high = std::max(high, corner.x);
  EXPECT_NEAR(low, -0.2, 1e-3);
  EXPECT_NEAR(high, 0.2, 1e-3);
}

// Too fast: the foot tips or slides, and the flags say so.
TEST(Balance, FlagsTellSlipAndEdge) {
  for (const bool slips : {true, false}) {
    Runner r(make_table(slips ? 0.05 : 2.0));
    const model::Model& model = r.scene.world.model;
    const int x = model.v_start[model.find_joint("cart_x_slide")];
    Bench b(r);
    b.suite.add(std::make_unique<Balance>(r.scene.world, r.state, "b", model.find_body("foot")));
    bool has_slipped = false, was_at_edge = false;
    double least = 1.0;
    for (int n = 0; n < (slips ? 600 : 100); ++n) {
      r.drive.stiffness[x] = 2e4, r.drive.damping[x] = 200.0;
      r.drive.target[x] = 0.05 * (1.0 - std::cos((slips ? 6.0 : 15.0) * n * 1e-3));
      (void)r.step(1e-3);
      b.read(1e-3);
      has_slipped = has_slipped || b.at("b/flags", 1) > 0.0;
      was_at_edge = was_at_edge || b.at("b/margin") < 1e-6;
      if (b.at("b/margin") < least) least = b.at("b/margin");
    }
    EXPECT_TRUE(has_slipped || !slips);
    EXPECT_EQ(was_at_edge, !slips) << least;
    EXPECT_GT(least, -1e-6);  // the pressure is never outside
  }
}

TEST(SupportPolygon, KnowsInsideFromOutside) {
  sensing::SupportPolygon polygon;
  std::vector<sensing::Point2> points = {{0, 0}, {2, 0}, {2, 1}, {0, 1}, {1, 0.5}, {1, 0}, {0, 0}};
  polygon.update(points);
  EXPECT_EQ(polygon.corners().size(), 4u);
  EXPECT_DOUBLE_EQ(polygon.calc_margin({1, 0.4}), 0.4);
  EXPECT_DOUBLE_EQ(polygon.calc_margin({3, 2}), -std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(polygon.calc_margin({2, 0.5}), 0.0);
  points = {{0, 0}, {1, 0}, {0.5, 0}};
  polygon.update(points);
  EXPECT_EQ(polygon.corners().size(), 2u);
  EXPECT_DOUBLE_EQ(polygon.calc_margin({0.5, 0.3}), -0.3);
  points = {{1, 1}};
  polygon.update(points);
  EXPECT_DOUBLE_EQ(polygon.calc_margin({1, 3}), -2.0);
  polygon.update({});
  EXPECT_EQ(polygon.calc_margin({0, 0}), -INFINITY);
}

// ---- contact forces ---------------------------------------------------------------------------

TEST(ContactForce, IsTheWeightAndTheImpulseIsThatTimesTheStep) {
  Runner r(make_table(0.8));
  Bench b(r);
  b.suite.add(std::make_unique<ContactForce>(r.scene.world, "c", "foot"));
  for (int n = 0; n < 200; ++n) (void)r.step(1e-3);
  b.read(1e-3);
  expect_near(b.three("c/force"), {0.0, 0.0, 16.0 * 9.81}, 1e-5);
  expect_near(b.three("c/impulse"), {0.0, 0.0, 0.016 * 9.81}, 1e-8);
  expect_near(b.three("c/center"), {0.0, 0.0, 0.0}, 1e-6);
  EXPECT_EQ(b.at("c/points"), 4.0);
  EXPECT_THROW(ContactForce(r.scene.world, "d", "cart_x"), Error);
}

TEST(Sensors, AskForNoMemoryOnceWarm) {
  Runner r(make_table(0.8));
  const model::BodyIndex foot = r.scene.world.model.find_body("foot");
  Bench b(r);
  b.suite.add(std::make_unique<ContactForce>(r.scene.world, "c", "foot"));
  b.suite.add(std::make_unique<Balance>(r.scene.world, r.state, "b", foot));
  b.suite.add(std::make_unique<Imu>("i", Mount{foot, {}}, Imu::Options{.gyro_noise = 0.1}));
  b.suite.add(std::make_unique<JointTorque>(r.scene.world, "t", std::vector<int>{6, 7}));
  (void)r.step(1e-3);
  b.read(1e-3);
  const long long calls = bench::count_heap_calls([&] {
    for (int n = 0; n < 10; ++n) b.read(1e-3);
  });
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace stance::sim
