// What a file is, is told by what it says: not by its name.

#include "stance/io/robot_reader.h"

#include <set>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "stance/io/scene.h"

#include "run_program.h"
#include "urdf_text.h"

namespace stance::io {
namespace {

const std::string kUrdf = testing::read_file(STANCE_SOURCE_DIR "/models/pendulum.urdf");
const char* const kScene =
    "version: 1\nobjects: {ball: {shape: {sphere: {radius: 0.1}}, mass: 1}}\n";
const char* const kMjcf = "<mujoco model=\"m\">\n  <worldbody/>\n</mujoco>\n";
const char* const kSdf =
    "<?xml version=\"1.0\"?>\n<sdf version=\"1.7\"><model name=\"m\"/></sdf>\n";

std::string_view find_name(const std::string& file) {
  const RobotReader* reader = find_robot_reader(file);
  return reader ? reader->name : "none";
}

// The error that f throws, or what it should have done.
template <class F>
std::string find_error(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(RobotReader, KnowsARobotUnderAnyName) {
  const testing::TemporaryFolder folder;
  for (const char* name : {"x.weird", "robot", "robot.yaml", "robot.xml", "a b.URDF.txt"}) {
    const std::string file = folder.write(name, kUrdf);
    EXPECT_EQ(find_name(file), "URDF") << name;
    EXPECT_FALSE(is_scene_file(file)) << name;
    EXPECT_EQ(load_robot(file).model.nv, 1) << name;
    const scene::Scene scene = load_scene(file);
    EXPECT_EQ(scene.spec().robots.size(), 1u) << name;
    EXPECT_EQ(scene.first.scene.world.model.nv, 1) << name;
  }
  for (const char* before : {"\n \t\r\n", "\xef\xbb\xbf"}) {
    const std::string text = kUrdf.substr(kUrdf.find("<!--"));  // a declaration must come first
    EXPECT_EQ(find_name(folder.write("before.weird", before + text)), "URDF");
    EXPECT_EQ(load_robot(folder.path("before.weird")).model.nv, 1);
  }
}

TEST(RobotReader, LeavesScenesUnderAnyName) {
  const testing::TemporaryFolder folder;
  for (const char* name : {"x.weird2", "scene", "scene.urdf", "scene.xml"}) {
    const std::string file = folder.write(name, kScene);
    EXPECT_EQ(find_name(file), "none") << name;
    EXPECT_TRUE(is_scene_file(file)) << name;
    EXPECT_EQ(load_scene(file).spec().objects.size(), 1u) << name;
  }
}

// They are XML, so the reader of URDF has a look and says what they are.
TEST(RobotReader, NamesFormatsThatItCannotRead) {
  const testing::TemporaryFolder folder;
  for (const auto& [text, name, line] :
       {std::tuple(kMjcf, "MJCF", "1"), std::tuple(kSdf, "SDF", "2")}) {
    const std::string file = folder.write("x.weird", text);
    EXPECT_FALSE(is_scene_file(file)) << name;
    for (const std::string& error :
         {find_error([&] { load_robot(file); }), find_error([&] { load_scene(file); })}) {
      EXPECT_TRUE(testing::contains(error, name)) << error;
      EXPECT_TRUE(testing::contains(error, file + ":" + line)) << error;
    }
  }
}

TEST(RobotReader, SaysWhatIsWrongWithAnythingElse) {
  const testing::TemporaryFolder folder;
  const std::string words = folder.write("x.weird", "a robot, a scene?\n");
  EXPECT_EQ(find_name(words), "none");
  EXPECT_TRUE(is_scene_file(words)) << "whoever reads it as one says what is wrong";
  EXPECT_TRUE(testing::contains(find_error([&] { load_robot(words); }), "this is not XML"));
  EXPECT_TRUE(testing::contains(find_error([&] { load_scene(words); }), words));
  const std::string empty = folder.write("empty.urdf", "");
  EXPECT_EQ(find_name(empty), "none");
  EXPECT_TRUE(testing::contains(find_error([&] { load_scene(empty); }), "the file is empty"));
  for (const std::string& none : {folder.path("missing.urdf"), folder.path()}) {
    EXPECT_EQ(find_name(none), "none");
    EXPECT_FALSE(is_scene_file(none));
    EXPECT_TRUE(testing::contains(find_error([&] { load_robot(none); }), none));
    EXPECT_TRUE(testing::contains(find_error([&] { load_scene(none); }), none));
  }
}

TEST(RobotReader, HasEachFormatOnce) {
  std::set<std::string_view> names;
  for (const RobotReader& reader : robot_readers()) {
    EXPECT_TRUE(names.insert(reader.name).second) << reader.name;
    EXPECT_FALSE(reader.recognises(kScene)) << reader.name;
    EXPECT_FALSE(reader.recognises("")) << reader.name;
  }
  EXPECT_TRUE(names.contains("URDF"));
}

}  // namespace
}  // namespace stance::io
