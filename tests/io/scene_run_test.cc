// Scenes while they run: objects that come and go (H15), and what is done to them from outside
// (H9).

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "stance/io/scene.h"
#include "stance/run/channel_choice.h"
#include "stance/run/channels.h"
#include "stance/run/simulation.h"

namespace stance::io {
namespace {

constexpr double kG = 9.81;

scene::Scene load(const std::string& text) {
  return parse_scene("version: 1\n" + text, STANCE_SOURCE_DIR "/scenes/here.yaml");
}

void run_until(run::Simulation& run, int step) {
  while (run.steps() < step) ASSERT_EQ(run.step().status, sim::kStepFine);
}

// Place and velocity of a loose body.
double read_z(const run::Simulation& run, const std::string& name, bool is_rate = false) {
  const model::Model& model = run.part().scene.world.model;
  const model::BodyIndex body = model.find_body(name);
  return is_rate ? run.state().v[model.v_start[body] + 5] : run.state().q[model.q_start[body] + 6];
}

bool has(const run::Simulation& run, const std::string& name) {
  return run.part().scene.world.model.find_body(name).valid();
}

// All values of some channels after every step, by name and column.
class Reader {
 public:
  explicit Reader(const run::Simulation& run)
      : reader_(run, std::vector<std::string>{}), values_(reader_.width()) {}
  void read() { reader_.read(values_); }
  double get(const std::string& name, std::size_t column) const {
    std::size_t at = 0;
    for (const sim::Channel& channel : reader_.channels()) {
      if (channel.name == name) return values_[at + column];
      at += channel.columns.size();
    }
    ADD_FAILURE() << "no " << name;
    return 0.0;
  }

 private:
  run::ChannelReader reader_;
  std::vector<double> values_;
};

const char* const kBalls =
    "environment: {floor: {shape: {plane: {}}}}\n"
    "objects:\n"
    "  stays: {shape: {sphere: {radius: 0.1}}, mass: 1, position: [0, 0, 0.1]}\n"
    "  late:\n"
    "    shape: {sphere: {radius: 0.1}}\n"
    "    mass: 2\n"
    "    position: [1, 0, 5]\n"
    "    velocity: [0, 0, 1]\n"
    "    appears: 0.1\n"
    "    disappears: 0.3\n"
    "forces: {push: {body: late, force: [0, 0, 2]}}\n"
    "sensors:\n"
    "  touch: {kind: contact_force, at: late}\n"
    "  ground: {kind: contact_force, at: stays}\n";

// Steps count: it appears before step 101, with the place and velocity that the scene gives.
TEST(SceneRun, ObjectsComeAndGo) {
  const scene::Scene scene = load(kBalls);
  run::Simulation run(scene);
  run_until(run, 100);
  EXPECT_FALSE(has(run, "late"));
  run_until(run, 101);
  ASSERT_TRUE(has(run, "late"));
  const double a = -kG + 1.0;  // the force acts on it, too
  EXPECT_NEAR(read_z(run, "late", true), 1.0 + 1e-3 * a, 1e-12);
  EXPECT_NEAR(read_z(run, "late"), 5.0 + 1e-3 * (1.0 + 1e-3 * a), 1e-12);
  run_until(run, 300);
  EXPECT_NEAR(read_z(run, "late", true), 1.0 + 0.2 * a, 1e-10);
  EXPECT_NEAR(read_z(run, "stays"), 0.1, 1e-9);
  run_until(run, 301);
  EXPECT_FALSE(has(run, "late"));
  run_until(run, 500);
  const std::vector<sim::Event>& events = run.monitor().events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_STREQ(event_name(events[0].kind), "appears");
  EXPECT_EQ(events[0].what, "late");
  EXPECT_NEAR(events[0].time, 0.1, 1e-12);
  EXPECT_STREQ(event_name(events[1].kind), "disappears");
  EXPECT_NEAR(events[1].time, 0.3, 1e-12);
}

TEST(SceneRun, ChannelsOfWhatIsNotThereAreNoNumbers) {
  const scene::Scene scene = load(kBalls);
  run::Simulation run(scene);
  Reader reader(run);
  for (const int step : {1, 100, 101, 200, 300, 301, 400}) {
    run_until(run, step);
    reader.read();
    const bool is_there = step > 100 && step <= 300;
    for (const char* name : {"late/position", "late/velocity", "late/contact_force", "touch/force"})
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_EQ(std::isfinite(reader.get(name, k)), is_there) << name << " " << step;
    EXPECT_NEAR(reader.get("ground/force", 2), kG, 1e-6) << step;
    EXPECT_NEAR(reader.get("stays/position", 2), 0.1, 1e-9);
    if (is_there) {
      EXPECT_EQ(reader.get("late/position", 2), read_z(run, "late"));
    }
  }
}

// Robots, controllers with memory and constraints go on while other things come and go: the same
// bits as without them.
TEST(SceneRun, RobotsDoNotNotice) {
  const std::string arm =
      "robots:\n"
      "  arm:\n"
      "    urdf: ../models/double_pendulum.urdf\n"
      "    hold: {stiffness: 50, damping: 5}\n"
      "    controllers: {soft: {kind: admittance, mass: 0.5}}\n"
      "forces: {pull: {body: arm/lower_bob, force: [3, 0, 0]}}\n";
  const scene::Scene alone = load(arm);
  const scene::Scene busy = load(
      arm +
      "objects: {bird: {shape: {sphere: {radius: 0.1}}, mass: 1, position: [5, 5, 5 + i], copies: "
      "4, appears: 0.05 * i, disappears: 0.05 * i + 0.12}}\n");
  EXPECT_EQ(busy.later.size(), 7u);
  run::Simulation a(alone), b(busy);
  run_until(a, 400), run_until(b, 400);
  EXPECT_EQ(a.state().q, b.state().q);
  EXPECT_EQ(a.state().v, b.state().v);
  EXPECT_EQ(a.state().memory, b.state().memory);
}

// A constraint ends with what it held.
TEST(SceneRun, ConstraintsGoWithTheirObjects) {
  const scene::Scene scene = load(
      "objects:\n"
      "  hook: {shape: {sphere: {radius: 0.1}}, mass: 1, position: [0, 0, 3], disappears: 0.1}\n"
      "  load: {shape: {sphere: {radius: 0.1}}, mass: 1, position: [0, 0, 2]}\n"
      "constraints:\n"
      "  nail: {kind: ball, a: {body: hook}, b: {body: world}}\n"
      "  rope: {kind: distance, a: {body: hook}, b: {body: load}}\n");
  run::Simulation run(scene);
  Reader reader(run);
  run_until(run, 100);
  reader.read();
  EXPECT_NEAR(read_z(run, "load"), 2.0, 1e-6);
  EXPECT_NEAR(std::abs(reader.get("constraint/rope/force", 2)), kG, 1e-6);
  run_until(run, 200);
  reader.read();
  EXPECT_NEAR(read_z(run, "load", true), -0.1 * kG, 1e-6);
  EXPECT_TRUE(std::isnan(reader.get("constraint/rope/force", 2)));
}

TEST(SceneRun, NothingAppearsInsideSomething) {
  const scene::Scene scene = load(
      "environment: {floor: {shape: {plane: {}}}}\n"
      "objects:\n"
      "  there: {shape: {sphere: {radius: 0.1}}, mass: 1, position: [0, 0, 0.1]}\n"
      "  late: {shape: {sphere: {radius: 0.1}}, mass: 1, position: [0, 0, 0.25], appears: 0.1}\n");
  run::Simulation run(scene);
  run_until(run, 100);
  try {
    (void)run.step();
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "at 0.1 s 'late' appears inside 'there', by 50 mm; let it appear elsewhere or at "
                 "another time");
  }
}

// Joints that slide have units of their own.
// ---- drags (H11) --------------------------------------------------------------------------------

using sim::DragBody;

const char* const kLooseBall =
    "gravity: [0, 0, 0]\n"
    "interaction: {stiffness: 100}\n"
    "objects:\n"
    "  ball: {shape: {sphere: {radius: 0.1}}, mass: 2}\n";

// kv = sqrt(2 m kp) is a damping ratio of 1 / sqrt(2): the overshoot is exp(-pi).
TEST(Drag, OvershootsByWhatItsDamperSays) {
  for (const double h : {1e-3, 1e-4}) {
    const scene::Scene scene = load("step: " + std::to_string(h) + "\n" + kLooseBall);
    run::Simulation run(scene);
    run.apply({"", DragBody{.body = "ball", .to = {0.0, 0.0, 1.0}}});
    double highest = 0.0;
    while (run.state().time < 3.0) {
      ASSERT_EQ(run.step().status, sim::kStepFine);
      highest = std::max(highest, read_z(run, "ball"));
    }
    EXPECT_NEAR(highest - 1.0, std::exp(-M_PI), 3.0 * h) << h;
    EXPECT_NEAR(read_z(run, "ball"), 1.0, 1e-6);
  }
}

// H12: what is held still weighs what it weighs, and sinks by weight over stiffness.
TEST(Drag, HoldsAWeight) {
  const scene::Scene scene = load(
      "objects:\n"
      "  box: {shape: {box: {size: [0.2, 0.2, 0.2]}}, mass: 1}\n");
  run::Simulation run(scene);
  run.apply(
      {"",
       DragBody{
           .body = "box", .point = {0.0, 0.0, 0.1}, .to = {0.0, 0.0, 0.1}, .stiffness = 2000.0}});
  run_until(run, 4000);
  ASSERT_EQ(run.outside().pulls().size(), 1u);
  EXPECT_NEAR(run.outside().pulls()[0].drag.force[2], kG, 1e-6);
  EXPECT_NEAR(read_z(run, "box"), -kG / 2000.0, 1e-8);
}

// A spring that is too stiff for what it holds gives way before it shakes.
TEST(Drag, NeverShakesWhatItHolds) {
  for (const double mass : {1e-4, 1e-2, 1.0}) {
    const scene::Scene scene = load(
        "objects:\n"
        "  rod: {shape: {box: {size: [0.02, 0.02, 0.6]}}, mass: " +
        std::to_string(mass) + "}\n");
    run::Simulation run(scene);
    run.apply(
        {"",
         DragBody{
             .body = "rod", .point = {0.01, 0.0, 0.3}, .to = {0.02, 0.0, 0.32}, .stiffness = 1e6}});
    run_until(run, 1000);
    // the rod swings on below it, for as long as it likes
    for (int k = 0; k < 3000; ++k) {
      ASSERT_EQ(run.step().status, sim::kStepFine);
      const sim::Drag& drag = run.outside().pulls()[0].drag;
      ASSERT_LT(norm(drag.position - drag.target), 0.02) << mass;
      ASSERT_LT(norm(drag.force), 10.0 * mass * kG) << mass;
    }
  }
}

// Who pulls at a humanoid that stands must not wait: both feet stick and dry friction holds its
// joints, until one of them slips, slowly. Sweeps alone would crawl for thousands of rounds.
TEST(Drag, OfARobotThatStandsTakesFewSweeps) {
  const scene::Scene scene = load_scene(STANCE_SOURCE_DIR "/scenes/humanoid_stand.yaml");
  run::Simulation run(scene);
  DragBody pull{.body = "humanoid/right_hand"};
  int most = 0;
  for (int k = 0; k < 4000; ++k) {
    if (k % 17 == 0) {  // sixty times a second
      pull.to = kernel::Vec3d(0.3, 0.1 * std::sin(k / 500.0) - 0.25, 0.9);
      run.apply({"hand", pull});
    }
    const sim::StepReport& report = run.step();
    ASSERT_EQ(report.status, sim::kStepFine) << "step " << k;
    most = std::max(most, report.contact.sweeps);
  }
  EXPECT_LT(most, 100);
}

TEST(Drag, EndsAndIsRefusedByName) {
  const scene::Scene scene = load(kLooseBall);
  run::Simulation run(scene);
  DragBody drag{.body = "bal", .to = {1.0, 0.0, 0.0}};
  EXPECT_THROW(run.apply({"mouse", drag}), Error);
  drag.body = "ball";
  drag.stiffness = -1.0;
  EXPECT_THROW(run.apply({"mouse", drag}), Error);
  drag.stiffness = 0.0;
  run.apply({"mouse", drag}), run.apply({"mouse", drag});
  EXPECT_EQ(run.outside().pulls().size(), 1u);  // one of a source on each thing
  run.apply({"mouse", sim::Release{}});
  EXPECT_TRUE(run.outside().pulls().empty());
  run_until(run, 10);
  EXPECT_EQ(read_z(run, "ball"), 0.0);
}

TEST(SceneRun, SensorsOfJointsThatSlideAndTurn) {
  const scene::Scene scene = load(
      "robots:\n"
      "  scale:\n"
      "    urdf: robots/dynamometer.urdf\n"
      "    joints: {pull: 0.1}\n"
      "    hold: {stiffness: 1e4, damping: 100}\n"
      "  arm: {urdf: ../models/pendulum.urdf, joints: {hinge: 0.5}, hold: {}}\n"
      "sensors:\n"
      "  lengths: {kind: encoders, at: scale}\n"
      "  forces: {kind: joint_torques, at: scale}\n"
      "  angles: {kind: encoders, at: arm}\n"
      "  torques: {kind: joint_torques, at: arm}\n");
  std::map<std::string, std::string> units;
  for (const sim::Channel& channel : scene.channels) units[channel.name] = channel.unit;
  EXPECT_EQ(units["lengths/slide_position"], "m");
  EXPECT_EQ(units["lengths/slide_rate"], "m/s");
  EXPECT_EQ(units["forces/slide_drive"], "N");
  EXPECT_EQ(units["forces/slide_joint"], "N");
  EXPECT_EQ(units["angles/position"], "rad");
  EXPECT_EQ(units["angles/rate"], "rad/s");
  EXPECT_EQ(units["torques/drive"], "N m");
  EXPECT_FALSE(units.count("lengths/position"));
  EXPECT_FALSE(units.count("angles/slide_position"));
  run::Simulation run(scene);
  Reader reader(run);
  run_until(run, 10);
  reader.read();
  EXPECT_NEAR(reader.get("lengths/slide_position", 0), 0.1, 1e-9);
  EXPECT_NEAR(reader.get("lengths/slide_position", 1), 0.0, 1e-9);
  EXPECT_NEAR(reader.get("lengths/slide_rate", 1), 0.0, 1e-9);
  EXPECT_NEAR(reader.get("angles/position", 0), 0.5, 0.1);
  EXPECT_NEAR(reader.get("torques/drive", 0), run.view().scratch.drive[2], 0.0);
}

}  // namespace
}  // namespace stance::io
