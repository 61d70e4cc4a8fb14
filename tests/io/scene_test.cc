// Scenes from text: what is read, what is worked out, where errors point.

#include "stance/io/scene.h"

#include <cmath>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "stance/io/urdf.h"
#include "stance/kernel/random.h"

#include "run_program.h"
#include "support/slow.h"
#include "urdf_text.h"

namespace stance::io {
namespace {

using testing::TemporaryFolder;

constexpr int kTries = test::kIsSlow ? 60 : 400;

const std::string kModels = STANCE_SOURCE_DIR "/models/";

scene::Scene load(const std::string& text, scene::Settings options = {}) {
  options.file = "scene.yaml";
  return parse_scene("version: 1\n" + text, options);
}

std::string complain(const std::string& text, const scene::Settings& options = {}) {
  try {
    load(text, options);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

kernel::Vec3d position(const scene::Scene& scene, const std::string& name) {
  const model::Model& model = scene.first.scene.world.model;
  const double* q = scene.first.scene.start.q.data() + model.q_start[model.find_body(name)] + 4;
  return {q[0], q[1], q[2]};
}

double joint(const scene::Scene& scene, const std::string& name) {
  const model::Model& model = scene.first.scene.world.model;
  return scene.first.scene.start.q[model.q_start[model.find_joint(name)]];
}

const std::string kBall = "{shape: {sphere: {radius: 0.1}}, mass: 1, position: [0, 0, 1]}";

TEST(Scene, VariablesCanBeSet) {
  const std::string text =
      "variables: {height: 2, twice: 2 * height}\n"
      "objects: {ball: {shape: {sphere: {radius: 0.1}}, mass: twice, position: [0, 0, height]}}\n";
  EXPECT_EQ(position(load(text), "ball")[2], 2.0);
  scene::Settings options;
  options.set = {{"height", "3 + 1"}};
  const scene::Scene scene = load(text, options);
  EXPECT_EQ(position(scene, "ball")[2], 4.0);
  EXPECT_EQ(scene.first.scene.world.model.total_mass(), 8.0);
  options.set = {{"hight", "3"}};
  EXPECT_EQ(complain(text, options),
            "scene.yaml: --set hight=3: the scene has no variable 'hight', did you mean 'height'?");
  options.set = {{"height", "tall"}};
  EXPECT_NE(complain(text, options).find("--set height=tall"), std::string::npos);
}

// A question mark in the line does not hide bytes that are no UTF-8.
TEST(Scene, LinesMustBeUtf8) {
  EXPECT_NE(complain("about: 'caf\xe9'\n").find("not UTF-8"), std::string::npos);
  EXPECT_NE(complain("about: 'caf\xe9?'\n").find("not UTF-8"), std::string::npos);
  EXPECT_EQ(complain("about: 'caf\xc3\xa9?'\n"), "");
}

TEST(Scene, TextsAreVariablesToo) {
  const std::string text = "variables: {model: \"cube\"}\nrobots: {r: {urdf: '" + kModels +
                           "${model}.urdf', stand_on: 0}}\n";
  EXPECT_EQ(load(text).first.scene.world.model.total_mass(), 1.0);
  scene::Settings options;
  options.set = {{"model", "brick"}};
  EXPECT_EQ(load(text, options).first.scene.world.model.total_mass(), 2.0);
}

TEST(Scene, CopiesCountThemselves) {
  const scene::Scene scene = load(
      "objects: {box: {shape: {box: {size: [0.1, 0.1, 0.1]}}, density: 1000, copies: 3, position: "
      "[i, 0, 0]}}\n");
  ASSERT_EQ(scene.first.scene.bodies.size(), 3u);
  for (int k = 0; k < 3; ++k)
    EXPECT_EQ(position(scene, "box" + std::to_string(k))[0], static_cast<double>(k));
  EXPECT_NEAR(scene.first.scene.world.model.total_mass(), 3.0, 1e-12);
}

TEST(Scene, TheSeedDecidesWhatIsDrawn) {
  const std::string text =
      "objects: {ball: {shape: {sphere: {radius: 0.1}}, mass: 1, copies: 3, position: [i, 0, "
      "\"random(1, 2)\"]}}\n";
  const scene::Scene a = load(text), b = load(text), c = load("seed: 2\n" + text);
  scene::Settings options;
  options.seed = 2;
  const scene::Scene d = load(text, options);
  EXPECT_EQ(position(a, "ball1")[2], position(b, "ball1")[2]);
  EXPECT_NE(position(a, "ball1")[2], position(a, "ball2")[2]);
  EXPECT_NE(position(a, "ball1")[2], position(c, "ball1")[2]);
  EXPECT_EQ(position(c, "ball1")[2], position(d, "ball1")[2]);
}

// Variables draw from numbers of their own: the same in every load, and apart from each other.
TEST(Scene, VariablesMayBeRandom) {
  const auto load = [](const std::string& variables,
                       std::vector<std::pair<std::string, std::string>> set,
                       std::optional<std::uint64_t> seed) {
    scene::Settings options;
    options.file = "scene.yaml", options.set = std::move(set), options.seed = seed;
    const scene::Scene scene =
        parse_scene("version: 1\nvariables:\n" + variables +
                        "seed: 5\nobjects: {a: {shape: {sphere: {radius: "
                        "1}}, mass: m, position: [a, b, \"random(0, 1)\"]}}\n",
                    options);
    const std::vector<double>& q = scene.first.scene.start.q;
    return std::vector<double>{q[4], q[5], q[6], scene.first.scene.world.model.mass[1]};
  };
  const std::string all = "  a: random(0, 9)\n  b: random(0, 9)\n  m: random(1, 2)\n";
  const std::vector<double> first = load(all, {}, {}), other = load(all, {}, 6);
  EXPECT_EQ(first, load(all, {}, 5));
  for (int k = 0; k < 4; ++k) EXPECT_NE(first[k], other[k]);
  EXPECT_NE(first[0], first[1]);
  std::vector<double> set = load(all, {{"a", "3"}}, {});
  EXPECT_EQ(set[0], 3.0);
  set[0] = first[0];
  EXPECT_EQ(set, first) << "what is not set stays";
  // a seed that is made of a variable comes too late for them
  EXPECT_THROW(
      parse_scene("version: 1\nvariables:\n  a: random(0, 1)\n  n: 3\nseed: n\n", "s.yaml"), Error);
}

TEST(Scene, PosesAreGivenInThreeWays) {
  const auto turn = [](const std::string& words) {
    const scene::Scene scene =
        load("objects: {b: {shape: {box: {size: [1, 2, 3]}}, mass: 1, " + words + "}}\n");
    return Eigen::Map<const Eigen::Vector4d>(scene.first.scene.start.q.data()).eval();
  };
  const Eigen::Vector4d rpy = turn("rpy: [0.1, 0.2, 0.3]");
  const Eigen::Quaterniond wanted = Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitZ()) *
                                    Eigen::AngleAxisd(0.2, Eigen::Vector3d::UnitY()) *
                                    Eigen::AngleAxisd(0.1, Eigen::Vector3d::UnitX());
  EXPECT_NEAR(rpy[0], wanted.w(), 1e-15);
  EXPECT_NEAR(rpy[1], wanted.x(), 1e-15);
  EXPECT_NEAR(rpy[3], wanted.z(), 1e-15);
  EXPECT_LT(
      (turn("turn: {axis: [0, 0, 2], angle: pi/2}") - turn("quaternion: [3, 0, 0, 3]")).norm(),
      1e-15);
}

TEST(Scene, FramesCarryWhatStandsOnThem) {
  const scene::Scene scene = load(
      "environment: {ramp: {shape: {plane: {}}, turn: {axis: [0, 1, 0], angle: pi/2}, position: "
      "[5, 0, 0]}}\n"
      "objects: {b: {shape: {sphere: {radius: 0.1}}, mass: 1, frame: ramp, position: [1, 0, 2], "
      "velocity: [1, 0, 0], spin: [0, 1, 0]}}\n");
  const kernel::Vec3d p = position(scene, "b");
  EXPECT_NEAR(p[0], 7.0, 1e-15);
  EXPECT_NEAR(p[2], -1.0, 1e-15);
  EXPECT_NEAR(scene.first.scene.start.v[5], -1.0, 1e-15);
  EXPECT_NEAR(scene.first.scene.start.v[1], 1.0, 1e-15);
}

TEST(Scene, IncludesGiveWay) {
  const TemporaryFolder folder;
  folder.write("parts/base.yaml",
               "version: 1\nstep: 0.002\nvariables: {h: 1, w: 2}\n"
               "robots: {r: {urdf: cube.urdf, stand_on: 0}}\n"
               "objects:\n  one: " +
                   kBall +
                   "\n  two: {shape: {sphere: {radius: 0.1}}, mass: 1, "
                   "position: [w, 0, 5]}\n");
  folder.write("parts/cube.urdf", testing::read_file(kModels + "cube.urdf"));
  const std::string path = folder.write(
      "scene.yaml",
      "include: parts/base.yaml\nversion: 1\nduration: 3\nvariables: {h: 4}\n"
      "objects:\n  one: {shape: {sphere: {radius: 0.2}}, mass: 7, position: [0, 0, h]}\n");
  const scene::Scene scene = load_scene(path);
  EXPECT_EQ(scene.spec().step, 0.002);
  EXPECT_EQ(scene.spec().duration, 3.0);
  EXPECT_EQ(position(scene, "one")[2], 4.0);
  EXPECT_EQ(position(scene, "two")[0], 2.0);
  EXPECT_EQ(scene.first.scene.world.model.total_mass(), 9.0)
      << "the robot's file lies beside its scene";
}

TEST(Scene, FinalStatesAreOfBodiesOrOfJoints) {
  const std::string head = "robots: {p: {urdf: '" + kModels + "pendulum.urdf'}}\nexpect: {final: ";
  EXPECT_EQ(complain(head + "{p/hinge: {value: 0, tolerance: 1}}}\n"), "");
  EXPECT_NE(
      complain(head + "{p/hinge: {value: 0, z: 0, tolerance: 1}}}\n").find("no object or link"),
      std::string::npos);
  EXPECT_NE(complain(head + "{p/hing: {rate: 0, tolerance: 1}}}\n").find("did you mean 'p/hinge'?"),
            std::string::npos);
}

TEST(Scene, RobotsStartAsTold) {
  const std::string urdf = "urdf: '" + kModels + "humanoid.urdf'";
  const scene::Scene scene = load(
      "environment: {floor: {shape: {plane: {}}}}\n"
      "robots: {h: {" +
      urdf + ", stand_on: 0, joints: {'*_knee': 0.5, left_knee: 0.6}}}\n");
  EXPECT_EQ(joint(scene, "h/right_knee"), 0.5);
  EXPECT_EQ(joint(scene, "h/left_knee"), 0.6);
  EXPECT_NE(complain("robots: {h: {" + urdf + ", joints: {left_kne: 1}}}\n").find("scene.yaml:2:"),
            std::string::npos);
  EXPECT_NE(complain("robots: {h: {" + urdf + ", joints: {left_kne: 1}}}\n")
                .find("did you mean 'left_knee'?"),
            std::string::npos);
  EXPECT_NE(complain("robots: {h: {" + urdf + ", joints: {left_knee: 9}}}\n").find("limits"),
            std::string::npos);
  scene::Settings options;
  options.joints = {{"knee", "0.7"}};
  const scene::Scene bent =
      load("robots: {h: {" + urdf + ", joints: {left_knee: 0.6}}}\n", options);
  EXPECT_EQ(joint(bent, "h/left_knee"), 0.7);
  EXPECT_EQ(joint(bent, "h/right_knee"), 0.7);
  options.joints = {{"tail", "0.7"}};
  EXPECT_NE(complain("robots: {h: {" + urdf + "}}\n", options).find("--joint tail"),
            std::string::npos);
}

TEST(Scene, AFixedBaseStandsWhereItIsPut) {
  const scene::Scene scene = load("robots: {p: {urdf: '" + kModels +
                                  "pendulum.urdf', position: [1, 2, 3], joints: {hinge: 0.3}}}\n");
  const model::Model& model = scene.first.scene.world.model;
  dynamics::Kinematics<double> kin(model);
  update_kinematics(model, std::span<const double>(scene.first.scene.start.q), kin);
  const kernel::Vec3d p = kin.calc_position(model, model::BodyIndex(1), kernel::Vec3d(0, 0, 0));
  const model::Model alone = load_urdf(kModels + "pendulum.urdf").model;
  EXPECT_NEAR(p[0], 1.0 + alone.p_PJ[1][0], 1e-15);
  EXPECT_NEAR(p[1], 2.0 + alone.p_PJ[1][1], 1e-15);
  EXPECT_NEAR(p[2], 3.0 + alone.p_PJ[1][2], 1e-15);
}

// Of a scene and of a robot alone; not-a-numbers get past the ranges of a command line.
TEST(Scene, DurationsThatAreNoneAreRefused) {
  scene::Settings options;
  const auto run_both = [&] {
    const std::string sentence = complain("objects: {ball: " + kBall + "}\n", options);
    try {
      options.file = kModels + "pendulum.urdf";
      io::load_scene(options);
      EXPECT_EQ(sentence, "");
    } catch (const Error& error) {
      EXPECT_EQ(sentence, error.what());
    }
    return sentence;
  };
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL, -1.0, 0.0}) {
    options.duration = bad;
    EXPECT_NE(run_both().find("a duration of"), std::string::npos) << bad;
  }
  options.duration = 2.0;
  EXPECT_EQ(run_both(), "");
  EXPECT_EQ(load("objects: {ball: " + kBall + "}\n", options).spec().duration, 2.0);
}

TEST(Scene, GainsFollowWhatAJointCarries) {
  const scene::Scene scene = load("robots: {p: {urdf: '" + kModels +
                                  "pendulum.urdf', hold: {frequency: 2, damping_ratio: 0.5}}}\n");
  const double w = 2.0 * M_PI * 2.0, inertia = 1.00036;  // models/README.md
  EXPECT_NEAR(scene.first.drive.stiffness[0], inertia * w * w, 1e-4 * w * w);
  EXPECT_NEAR(scene.first.drive.damping[0], 2.0 * 0.5 * inertia * w, 1e-4 * w);

  // a leg that stands carries the rest
  const scene::Scene robot = io::load_scene(kModels + "humanoid.urdf");
  const model::Model& model = robot.first.scene.world.model;
  const auto stiffness = [&](const char* name) {
    return robot.first.drive.stiffness[model.v_start[model.find_joint(name)]];
  };
  EXPECT_GT(stiffness("left_ankle_pitch"), 100.0 * stiffness("left_wrist_pitch"));
  EXPECT_DOUBLE_EQ(stiffness("left_ankle_pitch"), stiffness("right_ankle_pitch"));
}

TEST(Scene, ConstraintsTakeTheirSecondFrameFromTheStart) {
  const std::string head = "objects: {ball: " + kBall + "}\nconstraints: ";
  const scene::Scene hung = load(head +
                                 "{c: {kind: ball, a: {body: ball, position: [0, 0, 0.1]}, b: "
                                 "{body: world}}}\n");
  ASSERT_EQ(hung.first.scene.world.loops.size(), 1u);
  EXPECT_NEAR(hung.first.scene.world.loops[0].p_BG[2], 1.1, 1e-15);
  EXPECT_EQ(hung.first.scene.world.loops[0].name, "c");
  const scene::Scene string = load(
      head + "{c: {kind: distance, a: {body: ball}, b: {body: world, position: [0, 0, 3]}}}\n");
  EXPECT_NEAR(string.first.scene.world.loops[0].length, 2.0, 1e-15);
  EXPECT_NE(
      complain(head + "{c: {kind: ball, a: {body: ball}, b: {body: world, position: [0, 0, 3]}}}\n")
          .find("the constraint 'c' is off by 2 m at the start"),
      std::string::npos);
}

TEST(Scene, OverlapAtTheStartIsRefusedByName) {
  EXPECT_EQ(
      complain("environment: {floor: {shape: {plane: {}}}}\nobjects: {ball: {shape: {sphere: "
               "{radius: 0.1}}, mass: 1, position: [0, 0, 0.05]}}\n"),
      "scene.yaml:3:17: 'floor' and 'ball' overlap by 50 mm at the start; move them apart, or name "
      "the pair under ignore_collisions:");
  EXPECT_EQ(complain("environment: {floor: {shape: {plane: {}}}}\nobjects: {ball: {shape: {sphere: "
                     "{radius: 0.1}}, mass: 1, position: [0, 0, 0.05]}}\n"
                     "ignore_collisions: [[ball, floor]]\n"),
            "");
}

TEST(Scene, HeightsFollowAFormula) {
  const std::string head =
      "environment: {hill: {shape: {height_field: {columns: 5, rows: 5, "
      "spacing: [1, 1], height: ";
  EXPECT_EQ(complain(head + "0.1 * x * y}}}}\n"), "");
  EXPECT_NE(complain(head + "0.1 * z}}}}\n").find("no variable 'z'"), std::string::npos);
}

TEST(Scene, ManyMistakesAreCountedAndListed) {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("bad.yaml",
                   "version: 1\nstep: fast\ngravty: 3\nobjects:\n  ball: {mass: "
                   "-1}\n");
  const SceneReport report = check_scene(scene::Settings{path});
  ASSERT_EQ(report.errors.size(), 4u);
  EXPECT_EQ(report.errors[0].place.line, 2);
  EXPECT_EQ(report.errors[0].place.column, 7);
  EXPECT_EQ(report.errors[1].what,
            "there is no key 'gravty' in the scene, did you mean 'gravity'?");
  try {
    load_scene(path);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("and 3 more problems"), std::string::npos);
  }
}

// ---- hostile files ----------------------------------------------------------------------------

TEST(SceneText, CutAnywhereNeverHarms) {
  const std::string whole =
      testing::read_file(STANCE_SOURCE_DIR "/tests/data/scenes/every_key.yaml");
  ASSERT_GT(whole.size(), 1000u);
  for (std::size_t length = 0; length < whole.size(); length += whole.size() / kTries) {
    try {
      parse_scene(whole.substr(0, length), STANCE_SOURCE_DIR "/tests/data/scenes/cut.yaml");
    } catch (const Error& error) {
      EXPECT_FALSE(std::string(error.what()).empty());
    }
  }
}

TEST(SceneText, FlippedBytesNeverHarm) {
  const std::string whole =
      testing::read_file(STANCE_SOURCE_DIR "/tests/data/scenes/every_key.yaml");
  kernel::Random random(11);
  const std::string_view nasty = "\t\n:{}[]&*!|>'\"%@`#,-?0eE.~\0\xff";
  for (int k = 0; k < kTries; ++k) {
    std::string text = whole;
    for (int n = 0; n < 3; ++n)
      text[random.integer(static_cast<int>(text.size()))] =
          nasty[random.integer(static_cast<int>(nasty.size()))];
    try {
      parse_scene(text, STANCE_SOURCE_DIR "/tests/data/scenes/flipped.yaml");
    } catch (const Error& error) {
      EXPECT_FALSE(std::string(error.what()).empty());
    }
  }
}

TEST(SceneText, DepthHasALimit) {
  for (const int depth : {100, 100000}) {
    const std::string open(depth, '['), close(depth, ']');
    EXPECT_NE(complain("gravity: " + open + close).find("levels deep"), std::string::npos);
    EXPECT_NE(complain("gravity: " + open), "");
  }
  std::string block = "gravity:\n";
  for (int k = 1; k < 100; ++k) block += std::string(k, ' ') + "a:\n";
  EXPECT_NE(complain(block).find("levels deep"), std::string::npos);
}

TEST(SceneText, SizeHasALimit) {
  const TemporaryFolder folder;
  const std::string path = folder.write("huge.yaml", std::string(kMostSceneBytes + 1, ' '));
  EXPECT_THROW(load_scene(path), Error);
  EXPECT_NE(complain("about: " + std::string(kMostSceneBytes, 'x')).find("16 MB"),
            std::string::npos);
}

TEST(SceneText, IncludesInACircleAreNamed) {
  const TemporaryFolder folder;
  const std::string a = folder.write("a.yaml", "version: 1\ninclude: b.yaml\n");
  folder.write("b.yaml", "include: [c.yaml]\n");
  folder.write("c.yaml", "include: a.yaml\n");
  try {
    load_scene(a);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("a.yaml -> b.yaml -> c.yaml -> a.yaml"),
              std::string::npos)
        << error.what();
    EXPECT_EQ(error.place().line, 1);
  }
}

// Each file includes the next one ten times.
TEST(SceneText, IncludesDoNotMultiply) {
  const TemporaryFolder folder;
  for (int k = 0; k < 6; ++k) {
    std::string list;
    for (int n = 0; n < 10; ++n) list += "f" + std::to_string(k + 1) + ".yaml, ";
    folder.write("f" + std::to_string(k) + ".yaml", "include: [" + list + "]\n");
  }
  folder.write("f6.yaml", "step: 0.1\n");
  EXPECT_THROW(load_scene(folder.path("f0.yaml")), Error);
}

}  // namespace
}  // namespace stance::io
