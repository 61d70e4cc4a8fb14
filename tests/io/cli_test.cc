// The program as a user meets it: exit codes, output, messages.

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "run_program.h"
#include "urdf_text.h"

namespace stance::io {
namespace {

using testing::contains;
using testing::Outcome;
using testing::run;
using testing::TemporaryFolder;

const std::string kHumanoid = "'" STANCE_SOURCE_DIR "/models/humanoid.urdf'";
const std::string kBroken = STANCE_SOURCE_DIR "/tests/data/broken_urdf/";

TEST(Cli, PrintsItsHelp) {
  const Outcome outcome = run("--help");
  EXPECT_EQ(outcome.code, 0);
  for (const char* word : {"view", "info", "check", "run", "solve", "bench", "Examples"})
    EXPECT_TRUE(contains(outcome.output, word)) << word;
  EXPECT_EQ(run("-h").output, outcome.output);
}

TEST(Cli, EveryCommandHasHelpWithAnExample) {
  for (const std::string command : {"view", "info", "check", "run", "solve", "bench"}) {
    const Outcome outcome = run(command + " --help");
    EXPECT_EQ(outcome.code, 0) << command;
    EXPECT_FALSE(outcome.output.empty()) << command;
    if (command != "bench") {
      EXPECT_TRUE(contains(outcome.output, "stance " + command + " ")) << outcome.output;
    }
  }
}

TEST(Cli, TellsItsVersion) {
  const Outcome outcome = run("--version");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.output, "stance 0.1.0 (")) << outcome.output;
}

TEST(Cli, WrongUsageExitsWithTwoAndSaysWhatIsMeant) {
  const Outcome slip = run("inof x.urdf");
  EXPECT_EQ(slip.code, 2);
  EXPECT_TRUE(contains(slip.errors, "did you mean 'info'?")) << slip.errors;
  EXPECT_EQ(run("info").code, 2);
  EXPECT_EQ(run("info x.urdf --no-such-flag").code, 2);
  EXPECT_EQ(run("info x.urdf --base sideways").code, 2);
  EXPECT_EQ(run("--no-such-flag").code, 2);
}

TEST(Cli, InfoShowsTheRobot) {
  const Outcome outcome = run("info " + kHumanoid);
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  for (const char* word : {"humanoid", "nq 37, nv 36", "right_knee", "└─", "revolute"})
    EXPECT_TRUE(contains(outcome.output, word)) << word;
  EXPECT_FALSE(contains(outcome.output, "\033")) << "colours belong to terminals";
}

TEST(Cli, InfoPrintsJson) {
  const Outcome outcome = run("info " + kHumanoid + " --json");
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const nlohmann::json json = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(json.at("name"), "humanoid");
  EXPECT_EQ(json.at("base"), "free");
  EXPECT_EQ(json.at("joints"), 30);
  EXPECT_EQ(json.at("bodies"), 31);
  EXPECT_EQ(json.at("nq"), 37);
  EXPECT_EQ(json.at("nv"), 36);
  EXPECT_NEAR(json.at("mass").get<double>(), 56.5, 1e-9);
  // the head of the file gives the straight pose: 0.8554 m above soles that are 0.705 m down
  EXPECT_NEAR(json.at("com")[2].get<double>(), 0.8554 - 0.705, 1e-4);
  EXPECT_EQ(json.at("tree").size(), 31u);
  EXPECT_EQ(json.at("warnings").size(), 0u);
  for (const char* key : {"frames", "mimics", "geometry", "meshes", "fixed_mass"})
    EXPECT_TRUE(json.contains(key)) << key;
}

TEST(Cli, InfoFixesTheBaseOnDemand) {
  const Outcome outcome = run("info " + kHumanoid + " --json --base fixed");
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(nlohmann::json::parse(outcome.output).at("nv"), 30);
}

TEST(Cli, InfoReadsStandardInput) {
  const Outcome outcome = run("info - --json <" + kHumanoid);
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(nlohmann::json::parse(outcome.output).at("nv"), 36);
}

TEST(Cli, InfoOfABrokenRobotNamesThePlace) {
  const Outcome outcome = run("info '" + kBroken + "mass_nan.urdf'");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(outcome.output.empty());
  EXPECT_TRUE(contains(outcome.errors, "mass_nan.urdf:4: <mass> in <link name=\"base\">: error: "))
      << outcome.errors;
  EXPECT_EQ(run("info no_such_file.urdf").code, 1);
}

TEST(Cli, CheckExitsWithOneOnErrorsAndListsThem) {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("bad.urdf",
                   "<robot name=\"bad\">\n<link name=\"a\"/>\n<link name=\"a\"/>\n"
                   "<joint name=\"j\" type=\"hinge\"><parent link=\"a\"/><child "
                   "link=\"c\"/></joint>\n</robot>\n");
  const Outcome outcome = run("check '" + path + "'");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.output, path + ":3: <link name=\"a\">: error: two links"))
      << outcome.output;
  EXPECT_TRUE(contains(outcome.output, path + ":4: <joint name=\"j\">: error: the joint type"))
      << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "child link 'c' does not exist")) << outcome.output;

  const Outcome json = run("check '" + path + "' --json");
  EXPECT_EQ(json.code, 1);
  const nlohmann::json parsed = nlohmann::json::parse(json.output);
  EXPECT_EQ(parsed.at("ok"), false);
  EXPECT_EQ(parsed.at("errors").size(), 3u);
  EXPECT_EQ(parsed.at("errors")[0].at("line"), 3);
}

TEST(Cli, CheckAllowsWarningsUnlessStrict) {
  const std::string path = "'" + kBroken + "mesh_missing.urdf'";
  const Outcome outcome = run("check " + path);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.output, "warning: the mesh meshes/no_such_file.stl is missing"))
      << outcome.output;
  EXPECT_EQ(run("check " + path + " --strict").code, 1);
  EXPECT_EQ(run("check " + kHumanoid + " --strict").code, 0);
}

TEST(Cli, CheckOpensTheMeshes) {
  const TemporaryFolder folder;
  folder.write("pkg/a.stl", "not a mesh");
  const std::string path = folder.write(
      "robots/r.urdf",
      testing::robot_text(testing::link_text(
          "base",
          "<visual><geometry><mesh filename=\"package://pkg/a.stl\"/></geometry></visual>")));
  const Outcome outcome = run("check '" + path + "'");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.output, "the mesh cannot be read")) << outcome.output;
  EXPECT_EQ(run("check '" + path + "' --strict").code, 1);
}

TEST(Cli, FindsPackagesByOptionAndEnvironment) {
  const TemporaryFolder folder;
  folder.write("ws/share/pkg/a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const std::string path = folder.write(
      "robots/r.urdf",
      testing::robot_text(testing::link_text(
          "base",
          "<visual><geometry><mesh filename=\"package://pkg/a.obj\"/></geometry></visual>")));
  EXPECT_EQ(run("check --strict '" + path + "'").code, 1);
  EXPECT_EQ(
      run("check --strict '" + path + "' --package-path '" + folder.path("ws/share") + "'").code,
      0);
  setenv("AMENT_PREFIX_PATH", folder.path("ws").c_str(), 1);
  EXPECT_EQ(run("check --strict '" + path + "'").code, 0);
  unsetenv("AMENT_PREFIX_PATH");
  setenv("ROS_PACKAGE_PATH", folder.path("ws/share").c_str(), 1);
  EXPECT_EQ(run("check --strict '" + path + "'").code, 0);
  unsetenv("ROS_PACKAGE_PATH");
}

}  // namespace
}  // namespace stance::io
