// The digest of a scene: what it is made of, down to the last key.

#include "stance/scene/digest.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "stance/io/scene.h"
#include "stance/scene/schema.h"

#include "io/urdf_text.h"

namespace stance::scene {
namespace {

SceneSpec read_every_key() {
  Settings settings{STANCE_SOURCE_DIR "/tests/data/scenes/every_key.yaml"};
  settings.set = {{"library", STANCE_SWAY}};
  return io::read_scene(settings).spec;
}

using Visitor =
    std::function<void(const std::string& path, const SceneGroup&, const SceneKey&, void* owner)>;

// All keys of all parts that a spec has, in the order of the schema.
void visit(const SceneGroup& group, const std::string& path, void* owner, const Visitor& visitor) {
  for (const SceneKey& key : group.keys) {
    const std::string here = path + "." + std::string(key.name);
    if (!key.group) {
      visitor(here, group, key, owner);
      continue;
    }
    for (std::size_t k = 0; k < key.field.count(owner); ++k)
      visit(*key.group, here + (key.field.name ? "." + *key.field.name(owner, k) : ""),
            const_cast<void*>(key.field.part(owner, k)), visitor);
  }
}

// Another value of the same kind.
FieldValue change(const SceneKey& key, FieldValue value) {
  const std::size_t count = key.kind == ValueKind::kVector   ? static_cast<std::size_t>(key.count)
                            : key.kind == ValueKind::kPoints ? 3
                                                             : 1;
  switch (key.kind) {
    case ValueKind::kName:
    case ValueKind::kText:
    case ValueKind::kTexts:
    case ValueKind::kPath:
    case ValueKind::kPaths:
    case ValueKind::kFormula:
      if (value.texts.empty()) value.texts.emplace_back();
      value.texts.back() += "x";
      return value;
    case ValueKind::kPairs: value.texts.insert(value.texts.end(), {"a", "b"}); return value;
    case ValueKind::kNumberMap:
      value.texts.emplace_back("x"), value.numbers.push_back(1.0);
      return value;
    case ValueKind::kFlag:
    case ValueKind::kChoice:
      value.numbers = {value.numbers.empty() || value.numbers[0] == 0.0 ? 1.0 : 0.0};
      break;
    default:
      if (value.numbers.empty()) value.numbers.assign(count, 0.0);
      value.numbers.back() += 0.5 * (1.0 + (key.kind == ValueKind::kInteger));
  }
  return value;
}

// Each key in turn: another value is another scene, but for those that say they do not matter.
TEST(Digest, EveryKeyCounts) {
  const SceneSpec spec = read_every_key();
  const std::string digest = calc_digest(spec);
  EXPECT_EQ(calc_digest(SceneSpec(spec)), digest);
  std::size_t count = 0;
  SceneSpec first = spec;
  visit(scene_schema(), "", &first, [&](const auto&...) { ++count; });
  ASSERT_GT(count, 300u);
  std::set<std::string> idle;
  for (std::size_t n = 0; n < count; ++n) {
    SceneSpec changed = spec;
    std::string where;
    bool matters = true, is_bound = true;
    std::size_t k = 0;
    const SceneKey* found = nullptr;
    void* target = nullptr;
    visit(scene_schema(), "", &changed,
          [&](const std::string& path, const SceneGroup&, const SceneKey& key, void* owner) {
            if (k++ != n) return;
            where = path, found = &key, target = owner;
            is_bound = key.field.set != nullptr;
            // a part of what does not matter
            matters = key.matters && !path.starts_with(".record") && !path.starts_with(".expect");
          });
    if (!is_bound) continue;  // copies, variables: they are worked out
    FieldValue value;
    (void)found->field.get(target, value);
    found->field.set(target, change(*found, value));
    const bool differs = calc_digest(changed) != digest;
    EXPECT_EQ(differs, matters) << where;
    if (!differs) idle.insert(where.substr(0, where.find('.', 1)));
  }
  // the list of what must not matter, once more; the table of keys has the reasons
  EXPECT_EQ(idle, (std::set<std::string>{".version",         // of the text, not of what it says
                                         ".name", ".about",  // for people
                                         ".include",    // what it brings stands in the other keys
                                         ".duration",   // when somebody stops looking
                                         ".record",     // looks on
                                         ".expect",     // judges what has been
                                         ".robots"}));  // package_paths alone: see the next test
}

// Only the folders where packages are looked for do not matter in a robot: what is found there
// does.
TEST(Digest, OfRobotsOnlyPackagePathsAreIdle) {
  const SceneGroup* robot = scene_schema().find("robots")->group;
  for (const SceneKey& key : robot->keys)
    EXPECT_EQ(key.matters, key.name != "package_paths") << key.name;
}

// A file is what it holds, wherever it lies.
TEST(Digest, FilesCountByTheirContent) {
  SceneSpec a, b;
  for (SceneSpec* spec : {&a, &b}) {
    spec->robots.emplace_back().name = "r";
    spec->robots[0].urdf = spec == &a ? "/here/r.urdf" : "/there/r.urdf";
    spec->files.push_back({spec->robots[0].urdf, std::string(64, 'a')});
  }
  EXPECT_EQ(calc_digest(a), calc_digest(b));
  b.files[0].sha256[5] = 'b';
  EXPECT_NE(calc_digest(a), calc_digest(b));
}

// The scene of every key and all that it names, in a folder of their own.
class CopiedScene {
 public:
  CopiedScene() {
    const std::string root = STANCE_SOURCE_DIR;
    for (const char* folder : {"models", "tests/data/scenes"}) {
      std::filesystem::create_directories(folder_.path(folder));
      std::filesystem::copy(root + "/" + folder, folder_.path(folder));
    }
    std::filesystem::copy(STANCE_SWAY, folder_.path("plugin.so"));
  }

  std::string calc_digest() const {
    Settings settings{folder_.path("tests/data/scenes/every_key.yaml")};
    settings.set = {{"library", folder_.path("plugin.so")}};
    return scene::calc_digest(io::read_scene(settings).spec);
  }
  void append_byte(const std::string& file) const {
    std::ofstream stream(folder_.path(file), std::ios::binary | std::ios::app);
    stream << '\n';
    EXPECT_TRUE(stream.flush()) << file;
  }

 private:
  io::testing::TemporaryFolder folder_;
};

// A byte more in any file is another scene, even where it says nothing new. But for the scene's own
// text: what it says is in the keys.
TEST(Digest, AByteOfAnyFileCounts) {
  const std::string digest = calc_digest(read_every_key());
  EXPECT_EQ(CopiedScene().calc_digest(), digest) << "it lies somewhere else";
  const auto calc_changed = [](const std::string& file) {
    const CopiedScene scene;
    scene.append_byte(file);
    return scene.calc_digest();
  };
  const std::string scenes = "tests/data/scenes/";
  for (const char* robot : {"pendulum", "cube", "brick", "double_pendulum"}) {
    const std::string file = std::string("models/") + robot + ".urdf";
    EXPECT_NE(calc_changed(file), digest) << file;
  }
  for (const std::string& file :
       {scenes + "block.obj", scenes + "cube.srdf", scenes + "swing.csv", std::string("plugin.so")})
    EXPECT_NE(calc_changed(file), digest) << file;
  EXPECT_EQ(calc_changed(scenes + "every_key.yaml"), digest);
  EXPECT_EQ(calc_changed(scenes + "included.yaml"), digest);
}

// A function of the program has no bytes that could count: its entry does.
TEST(Digest, AProgramsOwnModulesCountByTheirEntry) {
  SceneSpec spec;
  spec.plugins.push_back({.name = "wind", .numbers = {{"speed", 3.0}}});
  const std::string digest = calc_digest(spec);
  SceneSpec other = spec;
  other.plugins[0].maker = [](const sim::PluginRequest&, sim::PluginModules&) {};
  EXPECT_EQ(calc_digest(other), digest);
  other.plugins[0].name = "wind 2";
  EXPECT_NE(calc_digest(other), digest);
  other = spec;
  other.plugins[0].numbers[0].second = 4.0;
  EXPECT_NE(calc_digest(other), digest);
}

// Where files lie may change the order in which they were found.
TEST(Digest, FilesCountInAnyOrder) {
  SceneSpec a, b;
  a.files = {{"/a/r.urdf", std::string(64, 'a')}, {"/b/m.stl", std::string(64, 'b')}};
  b.files = {{"/x/m.stl", std::string(64, 'b')}, {"/y/r.urdf", std::string(64, 'a')}};
  EXPECT_EQ(calc_digest(a), calc_digest(b));
}

std::shared_ptr<const Mesh> make_triangle(double x) {
  return std::make_shared<const Mesh>(
      Mesh{{{0.0, 0.0, 0.0}, {x, 0.0, 0.0}, {0.0, 1.0, 0.0}}, {{0, 1, 2}}});
}

// Code fills in data without a file, or beside one: a glTF mesh keeps its vertices in another file
// than the one that is named.
TEST(Digest, DataCountWhateverTheFilesSay) {
  SceneSpec spec;
  spec.environment.emplace_back().shape =
      MeshSpec{.file = "floor.gltf", .data = make_triangle(1.0)};
  spec.objects.emplace_back().shape = HullSpec{.mesh = "rock.gltf", .data = make_triangle(1.0)};
  RobotSpec& robot = spec.robots.emplace_back();
  robot.urdf = "r.urdf";
  spec.files = {{"r.urdf", std::string(64, 'a')}};
  Robot description;
  description.parts.add_link({.name = "foot", .mass = 1.0});
  Geometry& geometry = description.geometry.emplace_back();
  geometry.role = ShapeRole::kCollision, geometry.kind = ShapeKind::kMesh;
  geometry.mesh = make_triangle(1.0);
  robot.description = std::make_shared<const Robot>(description);
  ControllerSpec& controller = robot.controllers.emplace_back();
  controller.trajectory.emplace().table = std::make_shared<const control::JointTable>(
      control::JointTable{{"knee"}, {0.0, 1.0}, {0.0, 0.5}});
  const std::string digest = calc_digest(spec);

  const auto expect_other = [&](const char* what, const std::function<void(SceneSpec&)>& change) {
    SceneSpec other = spec;
    change(other);
    EXPECT_NE(calc_digest(other), digest) << what;
  };
  expect_other("a surface", [](SceneSpec& other) {
    std::get<MeshSpec>(other.environment[0].shape).data = make_triangle(2.0);
  });
  expect_other("a hull", [](SceneSpec& other) {
    std::get<HullSpec>(other.objects[0].shape).data = make_triangle(2.0);
  });
  expect_other("a robot's shape", [&](SceneSpec& other) {
    Robot changed = description;
    changed.geometry[0].mesh = make_triangle(2.0);
    other.robots[0].description = std::make_shared<const Robot>(changed);
  });
  expect_other("a robot's mass", [&](SceneSpec& other) {
    Robot changed = description;
    changed.parts.remove_link("foot");
    changed.parts.add_link({.name = "foot", .mass = 3.0});
    other.robots[0].description = std::make_shared<const Robot>(changed);
  });
  expect_other("a table",
               [](SceneSpec& other) { other.robots[0].controllers[0].trajectory->table.reset(); });
  expect_other("how it is solved", [](SceneSpec& other) { other.contact.accelerate = false; });
  expect_other("room", [](SceneSpec& other) { other.contact.most_points = 3; });
}

// What used to slip through: who looks, what is carried, and a plugin's file.
TEST(Digest, TellsApartWhatSizesDoNot) {
  SceneSpec spec;
  ControllerSpec& controller = spec.robots.emplace_back().controllers.emplace_back();
  controller.kind = ControllerKind::kLookAt, controller.link = "left_eye";
  spec.plugins.emplace_back().library = "wind.so";
  const std::string digest = calc_digest(spec);
  SceneSpec other = spec;
  other.robots[0].controllers[0].link = "righteye";
  EXPECT_NE(calc_digest(other), digest);
  other = spec;
  other.robots[0].controllers[0].carries = "beam";
  EXPECT_NE(calc_digest(other), digest);
  other = spec;
  other.plugins[0].library = "rain.so";
  EXPECT_NE(calc_digest(other), digest);
}

}  // namespace
}  // namespace stance::scene
