// What a run offers to recorders: the values are those of mechanics, not only copies.

#include "stance/sim/run_channels.h"

#include <gtest/gtest.h>

#include "stance/io/scene.h"
#include "stance/run/channel_choice.h"
#include "stance/run/channels.h"
#include "stance/run/simulation.h"

#include "heap_counter.h"

namespace stance::sim {
namespace {

const std::string kRoot = STANCE_SOURCE_DIR;
constexpr double kGravity = 9.81;

// A scene that runs, with its channels by name.
class Trial {
 public:
  Trial(scene::Scene scene, std::vector<ChannelRobot> robots)
      : run_(std::move(scene)),
        world_(run_.part().scene.world),
        channels_(world_, std::move(robots)) {
    std::size_t width = 0;
    for (const Channel& channel : channels_.channels()) width += channel.columns.size();
    values_.resize(width);
  }

  void step(int count) {
    for (int k = 0; k < count; ++k) {
      (void)run_.step();
      channels_.read(run_.view(), values_);
    }
  }

  double at(const std::string& name, const std::string& column) const {
    std::size_t at = 0;
    for (const Channel& channel : channels_.channels())
      for (const std::string& known : channel.columns) {
        if (channel.name == name && known == column) return values_[at];
        ++at;
      }
    ADD_FAILURE() << "no " << name << ":" << column;
    return 0.0;
  }

  run::Simulation run_;
  const World& world_;
  RunChannels channels_;
  std::vector<double> values_;
};

const char* const kBoxes =
    "version: 1\nenvironment: {floor: {shape: {plane: {}}}}\n"
    "objects:\n"
    "  low: {shape: {box: {size: [0.2, 0.2, 0.2]}}, mass: 3, position: [0, 0, 0.1]}\n"
    "  high: {shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 2, position: [0, 0, 0.25]}\n";

TEST(RunChannels, ContactForcesCarryTheWeight) {
  Trial run(io::parse_scene(kBoxes, "boxes.yaml"), {});
  run.step(200);
  EXPECT_NEAR(run.at("high/contact_force", "z"), 2.0 * kGravity, 1e-6);
  // pushed up by the floor and down by the other
  EXPECT_NEAR(run.at("low/contact_force", "z"), 3.0 * kGravity, 1e-6);
  EXPECT_NEAR(run.at("low/contact_impulse", "z"), 3.0 * kGravity * 1e-3, 1e-9);
  EXPECT_NEAR(run.at("low/contact_force", "x"), 0.0, 1e-6);
  EXPECT_EQ(run.at("low/contact_points", "points"), 8.0);
  EXPECT_EQ(run.at("contact/points", "points"), 8.0);
  EXPECT_EQ(run.at("contact/converged", "converged"), 1.0);
}

TEST(RunChannels, EnergyAccountCloses) {
  Trial run(io::parse_scene("version: 1\nobjects: {ball: {shape: {sphere: {radius: 0.1}}, mass: 2, "
                            "position: [0, 0, 1], velocity: [3, 0, 0]}}\n",
                            "ball.yaml"),
            {});
  run.step(1);
  // all of it at the end of the step; symplectic Euler loses m g^2 h^2 / 2 in each
  const double fall = kGravity * 1e-3;
  EXPECT_NEAR(run.at("energy/kinetic", "kinetic"), 0.5 * 2.0 * (9.0 + fall * fall), 1e-12);
  EXPECT_NEAR(run.at("energy/potential", "potential"), 2.0 * kGravity * (1.0 - fall * 1e-3), 1e-12);
  EXPECT_NEAR(run.at("energy/error", "error"), -0.5 * 2.0 * fall * fall, 1e-12);
  EXPECT_DOUBLE_EQ(run.at("ball/position", "x"), 3e-3);
  EXPECT_DOUBLE_EQ(run.at("ball/velocity", "z"), -kGravity * 1e-3);
}

// Boxes that lie in each other and in the floor come apart: what they gain is the work of contacts,
// that of the displacement, and the error.
TEST(RunChannels, EveryTermOfTheEnergyAccountIsThere) {
  Trial run(
      io::parse_scene(
          "version: 1\nenvironment: {floor: {shape: {plane: {}}}}\nobjects:\n"
          "  low: {shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [0, 0, 0.0495]}\n"
          "  high: {shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [0, 0, 0.149]}\n",
          "boxes.yaml"),
      {});
  const double start = kGravity * (0.0495 + 0.149);
  for (int k = 0; k < 50; ++k) {
    run.step(1);
    double booked = 0.0;
    for (const char* term : {"contact_work", "joint_work", "input_work", "drift_work"})
      booked += run.at(std::string("energy/") + term, term);
    const double energy =
        run.at("energy/kinetic", "kinetic") + run.at("energy/potential", "potential");
    // what is left is the integrator's, and bodies that are only displaced give it nothing to do:
    // the error is no part of the sum, lest it close whatever is booked
    const double left = energy - start - booked;
    EXPECT_NEAR(left, 0.0, 1e-9);
    EXPECT_NEAR(run.at("energy/error", "error"), left, 1e-12);
  }
  EXPECT_GT(run.at("energy/drift_work", "drift_work"), 1e-3);
}

// A pendulum held level by a spring: at rest the drive carries m g l.
TEST(RunChannels, DriveTorqueHoldsThePendulum) {
  Trial run(
      io::parse_scene("version: 1\nrobots: {swing: {urdf: '" + kRoot +
                          "/models/pendulum.urdf', hold: {frequency: 10}, joints: {'*': 1}}}\n",
                      "swing.yaml"),
      {{"swing", "swing/"}});
  run.step(3000);
  const model::Model& model = run.world_.model;
  const double angle = run.run_.state().q[0];
  dynamics::Kinematics<double> kin(model);
  update_kinematics(model, std::span<const double>(run.run_.state().q), kin);
  // torque of gravity about the axis, from the pose alone
  const Vec3d p_OC = kin.p_OB[1] + kin.R_WB[1] * model.com[1];
  const Vec3d torque = cross(p_OC, model.mass[1] * run.world_.gravity);
  const std::string joint = run.channels_.channels()[0].columns[0];
  ASSERT_EQ(run.channels_.channels()[0].name, "swing/joint_position");
  EXPECT_EQ(run.at("swing/joint_position", joint), angle);
  EXPECT_NEAR(run.at("swing/joint_torque", joint), -dot(torque, kin.S[0].ang), 1e-9);
  EXPECT_GT(std::abs(dot(torque, kin.S[0].ang)), 0.1) << "it hangs straight down";
}

TEST(RunChannels, CentreOfMassIsWhereTheFeetCarryIt) {
  Trial run(io::load_scene(kRoot + "/scenes/humanoid_stand.yaml"), {{"humanoid", "humanoid/"}});
  run.step(3000);
  const double left = run.at("humanoid/contact_force", "left_foot.z");
  const double right = run.at("humanoid/contact_force", "right_foot.z");
  EXPECT_NEAR(left + right, kGravity * run.world_.model.total_mass(), 1e-3);
  EXPECT_NEAR(run.at("humanoid/com_velocity", "z"), 0.0, 1e-6);
  EXPECT_NEAR(run.at("humanoid/com", "y"), 0.0, 1e-3);
  EXPECT_EQ(run.at("humanoid/base_position", "z"), run.run_.state().q[6]);
  EXPECT_EQ(run.at("humanoid/contact_force", "head.z"), 0.0);
}

TEST(RunChannels, LoopForcesHoldWhatHangs) {
  Trial run(
      io::parse_scene("version: 1\nobjects: {lamp: {shape: {sphere: {radius: 0.1}}, mass: 4, "
                      "position: [0, 0, 1]}}\nconstraints: {cord: {kind: ball, a: {body: lamp, "
                      "position: [0, 0, 0.5]}, b: {body: world}}}\n",
                      "lamp.yaml"),
      {});
  run.step(100);
  EXPECT_NEAR(run.at("constraint/cord/force", "z"), 4.0 * kGravity, 1e-6);
  EXPECT_NEAR(run.at("constraint/cord/impulse", "z"), 4e-3 * kGravity, 1e-9);
}

TEST(RunChannels, ReadAsksForNoMemory) {
  Trial run(io::load_scene(kRoot + "/scenes/humanoid_stand.yaml"), {{"humanoid", "humanoid/"}});
  run.step(10);
  EXPECT_EQ(bench::count_heap_calls([&] { run.step(10); }), 0);
}

// ---- what is chosen of them -------------------------------------------------------------------

TEST(ChannelReader, GivesTheSameValuesAsAll) {
  Trial all(io::parse_scene(kBoxes, "boxes.yaml"), {});
  run::Simulation some(io::parse_scene(kBoxes, "boxes.yaml"));
  const std::vector<std::string> patterns = {"high/contact_force", "low/*", "energy/error"};
  const run::ChannelReader reader(some, patterns);
  std::vector<double> values(reader.width());
  all.step(50);
  for (int k = 0; k < 50; ++k) {
    (void)some.step();
    reader.read(values);
  }
  std::size_t at = 0;
  for (const Channel& channel : reader.channels())
    for (const std::string& column : channel.columns)
      EXPECT_EQ(values[at++], all.at(channel.name, column)) << channel.name << ":" << column;
  EXPECT_EQ(at, reader.width());
}

// Readers come and go while a run goes on, each with channels of its own.
TEST(ChannelReader, OthersDoNotDisturb) {
  run::Simulation run(io::parse_scene(kBoxes, "boxes.yaml"));
  const run::ChannelReader low(run, "low/position");
  const double before = low.read()[2];
  EXPECT_FALSE(std::isnan(before)) << "the state is known before the first step";
  const run::ChannelReader force(run, "low/contact_force");
  for (const double value : force.read()) EXPECT_TRUE(std::isnan(value)) << "no step was taken";
  run.advance();
  const std::vector<double> alone = low.read(), pressed = force.read();
  {
    const run::ChannelReader every(run, "*");
    EXPECT_EQ(low.read(), alone);
    EXPECT_EQ(force.read(), pressed);
    (void)every.read();
  }
  EXPECT_EQ(low.read(), alone);
  EXPECT_EQ(force.read(), pressed);
  for (const double value : pressed) EXPECT_FALSE(std::isnan(value));
}

TEST(ChannelReader, SaysThatItsSimulationIsGone) {
  auto run = std::make_unique<run::Simulation>(io::parse_scene(kBoxes, "boxes.yaml"));
  const run::ChannelReader low(*run, "low/position");
  run.reset();
  EXPECT_THROW((void)low.read(), Error);
}

TEST(ChannelChoice, LeavesImpulsesOutUnlessAskedFor) {
  Trial run(io::parse_scene(kBoxes, "boxes.yaml"), {});
  const std::vector<Channel> standard = run::choose_channels(run.channels_.channels(), {});
  for (const Channel& channel : standard)
    EXPECT_FALSE(channel.name.ends_with("impulse")) << channel.name;
  const std::vector<std::string> everything = {"*"};
  EXPECT_EQ(run::choose_channels(run.channels_.channels(), everything).size(),
            run.channels_.channels().size());
  EXPECT_EQ(standard.size() + 2, run.channels_.channels().size());
}

TEST(ChannelChoice, NamesTheNearestChannel) {
  Trial run(io::parse_scene(kBoxes, "boxes.yaml"), {});
  const std::vector<std::string> typo = {"high/positoin"}, tail = {"contact_forse"};
  const Place places[] = {{"scene.yaml", 4, {}, 7}};
  try {
    (void)run::choose_channels(run.channels_.channels(), typo, places);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "scene.yaml:4:7: there is no channel 'high/positoin', did you mean "
                 "'high/position'?");
  }
  try {
    (void)run::choose_channels(run.channels_.channels(), tail);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "there is no channel 'contact_forse', did you mean 'low/contact_force'?");
  }
}

// Between the moments at which objects come or go a run asks for no memory, inputs from outside and
// all channels included.
TEST(Simulation, AsksForNoMemoryBetweenEvents) {
  run::Simulation run(io::load_scene(STANCE_SOURCE_DIR "/scenes/come_and_go.yaml"));
  const run::ChannelReader reader(run, "*");
  std::vector<double> values(reader.width());
  const auto go = [&](std::int64_t until) {
    while (run.steps() < until) {
      (void)run.step();
      reader.read(values);
    }
  };
  go(300);
  run.apply({"hand", PushBody{.body = "top", .force = {1, 0, 0}}});
  go(310);
  EXPECT_EQ(bench::count_heap_calls([&] { go(499); }), 0);
  go(1150);  // warm: what rests is made exact only after a while
  EXPECT_EQ(bench::count_heap_calls([&] { go(1290); }), 0);
  EXPECT_GT(bench::count_heap_calls([&] { go(1310); }), 0);
}

}  // namespace
}  // namespace stance::sim
