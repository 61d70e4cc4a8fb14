// Scenes that people change while they run: objects, gravity, law (H15).

#include <cmath>
#include <filesystem>
#include <functional>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "stance/io/contact_law.h"
#include "stance/io/scene.h"
#include "stance/io/scene_json.h"
#include "stance/io/scene_snapshot.h"
#include "stance/run/channel_choice.h"
#include "stance/run/channels.h"
#include "stance/scene/edit_bytes.h"

#include "run_program.h"

namespace stance::io {
namespace {

constexpr double kG = 9.81;

scene::Scene load(const std::string& text) {
  return parse_scene("version: 1\n" + text, STANCE_SOURCE_DIR "/scenes/here.yaml");
}

run::Change add(const std::string& name, const std::string& object) {
  return {"", parse_object(name, object)};
}
run::Change remove(const std::string& name) { return {"", scene::RemoveObject{name}}; }
run::Change set_gravity(double x, double y, double z) { return {"", scene::SetGravity{{x, y, z}}}; }
run::Change set_law(const std::string& law) { return {"", scene::SetLaw{parse_contact_law(law)}}; }

void run_until(run::Simulation& run, int step) {
  while (run.steps() < step) ASSERT_EQ(run.step().status, sim::kStepFine);
}

bool has(const run::Simulation& run, const std::string& name) {
  return run.part().scene.world.model.find_body(name).valid();
}

// A number of a loose body: of its place or its velocity.
double read_z(const run::Simulation& run, const std::string& name, bool is_rate = false) {
  const model::Model& model = run.part().scene.world.model;
  const model::BodyIndex body = model.find_body(name);
  return is_rate ? run.state().v[model.v_start[body] + 5] : run.state().q[model.q_start[body] + 6];
}

const char* const kStack =
    "environment: {floor: {shape: {plane: {}}}}\n"
    "materials: {default: {friction: 0.6}}\n"
    "objects:\n"
    "  low: {shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [0, 0, 0.05]}\n"
    "  top: {shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [0.01, 0, 0.15]}\n";
const char* const kBall = "{shape: {sphere: {radius: 0.05}}, mass: 2, position: [0.02, 0, 0.4]}";

// What people do is what a scene that says the same does, to the last bit.
TEST(SceneEdit, EqualsAScene) {
  const scene::Scene plain = load(kStack);
  const scene::Scene told = load(
      "environment: {floor: {shape: {plane: {}}}}\n"
      "materials: {default: {friction: 0.6}}\n"
      "objects:\n"
      "  low: {shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [0, 0, 0.05]}\n"
      "  top: {shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [0.01, 0, 0.15],\n"
      "        disappears: 0.4}\n"
      "  ball: {shape: {sphere: {radius: 0.05}}, mass: 2, position: [0.02, 0, 0.4],\n"
      "         appears: 0.1}\n");
  run::Simulation edited(plain), wanted(told);
  run_until(edited, 100);
  edited.apply(add("ball", kBall));
  EXPECT_TRUE(has(edited, "ball"));
  run_until(edited, 400);
  edited.apply(remove("top"));
  EXPECT_FALSE(has(edited, "top"));
  run_until(edited, 700);
  run_until(wanted, 700);
  EXPECT_EQ(edited.state().q, wanted.state().q);
  EXPECT_EQ(edited.state().v, wanted.state().v);
  const auto &a = edited.monitor().events(), &b = wanted.monitor().events();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_EQ(a[k].kind, b[k].kind);
    EXPECT_EQ(a[k].what, b[k].what);
    EXPECT_EQ(a[k].time, b[k].time);
  }
}

TEST(SceneEdit, GravityChangesFromTheNextStepOn) {
  const scene::Scene scene =
      load("objects: {ball: {shape: {sphere: {radius: 0.05}}, mass: 2, position: [0, 0, 1]}}\n");
  run::Simulation run(scene);
  run_until(run, 100);
  EXPECT_NEAR(read_z(run, "ball", true), -0.1 * kG, 1e-12);
  run.apply(set_gravity(0.0, 0.0, 0.0));
  const double z = read_z(run, "ball");
  run_until(run, 200);
  EXPECT_NEAR(read_z(run, "ball", true), -0.1 * kG, 1e-12);
  EXPECT_NEAR(read_z(run, "ball"), z - 0.1 * 0.1 * kG, 1e-12);
  run.apply(set_gravity(0.0, 0.0, kG));
  run_until(run, 300);
  EXPECT_NEAR(read_z(run, "ball", true), 0.0, 1e-12);
}

// The brick creeps under a law with springs only, and holds under the exact one.
TEST(SceneEdit, LawChangesFromTheNextStepOn) {
  const scene::Scene scene = load_scene(STANCE_SOURCE_DIR "/scenes/brick_on_ramp.yaml");
  run::Simulation run(scene);
  run_until(run, 200);
  EXPECT_EQ(run.part().scene.world.contact.law, contact::ContactLaw::kExact);
  run.apply(set_law("penalty_clipped"));
  EXPECT_EQ(run.part().scene.world.contact.law, contact::ContactLaw::kPenaltyClipped);
  EXPECT_EQ(run.step().contact.sweeps, 0) << "springs need no solver";
  run_until(run, 400);
  run.apply(set_law("exact"));
  run_until(run, 600);
  EXPECT_GT(run.step().contact.points, 0);
}

// From a snapshot the edited scene goes on bit for bit, with what comes by itself later.
TEST(SceneEdit, SnapshotsGoOn) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.path("edited.h5");
  const scene::Scene scene = load(std::string(kStack) +
                                  "  late: {shape: {sphere: {radius: 0.05}}, mass: 1, "
                                  "position: [0.02, 0.01, 0.6], appears: 0.3}\n");
  run::Simulation whole(scene);
  run_until(whole, 100);
  whole.apply(add("ball", kBall));
  whole.apply(add("second", R"({"shape": {"box": {"size": [0.05, 0.05, 0.05]}}, "mass": 0.5,
                               "position": [1, 0, 0.2], "velocity": [0, 0, -1]})"));
  run_until(whole, 150);
  whole.apply(set_gravity(0.5, 0.0, -kG));
  whole.apply(remove("low"));
  run_until(whole, 250);
  save_snapshot(scene, whole.moment(), file);
  const scene::Scene again = scene;
  run::Simulation rest(again, load_snapshot(again, file));
  EXPECT_EQ(rest.edits().size(), 4u);
  run_until(whole, 500);
  run_until(rest, 500);
  EXPECT_TRUE(has(rest, "late"));
  EXPECT_TRUE(has(rest, "second"));
  EXPECT_FALSE(has(rest, "low"));
  EXPECT_EQ(whole.state().q, rest.state().q);
  EXPECT_EQ(whole.state().v, rest.state().v);
}

// What cannot be is refused with its reason, and the run does not notice.
TEST(SceneEdit, RefusesWhatCannotBe) {
  const scene::Scene scene = load(kStack);
  run::Simulation run(scene), untouched(scene);
  run_until(run, 50);
  run_until(untouched, 50);
  const auto refuses = [&](const auto& make_change, const std::string& words) {
    try {
      run.apply(make_change());
      ADD_FAILURE() << "should not be: " << words;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  refuses([] { return add("low", kBall); }, "two things are named 'low'");
  refuses([] { return add("", kBall); }, "needs a name");
  refuses(
      [] { return add("x", "{shape: {sphere: {radius: 0.05}}, mass: 2, position: [0, 0, 0.06]}"); },
      "appears inside");
  refuses([] { return add("x", "{shape: {sphere: {radius: 0.05}}, mas: 2}"); },
          "did you mean 'mass'");
  refuses([] { return add("x", "{shape: {sphere: {radius: -1}}, mass: 2}"); }, "radius");
  refuses([] { return add("x", "{shape: {"); }, "");
  refuses([] { return add("x", "{shape: {hull: {mesh: /etc/passwd}}, mass: 1}"); }, "name no file");
  refuses([] { return remove("floor"); }, "cannot be removed");
  refuses([] { return remove("nobody"); }, "cannot be removed");
  refuses([] { return set_law("exakt"); }, "did you mean 'exact'");
  refuses([] { return set_gravity(0.0, 0.0, std::nan("")); }, "finite");
  EXPECT_TRUE(run.edits().empty());
  run.apply(add("x", "{shape: {sphere: {radius: 0.05}}, mass: 2, position: [3, 0, 0.05]}"));
  run.apply(remove("x"));
  refuses([] { return remove("x"); }, "not there");
  run_until(run, 300);
  run_until(untouched, 300);
  EXPECT_EQ(run.state().q, untouched.state().q);
}

// Drags and wrenches stay; those on what is removed end.
TEST(SceneEdit, InputsGoOn) {
  const scene::Scene scene = load(kStack);
  run::Simulation run(scene);
  run.apply({"mouse", sim::PushBody{.body = "top", .force = {0.0, 0.0, 30.0}}});
  run.apply({"mouse", sim::PushBody{.body = "low", .force = {0.0, 0.0, 1.0}}});
  run_until(run, 10);
  run.apply(remove("low"));
  const std::vector<sim::InputChange> left = run.outside().list_changes();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(find_name(left[0].what), "top");
  const double before = read_z(run, "top", true);
  run_until(run, 110);
  EXPECT_NEAR(read_z(run, "top", true), before + 0.1 * (30.0 - kG), 1e-9);
}

// A recording keeps its channels: what was removed is no number, what was added is not in it.
TEST(SceneEdit, ChannelsStay) {
  const scene::Scene scene = load(kStack);
  run::Simulation run(scene);
  const std::vector<std::string> names = {"low/position", "top/position"};
  const run::ChannelReader reader(run, names);
  std::vector<double> values(reader.width());
  ASSERT_EQ(values.size(), 6u);
  const auto read = [&] {
    run.step();
    reader.read(values);
  };
  read();
  EXPECT_NEAR(values[2], 0.05, 1e-6);
  EXPECT_NEAR(values[5], 0.15, 1e-6);
  run.apply(add("ball", kBall));
  read();
  EXPECT_NEAR(values[5], 0.15, 1e-6);
  run.apply(remove("low"));
  read();
  EXPECT_TRUE(std::isnan(values[2]));
  EXPECT_NEAR(values[5], 0.15, 1e-4);
  // ... but can be read, by whoever comes later
  const run::ChannelReader late(run, "ball/position");
  EXPECT_TRUE(std::isnan(run::ChannelReader(run, "low/position").read()[0]));
  run.step();
  EXPECT_FALSE(std::isnan(late.read()[2]));
}

// ---- edits as bytes, for snapshots
// ---------------------------------------------------------------

std::vector<std::byte> write(const scene::Edit& edit) {
  std::vector<std::byte> out;
  append_edit(edit, out);
  return out;
}
scene::Edit read(std::span<const std::byte> bytes) {
  kernel::ByteReader in(bytes, "the edit");
  return scene::take_edit(in);
}

TEST(EditBytes, ReadBack) {
  const scene::Edit gravity = scene::SetGravity{{0.1, 1.0 / 3.0, -kG}};
  for (int c = 0; c < 3; ++c)
    EXPECT_EQ(std::get<scene::SetGravity>(read(write(gravity))).gravity[c],
              std::get<scene::SetGravity>(gravity).gravity[c]);
  for (const auto law : {contact::ContactLaw::kLcp, contact::ContactLaw::kExact})
    EXPECT_EQ(std::get<scene::SetLaw>(read(write(scene::SetLaw{law}))).law, law);
  EXPECT_EQ(std::get<scene::RemoveObject>(read(write(scene::RemoveObject{"a \"b\""}))).name,
            "a \"b\"");
}

// Every key that an object can have, with every shape.
TEST(EditBytes, ObjectsReadBackWithAllKeys) {
  int count = 0;
  std::vector<std::string> files = {STANCE_SOURCE_DIR "/tests/data/scenes/every_key.yaml"};
  for (const auto& entry : std::filesystem::directory_iterator(STANCE_SOURCE_DIR "/scenes"))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  for (const std::string& file : files) {
    scene::Settings settings{file};
    if (file.ends_with("every_key.yaml")) settings.set = {{"library", STANCE_SWAY}};
    const scene::SceneSpec spec = read_scene(settings).spec;
    for (const scene::ObjectSpec& object : spec.objects) {
      const auto back = std::get<scene::AddObjects>(read(write(scene::AddObjects{"x", {object}})));
      ASSERT_EQ(back.objects.size(), 1u);
      EXPECT_EQ(back.name, "x");
      EXPECT_EQ(back.objects[0].name, object.name);
      EXPECT_EQ(write_object(back.objects[0]).dump(), write_object(object).dump());
      ++count;
    }
  }
  EXPECT_GT(count, 100);
}

// Damaged bytes give an error or another edit; nothing else.
TEST(EditBytes, DamageIsAnError) {
  const auto object = parse_object("ball", "{shape: {sphere: {radius: 0.1}}, mass: 1}");
  const std::vector<std::byte> whole = write(object);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW((void)read(std::span(whole).first(size)), Error) << size;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::vector<std::byte> bytes = whole;
    bytes[at] ^= std::byte{0x55};
    try {
      (void)read(bytes);
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace stance::io
