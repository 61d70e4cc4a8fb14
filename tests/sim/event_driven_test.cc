// Event-driven motion against closed forms, and against time-stepping. Row A6.

#include "stance/sim/event_driven.h"

#include "sim/simulation.h"

namespace stance {
namespace {

using namespace test;
using sim::EventKind;
using sim::MotionEvent;

constexpr double kG = 9.81;
constexpr double kDegree = 3.14159265358979323846 / 180.0;

struct EventRun {
  explicit EventRun(sim::Scene scene)
      : world(std::move(scene.world)), state(std::move(scene.start)), scratch(world) {}

  void run(double seconds) {
    const sim::Input input{tau, stiffness, {}, {}};
    const sim::EventReport report = advance(world, input, seconds, options, state, scratch);
    EXPECT_EQ(report.status, 0u) << report.residual;
    EXPECT_FALSE(report.too_many_events);
    EXPECT_EQ(report.refusal, "");
    events.insert(events.end(), report.events.begin(), report.events.end());
  }
  // Times of events of a kind, those at one instant once.
  std::vector<double> times(EventKind kind) const {
    std::vector<double> out;
    for (const MotionEvent& event : events)
      if (event.kind == kind && (out.empty() || event.time > out.back() + 1e-9))
        out.push_back(event.time);
    return out;
  }
  Vec3d position() const { return {state.q[4], state.q[5], state.q[6]}; }
  Vec3d velocity() const { return {state.v[3], state.v[4], state.v[5]}; }
  Vec3d spin() const { return {state.v[0], state.v[1], state.v[2]}; }

  sim::World world;
  sim::State state;
  sim::EventScratch scratch;
  sim::EventOptions options;
  std::vector<double> tau, stiffness;  // on the joints; empty: none
  std::vector<MotionEvent> events;
};

sim::Scene make_ball(double gap, double e, const Vec3d& velocity = {}, const Vec3d& spin = {},
                     double mu = 0.5) {
  SceneBuilder builder("ball");
  builder.set_material(0, {mu, e});
  builder.add_fixed(make_plane(), {});
  SceneBuilder::Body ball;
  ball.shape = make_sphere(0.1);
  ball.pose.p = {0.0, 0.0, 0.1 + gap};
  ball.velocity = velocity, ball.spin = spin;
  builder.add_body(ball);
  return builder.build();
}

sim::Scene make_ramp(double angle, double mu, double velocity) {
  SceneBuilder builder("ramp");
  builder.set_material(0, {mu});
  const kernel::Mat3d R = make_rotation({0, 1, 0}, angle);
  builder.add_fixed(make_plane(), {R, {}});
  SceneBuilder::Body brick;
  brick.shape = make_box({0.1, 0.05, 0.025});
  brick.pose = {R, R * Vec3d(0, 0, 0.025)};
  brick.velocity = R * Vec3d(velocity, 0.0, 0.0);
  builder.add_body(brick);
  return builder.build();
}

// t_n = t_0 (1 + 2 (e + ... + e^n)); all over after t_0 (1 + e) / (1 - e), down to the stated
// speed.
TEST(EventDriven, BallBouncesWhenItShould) {
  const double e = 0.7, t0 = std::sqrt(2.0 / kG), v0 = std::sqrt(2.0 * kG);
  EventRun s(make_ball(1.0, e));
  s.run(3.0);
  const std::vector<double> hits = s.times(EventKind::kImpact);
  ASSERT_GT(hits.size(), 30u);
  double expected = t0, flight = 2.0 * t0, speed = v0;
  for (const double hit : hits) {
    EXPECT_NEAR(hit, expected, 1e-9);
    flight *= e, speed *= e;
    expected += flight;
  }
  // the last one would have left slower than the stated speed, and did not leave
  EXPECT_LT(speed, s.options.rest_speed);
  EXPECT_GT(speed / e, s.options.rest_speed);
  EXPECT_NEAR(hits.back(), t0 * (1.0 + e) / (1.0 - e), 1e-6);
  EXPECT_NEAR(s.position()[2], 0.1, 1e-9);
  EXPECT_LT(norm(s.velocity()), 1e-9);
}

// A block of half width b and half height h rocks about its edges (Housner 1963): theta'' =
// -p^2 sin(alpha - theta), p^2 = 3 g / (4 R), and keeps (1 - 3/2 sin^2 alpha)^2 of its energy at
// every impact.
TEST(EventDriven, BlockRocksAsHousnerSays) {
  const double b = 0.1, half = 0.4, R = std::hypot(b, half), alpha = std::atan2(b, half);
  const double p2 = 3.0 * kG / (4.0 * R), start = 0.5 * alpha;
  SceneBuilder builder("block");
  builder.set_material(0, {2.0});
  builder.add_fixed(make_plane(), {});
  SceneBuilder::Body block;
  block.shape = make_box({b, 0.2, half});
  // turned by `start` about the edge at x = +b: the corner is the origin
  const kernel::Mat3d turn = make_rotation({0, 1, 0}, start);
  block.pose = {turn, turn * Vec3d(-b, 0.0, half)};
  builder.add_body(block);
  EventRun s(builder.build());

  // time and speed of the first impact: theta' from the energy, time by quadrature
  const double first = std::sqrt(2.0 * p2 * (std::cos(alpha - start) - std::cos(alpha)));
  const auto quarter = [&](double from) {
    // theta = from (1 - s^2) takes the root out of the end
    const int n = 20000;
    double sum = 0.0;
    for (int k = 0; k < n; ++k) {
      const double u = (k + 0.5) / n, theta = from * (1.0 - u * u);
      sum += 2.0 * from * u /
             std::sqrt(2.0 * p2 * (std::cos(alpha - from) - std::cos(alpha - theta))) / n;
    }
    return sum;
  };
  const double r = std::pow(1.0 - 1.5 * std::sin(alpha) * std::sin(alpha), 2);
  s.run(1.8);
  const std::vector<double> hits = s.times(EventKind::kImpact);
  ASSERT_GE(hits.size(), 3u);
  EXPECT_NEAR(hits[0], quarter(start), 1e-7);

  // after every impact the energy, and with it the next half swing, is known
  double energy = 0.5 * first * first, time = quarter(start);
  for (std::size_t k = 0; k + 1 < 3; ++k) {
    energy *= r;
    const double angle = alpha - std::acos(std::min(1.0, energy / p2 + std::cos(alpha)));
    time += 2.0 * quarter(angle);
    EXPECT_NEAR(hits[k + 1], time, 1e-6) << k;
  }
  // the spin before and after: impacts record the speed of the corner that hits
  double last = 0.0;
  for (const MotionEvent& event : s.events) {
    if (event.kind != EventKind::kImpact) continue;
    const double spin = event.speed / (2.0 * b);
    if (last == 0.0) {
      EXPECT_NEAR(spin, first, 1e-6);
    } else if (std::abs(spin - last) > 1e-6) {
      EXPECT_NEAR(spin * spin / (last * last), r, 1e-5);
    }
    last = spin;
  }
  EXPECT_LT(norm(s.velocity()), 2.0);
}

// Down a ramp that holds it: stops after v0 / (g (mu cos a - sin a)), and stays.
TEST(EventDriven, BrickStopsOnARamp) {
  const double a = 10 * kDegree, mu = 0.5, v0 = 1.0;
  const double brake = kG * (mu * std::cos(a) - std::sin(a));
  EventRun s(make_ramp(a, mu, v0));
  const Vec3d start = s.position();
  s.run(1.0);
  ASSERT_FALSE(s.times(EventKind::kStick).empty());
  EXPECT_NEAR(s.times(EventKind::kStick)[0], v0 / brake, 1e-9);
  EXPECT_NEAR(norm(s.position() - start), 0.5 * v0 * v0 / brake, 1e-9);
  EXPECT_LT(norm(s.velocity()), 1e-9);

  // a steeper one lets it go from rest, and thrown up it turns round and comes down
  const double steep = 30 * kDegree, low = 0.3;
  EventRun slides(make_ramp(steep, low, 0.0));
  slides.run(0.5);
  EXPECT_NEAR(norm(slides.velocity()), 0.5 * kG * (std::sin(steep) - low * std::cos(steep)), 1e-7);
  EventRun turns(make_ramp(steep, low, -1.0));
  const double up = 1.0 / (kG * (std::sin(steep) + low * std::cos(steep)));
  turns.run(up + 0.2);
  EXPECT_NEAR(norm(turns.velocity()), 0.2 * kG * (std::sin(steep) - low * std::cos(steep)), 1e-7);
}

// A ball that slides comes to roll after 2 v0 / (7 mu g) with 5/7 v0.
TEST(EventDriven, BallComesToRoll) {
  const double v0 = 1.0, mu = 0.2;
  EventRun s(make_ball(0.0, 0.0, {v0, 0.0, 0.0}, {}, mu));
  s.run(1.0);
  ASSERT_FALSE(s.times(EventKind::kStick).empty());
  EXPECT_NEAR(s.times(EventKind::kStick)[0], 2.0 * v0 / (7.0 * mu * kG), 1e-8);
  EXPECT_NEAR(s.velocity()[0], 5.0 / 7.0 * v0, 1e-8);
  EXPECT_NEAR(s.spin()[1], 5.0 / 7.0 * v0 / 0.1, 1e-7);
}

// A smooth ball slides off a fixed one and leaves it where cos(angle) has fallen to two thirds of
// what it was; row R1's world has only planes, this has a normal that turns.
TEST(EventDriven, BallLeavesASphereAtTwoThirds) {
  const double start = 0.2, R = 0.6;
  SceneBuilder builder("dome");
  builder.set_material(0, {0.0});
  builder.add_fixed(make_sphere(0.5), {});
  SceneBuilder::Body ball;
  ball.shape = make_sphere(0.1);
  ball.pose.p = {R * std::sin(start), 0.0, R * std::cos(start)};
  builder.add_body(ball);
  EventRun s(builder.build());
  while (s.times(EventKind::kOpen).empty() && s.state.time < 2.0) s.run(0.01);
  ASSERT_FALSE(s.times(EventKind::kOpen).empty());
  // back along the flight to where it left
  const double flight = s.state.time - s.times(EventKind::kOpen)[0];
  const double z = s.position()[2] - s.velocity()[2] * flight - 0.5 * kG * flight * flight;
  EXPECT_NEAR(z / R, 2.0 / 3.0 * std::cos(start), 1e-6);
  EXPECT_NEAR(0.5 * dot(s.velocity(), s.velocity()) + kG * s.position()[2],
              kG * R * std::cos(start), 1e-8);
}

// ---- joints -------------------------------------------------------------------------------------

constexpr double kLength = 0.8;  // m, of rods
constexpr double kRodMass = 1.5;

struct JointRange {
  double lower = -1e9, upper = 1e9, friction = 0.0;
};

// Rods one below the other on hinges about y, a ball at the end of the last; hanging straight at
// zero.
sim::Scene make_rods(std::initializer_list<JointRange> ranges, const std::vector<double>& start,
                     double height = 10.0, double ball = 0.0) {
  sim::RobotSpec robot;
  robot.name = "arm";
  std::string parent;
  for (const JointRange& range : ranges) {
    const std::string name = std::to_string(robot.start.size());
    model::LinkSpec link;
    link.name = "rod" + name, link.mass = kRodMass;
    link.com = {0.0, 0.0, -0.5 * kLength};
    const double across = kRodMass * kLength * kLength / 12.0;
    link.inertia = Eigen::Vector3d(across, across, 1e-3).asDiagonal();
    robot.parts.add_link(link);
    model::JointSpec joint;
    joint.name = "hinge" + name, joint.type = model::JointType::kRevolute;
    joint.parent = parent, joint.child = link.name;
    joint.axis = Eigen::Vector3d::UnitY();
    joint.p_PJ = {0.0, 0.0, parent.empty() ? height : -kLength};
    joint.lower = range.lower, joint.upper = range.upper, joint.friction = range.friction;
    robot.parts.add_joint(joint);
    robot.start.emplace_back(joint.name, start[robot.start.size()]);
    parent = link.name;
  }
  if (ball > 0.0)
    robot.shapes.push_back(
        {parent, make_sphere(ball), {kernel::Mat3d::identity(), {0, 0, -kLength}}, 0});
  robot.ignore_touching = false;
  SceneBuilder builder("rods");
  builder.set_material(0, {0.6});
  builder.add_fixed(make_plane(), {});
  builder.add_robot(robot);
  return builder.build();
}

// Time of a rod's swing from rest at `from` to `to`, and its speed there: theta'' = -p^2 sin theta.
constexpr double kP2 = 1.5 * kG / kLength;
double calc_swing_speed(double from, double to) {
  return std::sqrt(2.0 * kP2 * (std::cos(to) - std::cos(from)));
}
double calc_swing_time(double from, double to) {
  // theta = from - (from - to) u^2 takes the root out of the start
  const int n = 20000;
  double sum = 0.0;
  for (int k = 0; k < n; ++k) {
    const double u = (k + 0.5) / n, theta = from - (from - to) * u * u;
    sum += 2.0 * std::abs(from - to) * u / calc_swing_speed(from, theta) / n;
  }
  return sum;
}

// Beyond the bottom a limit stops the rod dead; it falls back and swings from there.
TEST(EventDriven, PendulumHitsALimitAndFallsBack) {
  const double start = 1.2, limit = -0.3, hit = calc_swing_time(start, limit);
  EventRun s(make_rods({{limit, 2.0}}, {start}));
  s.run(hit + calc_swing_time(limit, 0.0));
  ASSERT_EQ(s.times(EventKind::kImpact).size(), 1u);
  EXPECT_NEAR(s.times(EventKind::kImpact)[0], hit, 1e-9);
  EXPECT_NEAR(s.events[0].speed, calc_swing_speed(start, limit), 1e-9);
  EXPECT_EQ(s.events[0].contact, make_joint_id(sim::JointPart::kLower, 0));
  ASSERT_EQ(s.times(EventKind::kOpen).size(), 1u);
  EXPECT_NEAR(s.times(EventKind::kOpen)[0], hit, 1e-9);
  EXPECT_NEAR(s.state.q[0], 0.0, 1e-8);
  EXPECT_NEAR(s.state.v[0], calc_swing_speed(limit, 0.0), 1e-8);
}

// Above the bottom it rests on the limit, until a torque lifts it off.
TEST(EventDriven, PendulumRestsOnALimit) {
  for (const double side : {1.0, -1.0}) {
    const double limit = 0.5 * side, start = 1.2 * side;
    EventRun s(make_rods({side > 0.0 ? JointRange{limit, 2.0} : JointRange{-2.0, limit}}, {start}));
    s.run(2.0);
    ASSERT_EQ(s.events.size(), 1u);
    EXPECT_EQ(s.events[0].kind, EventKind::kImpact);
    EXPECT_NEAR(s.events[0].time, calc_swing_time(start, limit), 1e-9);
    EXPECT_NEAR(s.state.q[0], limit, 1e-9);
    EXPECT_NEAR(s.state.v[0], 0.0, 1e-9);

    const double weight = 0.5 * kRodMass * kG * kLength * std::sin(limit);
    s.tau = {0.999 * weight};
    s.run(1.0);
    EXPECT_EQ(s.events.size(), 1u);
    EXPECT_NEAR(s.state.q[0], limit, 1e-9);
    s.tau = {1.001 * weight};
    const double inertia = kRodMass * kLength * kLength / 3.0, time = 1e-2;
    s.run(time);
    ASSERT_EQ(s.times(EventKind::kOpen).size(), 1u);
    EXPECT_NEAR(s.state.v[0], 0.001 * weight / inertia * time, 1e-6);
  }
}

// A mass on a spring, with dry friction in its guide: turns after every half cycle, 2 F / k nearer,
// and stops for good at the first turning point within F / k.
TEST(EventDriven, DryFrictionStopsAnOscillatorWhereItShould) {
  const double mass = 2.0, spring = 50.0, friction = 3.0, stretch = 0.5;
  sim::RobotSpec sledge;
  sledge.name = "sledge";
  model::LinkSpec link;
  link.name = "mass", link.mass = mass, link.inertia.setIdentity();
  sledge.parts.add_link(link);
  model::JointSpec joint;
  joint.name = "guide", joint.type = model::JointType::kPrismatic, joint.child = "mass";
  joint.axis = Eigen::Vector3d::UnitX(), joint.friction = friction;
  sledge.parts.add_joint(joint);
  sledge.start = {{"guide", stretch}};
  SceneBuilder builder("oscillator");
  builder.add_robot(sledge);
  EventRun s(builder.build());
  s.stiffness = {spring};

  const double half_cycle = 3.14159265358979323846 * std::sqrt(mass / spring);
  const double dead = friction / spring;
  double turn = stretch, time = 0.0;
  int turns = 0;
  for (; std::abs(turn) > dead; ++turns) {
    turn = turn > 0.0 ? 2.0 * dead - turn : -2.0 * dead - turn;
    s.run(half_cycle + (turns == 0 ? 1e-6 : 0.0));  // just behind the turning point
    time += half_cycle;
    ASSERT_EQ(s.times(EventKind::kStick).size(), static_cast<std::size_t>(turns) + 1);
    EXPECT_NEAR(s.times(EventKind::kStick)[turns], time, 1e-8);
    EXPECT_NEAR(s.state.q[0], turn, 1e-8);
  }
  ASSERT_EQ(turns, 4);
  s.run(3.0);
  EXPECT_NEAR(s.state.q[0], turn, 1e-8);
  EXPECT_NEAR(s.state.v[0], 0.0, 1e-12);
  EXPECT_EQ(s.times(EventKind::kStick).size(), 4u);
  EXPECT_EQ(s.times(EventKind::kSlide).size(), 4u);  // let go at the start, and at three turns
}

// An arm falls until it is wedged between the floor and its elbow's limit, held by friction at
// both: what holds it is not determined, but it stays of the order of its weight, and nothing
// slides.
TEST(EventDriven, AnArmThatIsWedgedStays) {
  EventRun s(make_rods({{-3.0, 3.0, 0.05}, {-0.2, 0.5, 0.3}}, {-1.0, 0.2}, 1.6, 0.1));
  s.run(0.6);
  const std::vector<double> q = s.state.q;
  EXPECT_NEAR(q[1], -0.2, 1e-9);
  EXPECT_NEAR(kLength * (std::cos(q[0]) + std::cos(q[0] + q[1])), 1.6 - 0.1, 1e-9);
  s.events.clear();
  s.run(1.0);
  EXPECT_TRUE(s.events.empty());
  EXPECT_NEAR(s.state.q[0], q[0], 1e-9);
  EXPECT_NEAR(s.state.q[1], q[1], 1e-9);
  for (const auto& felt : s.scratch.felt) EXPECT_LT(felt.normal_force, 4.0 * kRodMass * kG);
}

// What cannot be moved like this is refused in a sentence, and stays where it is.
TEST(EventDriven, RefusesWhatItHasNoLawFor) {
  const auto refusal = [](const std::function<void(SceneBuilder&)>& change) {
    SceneBuilder builder("refused");
    builder.add_fixed(make_plane(), {});
    SceneBuilder::Body ball;
    ball.name = "ball", ball.shape = make_sphere(0.1), ball.pose.p = {0, 0, 1};
    builder.add_body(ball);
    change(builder);
    const sim::Scene scene = builder.build();
    sim::State state = scene.start;
    sim::EventScratch scratch(scene.world);
    const sim::EventReport report = advance(scene.world, {}, 0.1, {}, state, scratch);
    EXPECT_EQ(state.time, report.refusal.empty() ? 0.1 : 0.0);
    EXPECT_EQ(state.q == scene.start.q, !report.refusal.empty());
    return std::string(report.refusal);
  };
  EXPECT_EQ(refusal([](SceneBuilder&) {}), "");
  const auto loop = [](SceneBuilder& b) { b.add_loop({.link_a = "ball"}); };
  EXPECT_NE(refusal(loop).find("loops"), std::string::npos);
  const auto spin = [](SceneBuilder& b) { b.set_material(0, {0.5, 0.0, 1e-3}); };
  EXPECT_NE(refusal(spin).find("torsional"), std::string::npos);
  const auto law = [](SceneBuilder& b) { b.contact().law = contact::ContactLaw::kPenaltyFbl; };
  EXPECT_NE(refusal(law).find("exact"), std::string::npos);
}

// Time-stepping comes to the same as its step goes to zero, first order.
TEST(EventDriven, TimeSteppingAgreesInTheLimit) {
  const auto compare = [](const sim::Scene& scene, double seconds) {
    EventRun exact(scene);
    exact.run(seconds);
    std::vector<double> errors;
    for (const double h : {4e-4, 2e-4, 1e-4, 5e-5}) {
      Simulation s(scene);
      s.run(seconds, h);
      errors.push_back(norm(s.position() - exact.position()));
    }
    // slope over a factor of eight, which evens out where in a step an event falls
    return std::pair(errors.back(), std::log2(errors.front() / errors.back()) / 3.0);
  };
  const auto [ball, ball_slope] = compare(make_ball(0.3, 0.6, {0.7, 0.0, 0.0}, {0, 3, 0}), 0.9);
  EXPECT_LT(ball, 2e-3);
  EXPECT_NEAR(ball_slope, 1.0, 0.3);
  const auto [brick, brick_slope] = compare(make_ramp(10 * kDegree, 0.5, 1.0), 0.6);
  EXPECT_LT(brick, 1e-4);
  EXPECT_NEAR(brick_slope, 1.0, 0.1);
}

// An arm whose elbow rubs, whose end hits the floor and leaves it, and whose elbow then comes to
// its limit: contact, dry friction and limits at once.
TEST(EventDriven, TimeSteppingOfAnArmAgreesInTheLimit) {
  const sim::Scene scene = make_rods({{-3.0, 3.0, 0.05}, {-2.0, 0.6, 0.2}}, {-1.5, 0.3}, 1.6, 0.1);
  const double seconds = 1.2;
  EventRun exact(scene);
  exact.run(seconds);
  const auto has = [&](EventKind kind, std::uint64_t id) {
    return std::any_of(exact.events.begin(), exact.events.end(), [&](const MotionEvent& event) {
      return event.kind == kind && (id == 0 ? event.contact >> 48 != 0xffff : event.contact == id);
    });
  };
  EXPECT_TRUE(has(EventKind::kImpact, make_joint_id(sim::JointPart::kUpper, 1)));
  EXPECT_TRUE(has(EventKind::kImpact, 0));
  EXPECT_TRUE(has(EventKind::kOpen, 0));
  EXPECT_TRUE(has(EventKind::kStick, make_joint_id(sim::JointPart::kFriction, 1)));
  std::vector<double> errors;
  for (const double h : {4e-4, 2e-4, 1e-4, 5e-5}) {
    Simulation s(scene);
    s.run(seconds, h);
    errors.push_back(std::hypot(s.state.q[0] - exact.state.q[0], s.state.q[1] - exact.state.q[1]));
  }
  EXPECT_LT(errors.back(), 1e-3);
  EXPECT_NEAR(calc_order(errors, 2.0), 1.0, 0.3);
}

}  // namespace
}  // namespace stance
