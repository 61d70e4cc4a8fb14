// Scenes that act and measure: what is read, what comes of it, and what is refused.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "stance/io/scene.h"
#include "stance/io/scene_snapshot.h"
#include "stance/sim/step.h"

#include "run_program.h"

namespace stance::io {
namespace {

const std::string kModels = STANCE_SOURCE_DIR "/models/";

scene::Scene load(const std::string& text) {
  return parse_scene("version: 1\n" + text, STANCE_SOURCE_DIR "/scenes/here.yaml");
}

std::string complain(const std::string& text) {
  try {
    load(text);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

// A run of a scene with its sensors.
struct Trial {
  explicit Trial(scene::Scene loaded)
      : scene(std::move(loaded)),
        state(scene.first.scene.start),
        scratch(scene.first.scene.world),
        modules(scene.first.make_modules()),
        sensors(modules.sensors.get()),
        values(sensors->width()) {}

  void step() {
    const sim::World& world = scene.first.scene.world;
    const sim::Input& input = modules.actuation.update(world, scene.spec().step, state, scratch);
    report = sim::step(world, input, scene.spec().step, state, scratch);
    sensors->read({world, state, scratch, input, report, scene.spec().step}, values);
  }
  void run(double seconds) {
    for (std::int64_t n = std::llround(seconds / scene.spec().step); n > 0; --n) step();
  }
  double at(const std::string& channel, int column = 0) const {
    return values.at(sensors->find(channel) + column);
  }
  double joint(const std::string& name) const {
    return state
        .q[scene.first.scene.world.model.q_start[scene.first.scene.world.model.find_joint(name)]];
  }

  scene::Scene scene;
  sim::State state;
  sim::Scratch scratch;
  scene::Modules modules;
  sim::SensorSuite* sensors;
  std::vector<double> values;
  sim::StepReport report;
};

std::string pendulum(const std::string& more) {
  return "robots:\n  arm:\n    urdf: " + kModels + "pendulum.urdf\n" + more;
}

// ---- actuators (A24) --------------------------------------------------------------------------

// Gear, rotor, friction and limit: the pendulum's start against the law on paper.
TEST(SceneActuators, FollowTheLawOfThePaper) {
  const std::string text =
      "gravity: [0, 0, 0]\n" +
      pendulum(
          "    drives: {hinge: {stiffness: 2, damping: 0.1, target: 1, torque: 0.05}}\n"
          "    actuators: {hinge: {ratio: 10, rotor_inertia: 0.01, viscous_friction: 0.5, "
          "dry_friction: 0.25, torque_limit: 30}}\n");
  Trial r(load(text));
  const model::Model& model = r.scene.first.scene.world.model;
  EXPECT_DOUBLE_EQ(model.rotor_inertia[0], 1.0);
  EXPECT_DOUBLE_EQ(r.scene.first.drive.stiffness[0], 20.0);
  EXPECT_DOUBLE_EQ(r.scene.first.drive.damping[0], 1.0);
  EXPECT_DOUBLE_EQ(r.scene.first.drive.tau[0], 0.5);
  EXPECT_DOUBLE_EQ(r.scene.first.drive.limit[0], 300.0);
  // (I + R^2 J) v+ / h = R (K (target - h v+) - D v+ + tau) - viscous v+ - dry
  const double h = 1e-3, inertia = 1.00036 + 1.0;
  r.step();
  const double v = r.state.v[0];
  EXPECT_NEAR(inertia * v / h, 20.0 * (1.0 - h * v) - 1.0 * v + 0.5 - 0.5 * v - 0.25, 1e-9);
  // stops where dry friction holds what is left of the spring
  r.run(60.0);
  EXPECT_LT(std::abs(r.state.v[0]), 1e-9);
  EXPECT_LE(std::abs(20.0 * (1.0 - r.state.q[0]) + 0.5), 0.25 + 1e-9);
}

TEST(SceneActuators, EffortLimitsAreTheUrdfsWhenAskedFor) {
  const auto text = [](const std::string& more) {
    return "robots: {h: {urdf: " + kModels + "humanoid.urdf, stand_on: 0, hold: {}" + more +
           "}}\nenvironment: {floor: {shape: {plane: {}}}}\n";
  };
  EXPECT_FALSE(load(text("")).first.drive.has_limits());
  const scene::Scene scene = load(text(", effort_limits: true"));
  const model::Model& model = scene.first.scene.world.model;
  EXPECT_EQ(scene.first.drive.limit[model.v_start[model.find_joint("h/left_ankle_roll")]], 110.0);
  EXPECT_EQ(scene.first.drive.limit[0], model::kInfinity);
  const scene::Scene own =
      load(text(", effort_limits: true, actuators: {'*_ankle_roll': {torque_limit: 7}}"));
  EXPECT_EQ(own.first.drive.limit[model.v_start[model.find_joint("h/left_ankle_roll")]], 7.0);
}

// ---- standing -----------------------------------------------------------------------------------

// Row K14: the humanoid is pushed and swings; at every step the ZMP of the balance of momentum is
// the CoP of the contacts.
TEST(SceneSensors, ZmpIsTheCopOfAHumanoidThatIsPushed) {
  Trial r(
      load("include: humanoid_stand.yaml\n"
           "forces: {push: {body: humanoid/chest, force: [40, 15, 0], from: 0.05, until: 0.2}}\n"
           "sensors:\n"
           "  b: {kind: balance, at: humanoid}\n"
           "  left: {kind: contact_force, at: humanoid/left_foot}\n"
           "  right: {kind: contact_force, at: humanoid/right_foot}\n"));
  double worst = 0.0, sway = 0.0;
  for (int n = 0; n < 1500; ++n) {
    r.step();
    ASSERT_EQ(r.report.status, 0u);
    for (int k = 0; k < 3; ++k) {
      worst = std::max(worst, std::abs(r.at("b/zmp", k) - r.at("b/cop", k)));
      EXPECT_NEAR(r.at("b/ground_force", k), r.at("left/force", k) + r.at("right/force", k), 1e-9);
    }
    sway = std::max(sway, std::abs(r.at("b/cop", 0) - r.at("b/com", 0)));
    EXPECT_GE(r.at("b/margin"), -1e-9);
  }
  std::printf("zmp - cop %.2e m, sway %.3f m\n", worst, sway);
  EXPECT_LT(worst, 1e-9);
  EXPECT_GT(sway, 0.01);
}

// ---- flexible joints, limits, snapshots -------------------------------------------------------

TEST(SceneFlexible, LinksOfAFlexibleJointStillDoNotCollide) {
  const std::string start =
      "environment: {floor: {shape: {plane: {}}}}\nrobots: {h: {urdf: " + kModels +
      "humanoid.urdf, stand_on: 0, hold: {}";
  const scene::Scene scene =
      load(start +
           ", flexible: {'*_ankle_*': {stiffness: 1000}, left_sole_fixed: {stiffness: 1000, "
           "directions: [[1, 0, 0], [0, 1, 0]]}}}}\n");
  const model::Model& model = scene.first.scene.world.model;
  EXPECT_TRUE(model.find_joint("h/left_ankle_roll_flex").valid());
  EXPECT_TRUE(model.find_joint("h/left_sole_fixed_flex1").valid());
  EXPECT_FALSE(model.find_joint("h/right_sole_fixed_flex0").valid());
  const int k = model.v_start[model.find_joint("h/left_ankle_pitch_flex")];
  EXPECT_EQ(scene.first.drive.stiffness[k], 1000.0);
  EXPECT_EQ(scene.first.drive.target[k], 0.0);
  const scene::Scene rigid = load(start + "}}\n");
  const auto& a = scene.first.scene.world.shapes;
  const auto& b = rigid.first.scene.world.shapes;
  ASSERT_EQ(a.size(), b.size());
  for (int i = 0; i < a.size(); ++i)
    for (int j = 0; j < i; ++j)
      EXPECT_EQ(a.filter.allows(i, j), b.filter.allows(i, j))
          << a.geometries[i].name << " " << a.geometries[j].name;
}

TEST(SceneModules, SnapshotsKeepWhatControllersRemember) {
  const testing::TemporaryFolder folder;
  const std::string text =
      pendulum(
          "    hold: {stiffness: 100, damping: 10}\n"
          "    actuators: {'*': {torque_limit: 3}}\n"
          "    controllers: {soft: {kind: admittance, mass: 0.5, damping: 1}}\n") +
      "forces: {pull: {body: arm/bob, point: [0, 0, -1], force: [4, 0, 0], until: 0.8}}\n";
  Trial whole(load(text));
  whole.run(0.5);
  const std::string file = folder.path("state.h5");
  save_snapshot(whole.scene, {whole.state}, file);
  Trial parts(load(text));
  parts.state = load_snapshot(parts.scene, file).state;
  EXPECT_EQ(parts.state.memory, whole.state.memory);
  whole.run(0.5), parts.run(0.5);
  EXPECT_EQ(whole.state.q, parts.state.q);
  EXPECT_EQ(whole.state.memory, parts.state.memory);
  ASSERT_EQ(whole.state.memory.find("arm/controllers/soft").size(), 2u);
  EXPECT_NE(whole.state.memory.find("arm/controllers/soft")[0], 0.0);
  // another controller, another scene
  std::string other = text;
  other.replace(other.find("mass: 0.5"), 9, "mass: 0.6");
  EXPECT_THROW(load_snapshot(load(other), file), Error);
}

// ---- materials --------------------------------------------------------------------------------

TEST(SceneMaterials, PairsCanBeGivenByName) {
  const scene::Scene scene = load(
      "materials: {default: {friction: 0.5}, rubber: {friction: 0.9, restitution: 0.8}, ice: "
      "{friction: 0.04}}\n"
      "material_pairs: {wet: {a: rubber, b: ice, friction: 0.3}, dull: {a: rubber, b: rubber, "
      "restitution: 0}}\n");
  const contact::MaterialTable& table = scene.first.scene.world.materials;
  ASSERT_EQ(table.size(), 3);
  EXPECT_DOUBLE_EQ(table.pair(1, 2).friction, 0.3);
  EXPECT_DOUBLE_EQ(table.pair(2, 1).friction, 0.3);
  EXPECT_DOUBLE_EQ(table.pair(1, 2).restitution, 0.8);  // left out: the rule
  EXPECT_DOUBLE_EQ(table.pair(1, 1).restitution, 0.0);
  EXPECT_DOUBLE_EQ(table.pair(1, 1).friction, 0.9);
  EXPECT_DOUBLE_EQ(table.pair(0, 2).friction, std::sqrt(0.5 * 0.04));
  EXPECT_EQ(complain("material_pairs: {x: {a: default, b: steel}}\n"),
            STANCE_SOURCE_DIR "/scenes/here.yaml:2:37: there is no material 'steel'");
}

// ---- what is refused --------------------------------------------------------------------------

TEST(SceneModules, MistakesAreToldInPlace) {
  using testing::contains;
  const auto controller = [](const std::string& what) {
    return pendulum("    controllers: {c: " + what + "}\n");
  };
  const std::vector<std::pair<std::string, std::string>> rows = {
      {controller("{kind: pd, joints: hing}"), "has no joint 'hing', did you mean 'hinge'?"},
      {controller(
           "{kind: admittance, trajectory: {keyframes: {a: {time: 1, joints: {hinge: 1}}}}}"),
       "admittance follows no trajectory"},
      {controller("{kind: pd, trajectory: {keyframes: {a: {time: 1, joints: {hinge: 1}}, b: {time: "
                  "1, joints: {hinge: 2}}}}}"),
       "the keyframe at 1 s comes after one at 1 s"},
      {controller("{kind: pd, trajectory: {file: none.csv}}"), "there is no file"},
      {controller("{kind: pd, contacts: true}"), "pd feels nothing of contacts"},
      {"robots: {h: {urdf: " + kModels +
           "humanoid.urdf, controllers: {g: {kind: computed_torque}}}}\n",
       "computed_torque is for robots on a fixed base"},
      {"robots: {h: {urdf: " + kModels +
           "humanoid.urdf, controllers: {g: {kind: pd, trajectory: {keyframes: {a: {time: 1, "
           "joints: "
           "{left_knee: 9}}}}}}}}\n",
       "'left_knee' would go to 9, beyond its limits"},
      {pendulum("    flexible: {hinge: {stiffness: 10}}\n"), "motor needs a rotor inertia"},
      {"forces: {f: {body: nothing, force: [1, 0, 0]}}\n", "there is no object or link 'nothing'"},
      {pendulum("") + "forces: {f: {body: arm/bob, from: 2, until: 1}}\n", "ends at 1 s, before"},
      {pendulum("") + "sensors: {s: {kind: force_torque, at: arm/hing}}\n",
       "no joint 'arm/hing', did you mean 'arm/hinge'?"},
      {pendulum("") + "sensors: {s: {kind: force_torque, at: arm/hinge, gain: [1, 2]}}\n",
       "'gain' has 2 numbers, not 6 or 36"},
      {pendulum("") +
           "sensors: {s: {kind: force_torque, at: arm/hinge, gain: [1, 1, 1, 1, 1, 0]}}\n",
       "has no inverse"},
      {pendulum("") + "sensors: {s: {kind: balance, at: arm}}\n", "bolted to the world"},
      {pendulum("") + "sensors: {s: {kind: encoders, at: leg}}\n", "there is no robot 'leg'"},
      {pendulum("") + "sensors: {s: {kind: contact_force, at: arm/none}}\n", "has no shape"},
      {pendulum("") + "expect: {readings: {a/b: {values: [1], tolerance: 1}}}\n",
       "no sensor has the channel 'a/b'"},
      {pendulum("") +
           "sensors: {s: {kind: imu, at: arm/bob}}\nexpect: {readings: {s/gyro: {values: "
           "[1], tolerance: 1}}}\n",
       "'s/gyro' has 3 columns, not 1"},
  };
  for (const auto& [text, wanted] : rows) {
    const std::string said = complain(text);
    EXPECT_TRUE(contains(said, wanted)) << text << "\nsaid: " << said;
    EXPECT_TRUE(contains(said, "here.yaml:") || contains(said, "pendulum.urdf:25")) << said;
  }
}

TEST(JointTable, MistakesAreToldInPlace) {
  const testing::TemporaryFolder folder;
  const auto complain_of = [&](const std::string& csv) {
    const std::string file = folder.path("t.csv");
    std::ofstream(file) << csv;
    return complain(
        pendulum("    controllers: {c: {kind: pd, trajectory: {file: " + file + "}}}\n"));
  };
  using testing::contains;
  EXPECT_EQ(complain_of("time,hinge\n0,0\n1,0.5\n"), "");
  EXPECT_TRUE(
      contains(complain_of("t,hinge\n0,0\n"), "t.csv:1:1: the first column must be 'time'"));
  EXPECT_TRUE(contains(complain_of("time,hinge\n0,0\n1, x\n"), "t.csv:3:4: 'x' is not"));
  EXPECT_TRUE(contains(complain_of("time,hinge\n0,0\n0,1\n"), "t.csv:3:1: times must grow"));
  EXPECT_TRUE(contains(complain_of("time,hinge\n0,0,1\n"), "t.csv:2:1: 3 numbers in a table of 2"));
  EXPECT_TRUE(contains(complain_of("time,hip\n0,0\n"), "has no joint 'hip'"));
  EXPECT_TRUE(contains(complain_of(""), "there are no keyframes"));
}

// ---- sensors in fixed joints ------------------------------------------------------------------

// A leg of 3 kg, a foot of 1 kg on it by a fixed joint: the cell between them has the leg's weight,
// and by its equation the whole of what the ground gives. Bolted down it has all that hangs on it.
TEST(SceneSensors, ForceTorqueSitsInAFixedJointToo) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.path("leg.urdf");
  const auto link = [](const std::string& name, const std::string& mass) {
    return "<link name='" + name + "'><inertial><mass value='" + mass +
           "'/><inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial>"
           "<collision><geometry><box size='0.2 0.2 0.1'/></geometry></collision></link>";
  };
  std::ofstream(file) << "<robot name='leg'>" << link("leg", "3") << link("foot", "1")
                      << "<joint name='ankle' type='fixed'><parent link='leg'/>"
                         "<child link='foot'/><origin xyz='0 0 -0.5'/></joint></robot>";
  const auto text = [&](const std::string& base, const std::string& joint) {
    return "environment: {floor: {shape: {plane: {}}}}\nrobots: {r: {urdf: " + file +
           ", base: " + base +
           ", position: [0, 0, 0.55]}}\nsensors: {cell: {kind: force_torque, at: r/" + joint +
           "}}\n";
  };
  Trial standing(load(text("free", "ankle")));
  standing.run(0.1);
  EXPECT_NEAR(standing.at("cell/force", 2), 3.0 * 9.81, 1e-6);
  EXPECT_NEAR(standing.at("cell/external_force", 2), 4.0 * 9.81, 1e-6);
  Trial bolted(load(text("fixed", "leg_fixed")));
  bolted.run(0.1);
  EXPECT_NEAR(bolted.at("cell/force", 2), -4.0 * 9.81, 1e-9);
  EXPECT_NEAR(bolted.at("cell/external_force", 2), 0.0, 1e-9);
  EXPECT_TRUE(testing::contains(complain(text("free", "ankel")),
                                "no joint 'r/ankel', did you mean 'r/ankle'?"));
}

// ---- plugins ----------------------------------------------------------------------------------

std::string with_plugin(const std::string& library) {
  return pendulum("") + "plugins: {sway: {library: " + library +
         ", numbers: {amplitude: 0.4, frequency: 0.25, stiffness: 1e6}}}\n";
}

TEST(Plugin, ActsMeasuresAndRemembers) {
  Trial r(load(with_plugin(STANCE_SWAY)));
  ASSERT_EQ(r.state.memory.find("sway/1").size(), 1u);
  r.run(1.0);
  EXPECT_NEAR(r.joint("arm/hinge"), 0.4, 1e-3);  // a quarter of its period
  EXPECT_NEAR(r.state.memory.find("sway/1")[0], 0.5 * 3.14159265358979, 1e-9);
  EXPECT_EQ(r.at("sway/angle"), r.joint("arm/hinge"));
  Trial fresh(load(with_plugin(STANCE_SWAY)));
  fresh.state = r.state;
  r.run(0.5), fresh.run(0.5);
  EXPECT_EQ(r.state.q, fresh.state.q);
}

TEST(Plugin, WhatIsNoneIsRefused) {
  using testing::contains;
  const testing::TemporaryFolder folder;
  const std::string text = folder.path("text.so");
  std::ofstream(text) << "not a library";
  EXPECT_TRUE(contains(complain(with_plugin(text)), "cannot be loaded"));
  EXPECT_TRUE(contains(complain(with_plugin("none.so")), "there is no file"));
  EXPECT_TRUE(contains(complain("plugins: {sway: {library: " STANCE_SWAY "}}\n"),
                       "here.yaml:2:17: sway needs a robot with a joint"));
}

}  // namespace
}  // namespace stance::io
