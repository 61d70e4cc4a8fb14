#include "stance/io/urdf.h"

#include <locale>
#include <thread>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "finite_robot.h"
#include "urdf_text.h"

namespace stance::io {
namespace {

using model::JointType;
using testing::inertial_text;
using testing::joint_text;
using testing::link_text;
using testing::robot_text;
using testing::TemporaryFolder;

constexpr double kTight = 1e-15;  // a few roundings of numbers of size one

Robot parse(const std::string& body, const RobotOptions& options = {}) {
  return parse_urdf(robot_text(body), "test.urdf", options);
}

std::string two_links(const std::string& type, const std::string& more = "") {
  return link_text("base") + link_text("arm") + joint_text("j", type, "base", "arm", more);
}

Eigen::Matrix3d rpy(double roll, double pitch, double yaw) {
  return (Eigen::AngleAxisd(yaw, Eigen::Vector3d::UnitZ()) *
          Eigen::AngleAxisd(pitch, Eigen::Vector3d::UnitY()) *
          Eigen::AngleAxisd(roll, Eigen::Vector3d::UnitX()))
      .toRotationMatrix();
}

bool has_warning(const Robot& robot, const std::string& part) {
  for (const Warning& warning : robot.warnings)
    if (warning.text().find(part) != std::string::npos) return true;
  return false;
}

// ---- the tree -------------------------------------------------------------------------------

TEST(Urdf, KeepsTheOrderOfTheFile) {
  const Robot robot =
      parse(link_text("z") + link_text("m") + link_text("a") + link_text("b") +
            joint_text("2", "revolute", "z", "m") + joint_text("1", "revolute", "z", "a") +
            joint_text("0", "revolute", "m", "b"));
  EXPECT_EQ(robot.model.name, "test");
  EXPECT_EQ(robot.model.body_name, (std::vector<std::string>{"world", "z", "m", "b", "a"}));
  EXPECT_EQ(robot.model.joint_name, (std::vector<std::string>{"", "z_free", "2", "0", "1"}));
  EXPECT_TRUE(robot.warnings.empty());
}

TEST(Urdf, PutsJointFramesWhereOriginsSay) {
  const Robot robot =
      parse(two_links("revolute", "<origin xyz=\"1 -2 3.5\" rpy=\"0.3 -0.4 1.2\"/>"));
  EXPECT_EQ(robot.model.p_PJ[2].eigen(), Eigen::Vector3d(1, -2, 3.5));
  EXPECT_LT((robot.model.R_PJ[2].eigen() - rpy(0.3, -0.4, 1.2)).norm(), kTight);
}

TEST(Urdf, WithoutOriginTheFramesCoincideExactly) {
  const Robot robot = parse(two_links("revolute"));
  EXPECT_EQ(robot.model.R_PJ[2].eigen(), Eigen::Matrix3d::Identity());
  EXPECT_TRUE(robot.model.R_PJ_is_identity[2]);
}

TEST(Urdf, AxisDefaultsToX) {
  EXPECT_EQ(parse(two_links("revolute")).model.axis[2].eigen(), Eigen::Vector3d::UnitX());
}

TEST(Urdf, AxisIsScaledToOneWithAWarning) {
  const Robot robot = parse(two_links("revolute", "<axis xyz=\"0 3 4\"/>"));
  EXPECT_LT((robot.model.axis[2].eigen() - Eigen::Vector3d(0, 0.6, 0.8)).norm(), kTight);
  EXPECT_TRUE(has_warning(robot, "scaled to 1"));
}

TEST(Urdf, TurnsTheInertialFrame) {
  const std::string inertial =
      "<inertial><origin xyz=\"0.1 0.2 0.3\" rpy=\"0 0 1.5707963267948966\"/><mass value=\"2\"/>"
      "<inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"2\" iyz=\"0\" izz=\"2.5\"/></inertial>";
  const Robot robot = parse("<link name=\"base\">" + inertial + "</link>\n");
  EXPECT_EQ(robot.model.mass[1], 2.0);
  EXPECT_EQ(robot.model.com[1].eigen(), Eigen::Vector3d(0.1, 0.2, 0.3));
  const Eigen::Matrix3d expected = Eigen::Vector3d(2, 1, 2.5).asDiagonal();
  EXPECT_LT((robot.model.inertia[1].full().eigen() - expected).norm(), kTight);
}

// Two unit masses with unit moments, one 2 m along x of the other: the common centre is 1 m away
// from each, and Steiner adds 1 kg m^2 for each about y and z.
TEST(Urdf, MergesFixedJointsIntoOneBody) {
  const Robot robot = parse(link_text("base") + link_text("tool") +
                            joint_text("weld", "fixed", "base", "tool",
                                       "<origin xyz=\"2 0 0\" rpy=\"0 0 1.5707963267948966\"/>"));
  const model::Model& m = robot.model;
  EXPECT_EQ(m.nbody, 2);
  EXPECT_EQ(m.mass[1], 2.0);
  EXPECT_LT((m.com[1].eigen() - Eigen::Vector3d(1, 0, 0)).norm(), kTight);
  const Eigen::Matrix3d expected = Eigen::Vector3d(2, 4, 4).asDiagonal();
  EXPECT_LT((m.inertia[1].full().eigen() - expected).norm(), 4 * kTight);

  const model::FrameIndex tool = m.find_frame("tool");
  ASSERT_TRUE(tool.valid());
  EXPECT_EQ(m.frames[tool].body, model::BodyIndex(1));
  EXPECT_EQ(m.frames[tool].p_BF.eigen(), Eigen::Vector3d(2, 0, 0));
  EXPECT_LT((m.frames[tool].R_BF.eigen() - rpy(0, 0, 1.5707963267948966)).norm(), kTight);
}

TEST(Urdf, MergesChainsOfFixedJoints) {
  const std::string step = "<origin xyz=\"0 0 1\" rpy=\"0 1.5707963267948966 0\"/>";
  const Robot robot =
      parse(link_text("a") + link_text("b") + link_text("c") +
            joint_text("ab", "fixed", "a", "b", step) + joint_text("bc", "fixed", "b", "c", step));
  const model::Frame& c = robot.model.frames[robot.model.find_frame("c")];
  EXPECT_LT((c.p_BF.eigen() - Eigen::Vector3d(1, 0, 1)).norm(), kTight);
  EXPECT_LT((c.R_BF.eigen() - rpy(0, 3.141592653589793, 0)).norm(), kTight);
}

// ---- joints -----------------------------------------------------------------------------------

TEST(Urdf, ReadsLimitsAndLosses) {
  const Robot robot = parse(two_links(
      "prismatic", "<dynamics damping=\"0.5\" friction=\"0.25\" rotor_inertia=\"0.125\"/>"));
  const model::Model& m = robot.model;
  EXPECT_EQ(m.joint_type[2], JointType::kPrismatic);
  const int v = m.v_start[2];
  EXPECT_EQ(m.lower[v], -1.0);
  EXPECT_EQ(m.upper[v], 2.0);
  EXPECT_EQ(m.effort_limit[v], 3.0);
  EXPECT_EQ(m.velocity_limit[v], 4.0);
  EXPECT_EQ(m.damping[v], 0.5);
  EXPECT_EQ(m.friction[v], 0.25);
  EXPECT_EQ(m.rotor_inertia[v], 0.125);
  EXPECT_TRUE(robot.warnings.empty());
}

TEST(Urdf, RotorInertiaMayStandAlone) {
  const Robot robot = parse(two_links("revolute", "<dynamics rotor_inertia=\"0.5\"/>"));
  EXPECT_EQ(robot.model.rotor_inertia[robot.model.v_start[2]], 0.5);
}

TEST(Urdf, ContinuousJointsHaveNoPositionLimits) {
  const Robot robot = parse(two_links("continuous", "<limit effort=\"3\" velocity=\"4\"/>"));
  const int v = robot.model.v_start[2];
  EXPECT_EQ(robot.model.joint_type[2], JointType::kRevolute);
  EXPECT_EQ(robot.model.lower[v], -model::kInfinity);
  EXPECT_EQ(robot.model.upper[v], model::kInfinity);
  EXPECT_EQ(robot.model.effort_limit[v], 3.0);
}

TEST(Urdf, ReadsFloatingPlanarAndSphericalJoints) {
  const Robot robot = parse(link_text("a") + link_text("b") + link_text("c") + link_text("d") +
                            joint_text("f", "floating", "a", "b") +
                            joint_text("p", "planar", "a", "c", "<axis xyz=\"0 0 1\"/>") +
                            joint_text("s", "spherical", "a", "d"));
  const model::Model& m = robot.model;
  EXPECT_EQ(m.joint_type[m.find_joint("f")], JointType::kFree);
  EXPECT_EQ(m.joint_type[m.find_joint("p")], JointType::kPlanar);
  EXPECT_EQ(m.joint_type[m.find_joint("s")], JointType::kSpherical);
  EXPECT_EQ(m.nv, 6 + 6 + 3 + 3);
  EXPECT_EQ(m.nq, 7 + 7 + 3 + 4);
  EXPECT_TRUE(robot.warnings.empty());
}

TEST(Urdf, ReadsMimicsThroughOtherMimics) {
  const Robot robot =
      parse(link_text("a") + link_text("b") + link_text("c") + link_text("d") +
            joint_text("one", "revolute", "a", "b") +
            joint_text("two", "revolute", "b", "c",
                       "<mimic joint=\"one\" multiplier=\"-2\" offset=\"0.5\"/>") +
            joint_text("three", "revolute", "c", "d", "<mimic joint=\"two\" multiplier=\"3\"/>"));
  const model::Model& m = robot.model;
  ASSERT_EQ(m.mimics.size(), 2u);
  EXPECT_EQ(m.mimics[0].ratio, -2.0);
  EXPECT_EQ(m.mimics[0].offset, 0.5);
  EXPECT_EQ(m.mimics[1].leader, m.find_joint("one"));
  EXPECT_EQ(m.mimics[1].ratio, -6.0);
  EXPECT_EQ(m.mimics[1].offset, 1.5);
}

// ---- the base ---------------------------------------------------------------------------------

TEST(Urdf, RootLinkFloatsUnlessItIsNamedWorld) {
  EXPECT_EQ(parse(two_links("revolute")).model.nv, 7);
  for (const std::string name : {"world", "World", "WORLD"}) {
    const Robot robot = parse("<link name=\"" + name + "\"/>\n" + link_text("arm") +
                              joint_text("j", "revolute", name, "arm"));
    EXPECT_EQ(robot.model.nv, 1) << name;
    EXPECT_TRUE(robot.warnings.empty()) << name;
  }
}

TEST(Urdf, BaseCanBeChosen) {
  EXPECT_EQ(parse(two_links("revolute"), {BaseChoice::kFixed}).model.nv, 1);
  EXPECT_EQ(parse(two_links("revolute"), {BaseChoice::kFree}).model.nv, 7);
}

TEST(Urdf, TheWorldCannotFloat) {
  const std::string text =
      "<link name=\"world\"/>\n" + link_text("arm") + joint_text("j", "revolute", "world", "arm");
  EXPECT_THROW(parse(text, {BaseChoice::kFree}), Error);
}

TEST(Urdf, AJointMayHaveTheNameThatTheBaseWouldGet) {
  const Robot robot = parse(link_text("base") + link_text("arm") +
                            joint_text("base_free", "revolute", "base", "arm"));
  EXPECT_EQ(robot.model.nv, 7);
}

// ---- shapes -----------------------------------------------------------------------------------

TEST(Urdf, ReadsShapesAndColours) {
  const Robot robot = parse(
      "<material name=\"blue\"><color rgba=\"0 0 1 0.5\"/></material>\n" +
      link_text(
          "base",
          "<visual name=\"v\"><origin xyz=\"1 2 3\"/><geometry><box size=\"1 2 3\"/></geometry>"
          "<material name=\"blue\"/></visual>"
          "<visual><geometry><sphere radius=\"0.5\"/></geometry></visual>"
          "<collision><geometry><cylinder radius=\"0.25\" length=\"2\"/></geometry></collision>"
          "<collision><geometry><capsule radius=\"0.125\" length=\"4\"/></geometry></collision>"));
  ASSERT_EQ(robot.geometry.size(), 4u);
  const Geometry& box = robot.geometry[0];
  EXPECT_EQ(box.kind, ShapeKind::kBox);
  EXPECT_EQ(box.role, ShapeRole::kVisual);
  EXPECT_EQ(box.name, "v");
  EXPECT_EQ(box.link, "base");
  EXPECT_EQ(box.size.eigen(), Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(box.p_BG.eigen(), Eigen::Vector3d(1, 2, 3));
  EXPECT_TRUE(box.has_colour);
  EXPECT_EQ(box.colour, (std::array<double, 4>{0, 0, 1, 0.5}));
  EXPECT_EQ(robot.geometry[1].kind, ShapeKind::kSphere);
  EXPECT_EQ(robot.geometry[1].radius, 0.5);
  EXPECT_FALSE(robot.geometry[1].has_colour);
  EXPECT_EQ(robot.geometry[2].kind, ShapeKind::kCylinder);
  EXPECT_EQ(robot.geometry[2].length, 2.0);
  EXPECT_EQ(robot.geometry[2].role, ShapeRole::kCollision);
  EXPECT_EQ(robot.geometry[3].kind, ShapeKind::kCapsule);
  EXPECT_EQ(robot.geometry[3].radius, 0.125);
  EXPECT_EQ(robot.geometry[3].length, 4.0);
  EXPECT_TRUE(robot.warnings.empty());
}

TEST(Urdf, ShapesOfMergedLinksSitInTheBody) {
  const Robot robot = parse(
      link_text("base") +
      link_text(
          "tool",
          "<visual><origin xyz=\"1 0 0\"/><geometry><sphere radius=\"1\"/></geometry></visual>") +
      joint_text("weld", "fixed", "base", "tool",
                 "<origin xyz=\"0 0 1\" rpy=\"0 0 1.5707963267948966\"/>"));
  ASSERT_EQ(robot.geometry.size(), 1u);
  EXPECT_EQ(robot.geometry[0].body, model::BodyIndex(1));
  EXPECT_LT((robot.geometry[0].p_BG.eigen() - Eigen::Vector3d(0, 1, 1)).norm(), kTight);
}

// ---- what else there is in files --------------------------------------------------------------

TEST(Urdf, PassesOverOtherProgramsElementsInSilence) {
  const Robot robot = parse(
      "<gazebo reference=\"base\"><material>Gazebo/Grey</material></gazebo>\n"
      "<transmission name=\"t\"><joint name=\"j\"><x/></joint></transmission>\n"
      "<drake:thing/><ros2_control name=\"c\"/>\n" +
      two_links("revolute", "<safety_controller k_position=\"1\"/><calibration rising=\"x\"/>"));
  EXPECT_TRUE(robot.warnings.empty());
}

TEST(Urdf, TellsAllErrorsAtOnceAndThrowsTheFirst) {
  const std::string text = robot_text(
      "<link name=\"a\"><inertial><mass value=\"x\"/></inertial></link>\n"
      "<joint name=\"j\" type=\"hinge\"><parent link=\"a\"/><child link=\"b\"/></joint>\n");
  const UrdfReport report = check_urdf_text(text, "bad.urdf", {});
  EXPECT_FALSE(report.robot);
  ASSERT_EQ(report.errors.size(), 4u);
  EXPECT_EQ(report.errors[0].place.line, 2);
  EXPECT_EQ(report.errors[3].place.line, 3);
  try {
    parse_urdf(text, "bad.urdf", {});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.place().line, 2);
    EXPECT_EQ(error.place().file, "bad.urdf");
    EXPECT_NE(std::string(error.what()).find("and 3 more problems"), std::string::npos)
        << error.what();
  }
}

TEST(Urdf, StrictTurnsWarningsIntoErrors) {
  const std::string body = two_links("revolute", "<axis xyz=\"0 0 2\"/>");
  EXPECT_FALSE(parse(body).warnings.empty());
  EXPECT_THROW(parse(body, {BaseChoice::kAuto, true}), Error);
}

// Where decimals are written with a comma, streams of a library that forgets about it read 0.
TEST(Urdf, NumbersDoNotDependOnTheLocale) {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale(), new Comma));
  const Robot robot = parse(two_links("revolute", "<origin xyz=\"0.5 1234.25 1.5e-3\"/>"));
  std::locale::global(before);
  EXPECT_EQ(robot.model.p_PJ[2].eigen(), Eigen::Vector3d(0.5, 1234.25, 1.5e-3));
}

TEST(Urdf, SeveralThreadsMayReadAtTheSameTime) {
  const std::string text = robot_text(two_links("revolute"));
  std::vector<std::thread> threads;
  std::vector<int> velocities(4, 0);
  for (int& nv : velocities)
    threads.emplace_back([&text, &nv] {
      for (int k = 0; k < 50; ++k) nv = parse_urdf(text, "test.urdf").model.nv;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(velocities, std::vector<int>(4, 7));
}

// Reads every robot of our own models folder.
TEST(Urdf, OwnModelsAreWithoutWarnings) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(STANCE_SOURCE_DIR "/models")) {
    if (entry.path().extension() != ".urdf") continue;
    ++count;
    const Robot robot = load_urdf(entry.path().string());
    EXPECT_EQ(testing::find_non_finite(robot), "") << entry.path();
    for (const Warning& warning : robot.warnings) ADD_FAILURE() << warning.text();
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace stance::io
