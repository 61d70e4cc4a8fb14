// Orders that come together, or while the world becomes another one.

#include <cmath>

#include <gtest/gtest.h>

#include "stance/cli/live_device.h"

#include "client.h"
#include "run_program.h"

namespace stance::view::testing {
namespace {

constexpr const char* kBall =
    "version: 1\n"
    "variables: {friction: 0.7, height: 0.5}\n"
    "materials: {default: {friction: friction}}\n"
    "environment: {floor: {shape: {plane: {}}}}\n"
    "objects: {ball: {shape: {sphere: {radius: 0.1}}, mass: 1, position: [0, 0, height]}}\n";
constexpr const char* kCube =
    "version: 1\n"
    "environment: {floor: {shape: {plane: {}}}}\n"
    "objects: {cube: {shape: {box: {size: [0.2, 0.2, 0.2]}}, mass: 1, position: [0, 0, 0.1]}}\n";

bool is_ok(const json& answer) { return answer["type"] == "ok"; }

json make_add(double x) {
  return {{"type", "add"},
          {"shape", {{"kind", "sphere"}, {"size", {0.05}}}},
          {"mass", 1},
          {"position", {x, 2, 1}},
          {"velocity", {0, 0, 0}}};
}

json wait_answer(Client& client, double id) {
  return client.wait_text([&](const json& m) { return m.contains("re") && m["re"] == id; });
}

double read_variable(const json& scene, const std::string& name) {
  for (const json& variable : scene["variables"])
    if (variable["name"] == name) return variable["value"];
  return NAN;
}

// What was asked for first is done first, although it takes a while.
TEST(ViewOrders, AResetAfterALoadIsOneOfTheSceneThatWasLoaded) {
  RunningServer server(Scenes{{"ball.yaml", kBall}, {"cube.yaml", kCube}});
  Client client(server.port());
  client.scene();
  std::string file;
  const json hello = client.hello();
  for (const json& scene : hello["scenes"])
    if (scene["file"].get<std::string>().find("cube") != std::string::npos) file = scene["file"];
  const double load = client.tell({{"type", "load"}, {"file", file}});
  const double reset = client.tell({{"type", "reset"}});
  EXPECT_TRUE(is_ok(wait_answer(client, load)));
  EXPECT_TRUE(is_ok(wait_answer(client, reset)));
  EXPECT_TRUE(is_ok(client.ask({{"type", "pause"}})));
  EXPECT_EQ(client.scene()["file"], file);
}

TEST(ViewOrders, TwoVariablesThatAreSetAtOnceBothHold) {
  RunningServer server(Scenes{{"ball.yaml", kBall}});
  Client client(server.port());
  client.scene();
  const double first = client.tell({{"type", "set"}, {"name", "friction"}, {"value", 0.25}});
  const double second = client.tell({{"type", "set"}, {"name", "height"}, {"value", 0.75}});
  EXPECT_TRUE(is_ok(wait_answer(client, first)));
  EXPECT_TRUE(is_ok(wait_answer(client, second)));
  const json scene = client.wait_text(
      [](const json& m) { return m["type"] == "scene" && read_variable(m, "height") == 0.75; });
  EXPECT_EQ(read_variable(scene, "friction"), 0.25);
}

// What cannot be recorded is told as what it is, and the simulation goes on.
TEST(ViewOrders, ARecordingThatCannotBeMadeIsAnError) {
  RunningServer server(Scenes{{"ball.yaml", kBall}}, [](ServerOptions& options) {
    options.hub.make_recording = [](run::Simulation&) -> std::unique_ptr<LiveRecording> {
      throw Error("the disk is full");
    };
  });
  Client client(server.port());
  client.scene();
  const json answer = client.ask({{"type", "record"}, {"on", true}});
  EXPECT_EQ(answer["type"], "error");
  EXPECT_EQ(answer["text"], "the disk is full");
  EXPECT_FALSE(answer.contains("body"));
  const double time = client.wait_state([](const SeenState&) { return true; }).time;
  client.wait_state([&](const SeenState& s) { return s.time > time + 0.05; });
  EXPECT_EQ(client.ask({{"type", "record"}, {"on", false}})["text"], "nothing is being recorded");
}

// A recording is being set up: what comes meanwhile is done afterwards, and is part of it.
TEST(ViewOrders, AnObjectThatComesAsARecordingBeginsIsInIt) {
  RunningServer server(Scenes{{"cube.yaml", kCube}});
  Client client(server.port());
  client.wait_state([](const SeenState& s) { return s.time > 0.05; });
  const double record = client.tell({{"type", "record"}, {"on", true}});
  const double add = client.tell(make_add(0.0));
  EXPECT_TRUE(is_ok(wait_answer(client, record)));
  const json added = wait_answer(client, add);
  ASSERT_TRUE(is_ok(added)) << added;
  client.wait_state([](const SeenState& s) { return s.bodies == 2; });
  EXPECT_EQ(client.scene()["bodies"].size(), 3u);  // the world among them
  EXPECT_TRUE(is_ok(client.ask({{"type", "select"}, {"body", added["body"]}})));
  EXPECT_TRUE(is_ok(client.ask({{"type", "remove"}, {"body", added["body"]}})));
  EXPECT_TRUE(is_ok(client.ask({{"type", "record"}, {"on", false}})));
  const io::testing::Outcome outcome =
      io::testing::run("replay '" + server.fetch_recording() + "'");
  EXPECT_EQ(outcome.code, 0) << outcome.output << outcome.errors;
}

// Going on from a past with other objects, plots and selections are of that world: what was asked
// for in the other one has ended, and the world is told again.
TEST(ViewOrders, GoingOnInAnotherWorldEndsWhatWasWatchedInThisOne) {
  RunningServer server(Scenes{{"humanoid_stand.yaml", ""}});
  Client client(server.port());
  const json first = client.scene();
  const json watch = {
      {"type", "watch"}, {"channels", {"humanoid/base_position"}}, {"joints", false}};
  client.wait_state([](const SeenState& s) { return s.time > 0.2; });
  const json added = client.ask(make_add(0.0));
  EXPECT_TRUE(is_ok(added));
  const double time = client.next_state().time;
  client.wait_state([&](const SeenState& s) { return s.time > time + 0.1; });
  EXPECT_TRUE(is_ok(client.ask({{"type", "seek"}, {"time", 0.1}})));
  // as a page does that was told of the past's world
  const json old = client.ask(watch);
  ASSERT_TRUE(is_ok(old));
  EXPECT_TRUE(is_ok(client.ask({{"type", "select"}, {"body", added["body"]}})));
  const std::size_t before = client.text_count();
  EXPECT_TRUE(is_ok(client.ask({{"type", "continue"}, {"time", 0.1}})));
  EXPECT_EQ(client.wait_type("scene", before)["scene"], first["scene"]);

  const json again = client.ask(watch);
  ASSERT_TRUE(is_ok(again));
  const auto number = again["watch"].get<std::uint32_t>();
  const Bytes frame = client.wait_frame(
      2, [&](const Bytes& b) { return get_at<std::uint32_t>(b.data(), 8) == number; });
  EXPECT_NEAR(get_at<float>(frame.data(), 16 + 8 + 8), 0.65, 0.1);  // height of the pelvis
  const std::size_t now = client.text_count();
  EXPECT_TRUE(is_ok(client.ask({{"type", "select"}, {"body", "humanoid/pelvis"}})));
  EXPECT_EQ(client.wait_type("selected", now)["body"], "humanoid/pelvis");
}

TEST(ViewOrders, TargetsAreWhereAJointCanBe) {
  RunningServer server(Scenes{{"humanoid_stand.yaml", ""}});
  Client client(server.port());
  const json joint = client.scene()["joints"][0];
  const auto ask = [&](const json& value) {
    return client.ask({{"type", "target"}, {"joint", joint["name"]}, {"value", value}});
  };
  EXPECT_TRUE(is_ok(ask(joint["upper"])));
  EXPECT_FALSE(is_ok(ask(joint["upper"].get<double>() + 0.01)));
  EXPECT_FALSE(is_ok(ask(-1e6)));
  client.wait_state([](const SeenState& s) { return s.time > 0.2; });
  EXPECT_TRUE(is_ok(client.ask({{"type", "seek"}, {"time", 0.1}})));
  EXPECT_FALSE(is_ok(ask(joint["lower"])));  // the past is as it is
}

// Looking at something while time stands still changes nothing of what is said of the last step.
TEST(ViewOrders, TheReportOfTheLastStepStandsWhileTimeDoes) {
  RunningServer server(Scenes{{"cube.yaml", kCube}});
  Client client(server.port());
  client.wait_state([](const SeenState& s) { return s.time > 0.1; });
  EXPECT_TRUE(is_ok(client.ask({{"type", "pause"}})));
  const auto read = [](const SeenState& s) { return get_at<float>(s.bytes.data(), 24); };  // us
  const SeenState paused =
      client.wait_state([&](const SeenState& s) { return (s.flags & 1) && read(s) > 0.0f; });
  client.tell({{"type", "select"}, {"body", "cube"}});
  const SeenState looked = client.next_state();
  EXPECT_EQ(looked.step, paused.step);
  EXPECT_EQ(read(looked), read(paused));
}

// A device near what comes and goes: it must forget worlds that are gone.
TEST(ViewOrders, ADeviceSeesWorldsComeAndGo) {
  cli::LiveDevice device("emulator", 1, "", {}, [](const std::string&) {});
  RunningServer server(
      Scenes{{"ball.yaml", kBall}, {"cube.yaml", kCube}},
      [&](ServerOptions& options) { options.hub.session.modules.push_back(device.module()); });
  Client client(server.port());
  client.wait_state([](const SeenState& s) { return s.time > 0.05; });
  for (int k = 0; k < 12; ++k) {
    const json added = client.ask(make_add(0.2 * k));
    ASSERT_TRUE(is_ok(added)) << added;
    client.next_state();
    if (k % 3 == 0) {
      EXPECT_TRUE(is_ok(client.ask({{"type", "remove"}, {"body", added["body"]}})));
    }
    if (k % 4 == 1) {
      EXPECT_TRUE(is_ok(client.ask({{"type", "gravity"}, {"value", {0, 0, -1}}})));
    }
    if (k == 5) {
      EXPECT_TRUE(is_ok(client.ask({{"type", "record"}, {"on", true}})));
    }
    if (k == 8) {
      EXPECT_TRUE(is_ok(client.ask({{"type", "reset"}})));
    }
  }
  const double time = client.next_state().time;
  client.wait_state([&](const SeenState& s) { return s.time > time + 0.1; });
}

}  // namespace
}  // namespace stance::view::testing
