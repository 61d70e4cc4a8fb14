// The server as viewers meet it.

#include <cmath>

#include <gtest/gtest.h>

#include "client.h"
#include "run_program.h"

namespace stance::view::testing {
namespace {

// A cube on a floor, and one above that falls a little.
constexpr const char* kBoxes =
    "version: 1\n"
    "about: Two cubes\n"
    "variables: {friction: 0.7}\n"
    "materials: {default: {friction: friction}}\n"
    "environment: {floor: {shape: {plane: {}}}}\n"
    "objects:\n"
    "  low: {shape: {box: {size: [0.2, 0.2, 0.2]}}, mass: 2, position: [0, 0, 0.1]}\n"
    "  high: {shape: {box: {size: [0.2, 0.2, 0.2]}}, mass: 1, position: [1, 0, 0.3]}\n";

constexpr const char* kBroken =
    "version: 1\n"
    "objects:\n"
    "  box: {shape: {box: {size: [1, 1, 1]}}, mas: 2}\n";

const auto any = [](const auto&) { return true; };

bool is_ok(const json& answer) { return answer["type"] == "ok"; }

int find_body(const json& scene, const std::string& name) {
  for (std::size_t k = 0; k < scene["bodies"].size(); ++k)
    if (scene["bodies"][k]["name"] == name) return static_cast<int>(k);
  return -1;
}

TEST(ViewServer, TellsAViewerEverything) {
  RunningServer server(Scenes{{"boxes.yaml", kBoxes}, {"broken.yaml", kBroken}});
  Client client(server.port());
  const json hello = client.hello();
  EXPECT_EQ(hello["protocol"], 1);
  EXPECT_EQ(hello["scenes"].size(), 2u);
  EXPECT_EQ(hello["laws"].size(), 6u);
  const json scene = client.scene();
  EXPECT_EQ(scene["file"], "scenes/boxes.yaml");
  EXPECT_EQ(scene["about"], "Two cubes");
  EXPECT_EQ(scene["bodies"].size(), 3u);
  EXPECT_EQ(scene["bodies"][1]["loose"], true);
  EXPECT_EQ(scene["bodies"][1]["robot"], nullptr);
  EXPECT_EQ(scene["variables"][0]["value"], 0.7);
  const SeenState state = client.wait_state([](const SeenState& s) { return s.time > 0.2; });
  EXPECT_EQ(state.scene, scene["scene"].get<std::uint32_t>());
  EXPECT_EQ(state.bodies, 2);
  EXPECT_NEAR(state.position(find_body(scene, "low"))[2], 0.1, 1e-4);
  const json status = client.wait_type("status");
  EXPECT_EQ(status["paused"], false);
  EXPECT_EQ(status["law"], "exact");
}

TEST(ViewServer, PausesStepsAndResets) {
  RunningServer server(Scenes{{"boxes.yaml", kBoxes}});
  Client client(server.port());
  client.wait_state([](const SeenState& s) { return s.step > 20; });
  EXPECT_TRUE(is_ok(client.ask({{"type", "pause"}})));
  const SeenState paused = client.wait_state([](const SeenState& s) { return s.flags & 1; });
  EXPECT_TRUE(is_ok(client.ask({{"type", "step"}, {"count", 3}})));
  client.wait_state([&](const SeenState& s) { return s.step == paused.step + 3; });
  const std::size_t before = client.text_count();
  EXPECT_TRUE(is_ok(client.ask({{"type", "reset"}})));
  const json scene = client.wait_type("scene", before);
  client.wait_state([&](const SeenState& s) { return s.scene == scene["scene"] && s.step == 0; });
  EXPECT_TRUE(is_ok(client.ask({{"type", "speed"}, {"factor", 0}})));
  EXPECT_TRUE(is_ok(client.ask({{"type", "play"}})));
  client.wait_state([](const SeenState& s) { return s.speed > 1.5; });  // as fast as it goes
}

TEST(ViewServer, ADragMovesABodyAndHasAForce) {
  RunningServer server(Scenes{{"boxes.yaml", kBoxes}});
  Client client(server.port());
  const int body = find_body(client.scene(), "low");
  EXPECT_TRUE(is_ok(client.ask(
      {{"type", "drag"}, {"body", "low"}, {"point", {0, 0, 0}}, {"target", {0, 0.5, 0.6}}})));
  client.wait_state([&](const SeenState& s) { return s.position(body)[1] > 0.3; });
  const Bytes drags = client.wait_frame(3, [&](const Bytes& bytes) {
    return get_at<std::uint16_t>(bytes.data(), 8) == 1 && get_at<float>(bytes.data(), 40) > 1.0f;
  });
  EXPECT_EQ(get_at<std::uint16_t>(drags.data(), 12), body);
  EXPECT_EQ(get_at<std::uint16_t>(drags.data(), 14), client.hello()["viewer"].get<int>());
  EXPECT_TRUE(is_ok(client.ask({{"type", "release"}})));
  client.wait_frame(3, [](const Bytes& b) { return get_at<std::uint16_t>(b.data(), 8) == 0; });

  // what cannot be dragged says so
  const json world = client.ask(
      {{"type", "drag"}, {"body", "world"}, {"point", {0, 0, 0}}, {"target", {0, 0, 0}}});
  EXPECT_EQ(world["text"], "there is no 'world' that can move");
}

TEST(ViewServer, APushEnds) {
  RunningServer server(Scenes{{"boxes.yaml", kBoxes}});
  Client client(server.port());
  const int body = find_body(client.scene(), "high");
  EXPECT_TRUE(is_ok(client.ask({{"type", "push"},
                                {"body", "high"},
                                {"point", {0, 0, 0}},
                                {"force", {0, 30, 0}},
                                {"seconds", 0.1}})));
  client.wait_state([&](const SeenState& s) { return s.position(body)[1] > 0.1; });
  // it slides to rest: 30 N for 0.1 s give 3 m/s less friction
  const SeenState later = client.wait_state(
      [start = client.next_state().time](const SeenState& s) { return s.time > start + 1.5; });
  const SeenState rest = client.next_state();
  EXPECT_NEAR(rest.position(body)[1], later.position(body)[1], 1e-3);
}

TEST(ViewServer, OneViewerHoldsABodyAndOthersLookOn) {
  RunningServer server(Scenes{{"boxes.yaml", kBoxes}});
  Client first(server.port());
  auto second = std::make_unique<Client>(server.port());
  EXPECT_NE(first.hello()["viewer"], second->hello()["viewer"]);
  second->scene();
  const json drag = {
      {"type", "drag"}, {"body", "low"}, {"point", {0, 0, 0}}, {"target", {0, 0, 0.5}}};
  EXPECT_TRUE(is_ok(second->ask(drag)));
  const json refused = first.ask(drag);
  EXPECT_EQ(refused["type"], "error");
  EXPECT_EQ(refused["text"],
            "'low' is held by viewer " + std::to_string(second->hello()["viewer"].get<int>()));
  const int body = find_body(first.scene(), "low");
  first.wait_state([&](const SeenState& s) { return s.position(body)[2] > 0.3; });
  // who vanishes lets go
  second.reset();
  first.wait_state([&](const SeenState& s) { return s.position(body)[2] < 0.12; });
  EXPECT_TRUE(is_ok(first.ask(drag)));
  first.wait_text([](const json& m) { return m["type"] == "status" && m["viewers"] == 1; });
}

TEST(ViewServer, WhoComesLaterGetsTheWholeScene) {
  RunningServer server(Scenes{{"boxes.yaml", kBoxes}});
  Client first(server.port());
  EXPECT_TRUE(is_ok(first.ask({{"type", "pause"}})));
  const SeenState state = first.wait_state([](const SeenState& s) { return s.flags & 1; });
  Client second(server.port());
  EXPECT_EQ(second.scene(), first.scene());
  EXPECT_EQ(second.wait_state(any).bytes, state.bytes);
}

TEST(ViewServer, WatchesChannels) {
  RunningServer server(Scenes{{"humanoid_stand.yaml", ""}});
  Client client(server.port());
  client.scene();
  const json ok = client.ask({{"type", "watch"},
                              {"channels", {"energy/kinetic", "nothing", "humanoid/com"}},
                              {"joints", true}});
  const std::vector<std::string> columns = {"energy/kinetic:kinetic", "humanoid/com:x",
                                            "humanoid/com:y", "humanoid/com:z"};
  EXPECT_EQ(ok["columns"].get<std::vector<std::string>>(), columns);
  const Bytes frame = client.wait_frame(
      2, [](const Bytes& b) { return get_at<std::uint16_t>(b.data(), kRowsAt) > 1; });
  EXPECT_EQ(get_at<std::uint32_t>(frame.data(), 8), ok["watch"].get<std::uint32_t>());
  const std::size_t rows = get_at<std::uint16_t>(frame.data(), kRowsAt);
  EXPECT_EQ(get_at<std::uint16_t>(frame.data(), 12), 4);
  ASSERT_EQ(frame.size(), 16 + rows * 24);
  EXPECT_NEAR(get_at<float>(frame.data(), 16 + 8 + 12), 0.66, 0.2);  // height of the centre of mass
  client.wait_state([](const SeenState& s) { return s.joints == 30; });
  // a target moves a joint
  const json joint = client.scene()["joints"][0];
  EXPECT_TRUE(is_ok(client.ask({{"type", "target"}, {"joint", joint["name"]}, {"value", 0.1}})));
  EXPECT_TRUE(
      is_ok(client.ask({{"type", "target"}, {"joint", joint["name"]}, {"value", nullptr}})));
  EXPECT_FALSE(is_ok(client.ask({{"type", "target"}, {"joint", "no"}, {"value", 0.1}})));
}

TEST(ViewServer, TellsOfASelectedBody) {
  RunningServer server(Scenes{{"boxes.yaml", kBoxes}});
  Client client(server.port());
  client.wait_state([](const SeenState& s) { return s.time > 0.05; });
  EXPECT_TRUE(is_ok(client.ask({{"type", "select"}, {"body", "low"}})));
  const json selected = client.wait_type("selected");
  EXPECT_EQ(selected["body"], "low");
  EXPECT_NEAR(selected["force"][2].get<double>(), 2.0 * 9.81, 1e-3);
  EXPECT_EQ(selected["contacts"].size(), 4u);
  EXPECT_EQ(selected["contacts"][0]["with"], "world");
  EXPECT_EQ(selected["contacts"][0]["normal"][2], 1.0);
  EXPECT_FALSE(is_ok(client.ask({{"type", "select"}, {"body", "nobody"}})));
}

TEST(ViewServer, LoadsOnlyWhatItOffersAndSaysWhatIsWrong) {
  RunningServer server(
      Scenes{{"boxes.yaml", kBoxes}, {"broken.yaml", kBroken}, {"stack.yaml", ""}});
  Client client(server.port());
  const json scene = client.scene();
  for (const char* file : {"/etc/passwd", "../boxes.yaml", "scenes/../scenes/boxes.yaml",
                           "boxes.yaml", "scenes/none.yaml", ""}) {
    const json answer = client.ask({{"type", "load"}, {"file", file}});
    EXPECT_EQ(answer["type"], "error") << file;
    EXPECT_FALSE(answer.contains("file")) << file;
  }
  const json broken = client.ask({{"type", "load"}, {"file", "scenes/broken.yaml"}});
  EXPECT_EQ(broken["file"], "scenes/broken.yaml");
  EXPECT_EQ(broken["line"], 3);
  EXPECT_GT(broken["column"].get<int>(), 1);
  EXPECT_NE(broken["text"].get<std::string>().find("mas"), std::string::npos);
  // the old scene goes on
  const double time = client.next_state().time;
  client.wait_state([&](const SeenState& s) { return s.scene == scene["scene"] && s.time > time; });

  std::size_t before = client.text_count();
  EXPECT_TRUE(is_ok(client.ask({{"type", "load"}, {"file", "scenes/stack.yaml"}})));
  EXPECT_EQ(client.wait_type("scene", before)["file"], "scenes/stack.yaml");
  before = client.text_count();
  const json set = client.ask({{"type", "set"}, {"name", "count"}, {"value", 6}});
  ASSERT_TRUE(is_ok(set)) << set;
  const json changed = client.wait_type("scene", before);
  EXPECT_EQ(changed["bodies"].size(), 7u);
  EXPECT_EQ(changed["variables"][0]["value"], 6.0);
  EXPECT_EQ(changed["variables"][0]["start"], 5.0);
  EXPECT_FALSE(is_ok(client.ask({{"type", "set"}, {"name", "nothing"}, {"value", 3}})));
}

TEST(ViewServer, AFirstSceneWithErrorsIsTold) {
  RunningServer server(Scenes{{"broken.yaml", kBroken}, {"boxes.yaml", kBoxes}});
  Client client(server.port());
  const json error = client.wait_type("error");
  EXPECT_EQ(error["file"], "scenes/broken.yaml");
  EXPECT_EQ(error["line"], 3);
  EXPECT_FALSE(is_ok(client.ask({{"type", "step"}})));
  EXPECT_TRUE(is_ok(client.ask({{"type", "load"}, {"file", "scenes/boxes.yaml"}})));
  client.scene();
  client.wait_state(any);
}

TEST(ViewServer, AddsAndRemovesAndChangesLawAndGravity) {
  RunningServer server(Scenes{{"boxes.yaml", kBoxes}});
  Client client(server.port());
  client.scene();
  EXPECT_TRUE(is_ok(client.ask({{"type", "pause"}})));
  std::size_t before = client.text_count();
  const json ok = client.ask({{"type", "add"},
                              {"shape", {{"kind", "capsule"}, {"size", {0.1, 0.3}}}},
                              {"mass", 3},
                              {"position", {0, 2, 1}},
                              {"velocity", {0, 0, 0}}});
  ASSERT_TRUE(is_ok(ok)) << ok;
  const std::string name = ok["body"];
  json scene = client.wait_type("scene", before);
  const int body = find_body(scene, name);
  ASSERT_GT(body, 0);
  EXPECT_EQ(scene["bodies"][static_cast<std::size_t>(body)]["mass"], 3.0);
  client.wait_state([&](const SeenState& s) { return s.scene == scene["scene"]; });
  // inside another one it cannot be
  const json inside = client.ask({{"type", "add"},
                                  {"shape", {{"kind", "sphere"}, {"size", {0.1}}}},
                                  {"mass", 3},
                                  {"position", {0, 0, 0.1}},
                                  {"velocity", {0, 0, 0}}});
  EXPECT_EQ(inside["type"], "error");
  EXPECT_TRUE(is_ok(client.ask({{"type", "law"}, {"law", "lcp"}})));
  client.wait_text([](const json& m) { return m["type"] == "status" && m["law"] == "lcp"; });
  EXPECT_FALSE(is_ok(client.ask({{"type", "law"}, {"law", "none"}})));
  EXPECT_TRUE(is_ok(client.ask({{"type", "gravity"}, {"value", {0, 0, 0}}})));
  client.wait_text([](const json& m) {
    return m["type"] == "status" && m["gravity"] == json({0, 0, 0});
  });
  EXPECT_TRUE(is_ok(client.ask({{"type", "play"}})));
  const double start = client.next_state().time;
  const SeenState later =
      client.wait_state([&](const SeenState& s) { return s.time > start + 0.2; });
  EXPECT_NEAR(later.position(body)[2], 1.0, 1e-6);  // it floats
  before = client.text_count();
  EXPECT_TRUE(is_ok(client.ask({{"type", "remove"}, {"body", name}})));
  scene = client.wait_type("scene", before);
  EXPECT_EQ(find_body(scene, name), -1);
  EXPECT_FALSE(is_ok(client.ask({{"type", "remove"}, {"body", name}})));
}

// ---- time ---------------------------------------------------------------------------------------

TEST(ViewServer, ShowsThePastAndGoesOnFromThereToTheBit) {
  RunningServer server(Scenes{{"pile.yaml", ""}});
  Client client(server.port());
  client.wait_state([](const SeenState& s) { return s.time > 1.0; });
  EXPECT_TRUE(is_ok(client.ask({{"type", "pause"}})));
  const SeenState end = client.wait_state([](const SeenState& s) { return s.flags & 1; });

  EXPECT_TRUE(is_ok(client.ask({{"type", "seek"}, {"time", 0.5}})));
  const SeenState past = client.wait_state([](const SeenState& s) { return s.flags & 8; });
  EXPECT_NEAR(past.time, 0.5, 0.06);
  client.wait_text([&](const json& m) { return m["type"] == "status" && m["at"] == past.time; });
  const json drag = client.ask({{"type", "drag"},
                                {"body", client.scene()["bodies"][1]["name"]},
                                {"point", {0, 0, 0}},
                                {"target", {0, 0, 0.5}}});
  EXPECT_EQ(drag["text"], "the past is shown, and cannot be touched");
  EXPECT_TRUE(is_ok(client.ask({{"type", "seek"}, {"time", nullptr}})));
  client.wait_state([&](const SeenState& s) { return !(s.flags & 8) && s.step == end.step; });

  // the same steps again give the same picture: positions and forces alike
  EXPECT_TRUE(is_ok(client.ask({{"type", "continue"}, {"time", 0.5}})));
  client.wait_state([&](const SeenState& s) { return !(s.flags & 1) && s.step < end.step; });
  EXPECT_TRUE(is_ok(client.ask({{"type", "pause"}})));
  const SeenState on = client.wait_state([](const SeenState& s) { return s.flags & 1; });
  ASSERT_LT(on.step, end.step);
  EXPECT_TRUE(is_ok(client.ask({{"type", "step"}, {"count", end.step - on.step}})));
  const SeenState again = client.wait_state([&](const SeenState& s) { return s.step == end.step; });
  ASSERT_EQ(again.bytes.size(), end.bytes.size());
  EXPECT_TRUE(std::equal(again.bytes.begin() + 36, again.bytes.end(), end.bytes.begin() + 36));
}

TEST(ViewServer, APastWithOtherObjectsIsShownWithThem) {
  RunningServer server(Scenes{{"boxes.yaml", kBoxes}});
  Client client(server.port());
  const json first = client.scene();
  client.wait_state([](const SeenState& s) { return s.time > 0.3; });
  std::size_t before = client.text_count();
  EXPECT_TRUE(is_ok(client.ask({{"type", "add"},
                                {"shape", {{"kind", "sphere"}, {"size", {0.1}}}},
                                {"mass", 3},
                                {"position", {0, 2, 1}},
                                {"velocity", {0, 0, 0}}})));
  const json second = client.wait_type("scene", before);
  const double added = client.next_state().time;
  client.wait_state([&](const SeenState& s) { return s.time > added + 0.2; });
  before = client.text_count();
  EXPECT_TRUE(is_ok(client.ask({{"type", "seek"}, {"time", 0.1}})));
  EXPECT_EQ(client.wait_type("scene", before)["scene"], first["scene"]);
  client.wait_state([&](const SeenState& s) { return (s.flags & 8) && s.bodies == 2; });
  before = client.text_count();
  EXPECT_TRUE(is_ok(client.ask({{"type", "seek"}, {"time", added + 0.1}})));
  EXPECT_EQ(client.wait_type("scene", before)["scene"], second["scene"]);
  client.wait_state([&](const SeenState& s) { return (s.flags & 8) && s.bodies == 3; });
  // from before the object came: it never did
  before = client.text_count();
  EXPECT_TRUE(is_ok(client.ask({{"type", "continue"}, {"time", 0.1}})));
  EXPECT_EQ(client.wait_type("scene", before)["scene"], first["scene"]);
  client.wait_state([&](const SeenState& s) { return !(s.flags & 8) && s.bodies == 2; });
}

// ---- recordings ---------------------------------------------------------------------------------

// Everything that people can do, recorded from the middle of a run: replay gives the same bits.
TEST(ViewServer, ARecordedSessionReplaysToTheBit) {
  RunningServer server(Scenes{{"stack.yaml", ""}});
  Client client(server.port());
  const std::string box = client.scene()["bodies"][1]["name"],
                    other = client.scene()["bodies"][2]["name"];
  EXPECT_EQ(get(server.port(), "/recording.h5").status, 404);
  const auto drag = [&](double x) {
    return client.ask(
        {{"type", "drag"}, {"body", box}, {"point", {0.01, 0, 0}}, {"target", {x, 0, 0.8}}});
  };
  EXPECT_TRUE(is_ok(drag(0.1)));  // goes on while it is recorded
  client.wait_state([](const SeenState& s) { return s.time > 0.3; });
  EXPECT_TRUE(is_ok(client.ask({{"type", "gravity"}, {"value", {0, 0.5, -9}}})));
  EXPECT_TRUE(is_ok(client.ask({{"type", "record"}, {"on", true}})));
  client.wait_text([](const json& m) { return m["type"] == "status" && m["recording"] == true; });
  const auto wait = [&](double seconds) {
    const double start = client.next_state().time;
    client.wait_state([&](const SeenState& s) { return s.time > start + seconds; });
  };
  for (int k = 0; k < 10; ++k) drag(0.1 * k), wait(0.02);
  EXPECT_TRUE(is_ok(client.ask({{"type", "push"},
                                {"body", other},
                                {"point", {0, 0, 0}},
                                {"force", {0, 30, 0}},
                                {"seconds", 0.1}})));
  EXPECT_TRUE(is_ok(client.ask({{"type", "release"}})));
  wait(0.15);
  const json added = client.ask({{"type", "add"},
                                 {"shape", {{"kind", "box"}, {"size", {0.1, 0.2, 0.3}}}},
                                 {"mass", 3},
                                 {"position", {0, 0, 3}},
                                 {"velocity", {0, 0, -5}}});
  EXPECT_TRUE(is_ok(added)) << added;
  wait(0.1);
  EXPECT_TRUE(is_ok(client.ask({{"type", "law"}, {"law", "lcp"}})));
  wait(0.05);
  EXPECT_TRUE(is_ok(client.ask({{"type", "law"}, {"law", "exact"}})));
  EXPECT_TRUE(is_ok(client.ask({{"type", "remove"}, {"body", added["body"]}})));
  wait(0.05);
  EXPECT_TRUE(is_ok(client.ask({{"type", "record"}, {"on", false}})));
  const io::testing::Outcome outcome =
      io::testing::run("replay '" + server.fetch_recording() + "'");
  EXPECT_EQ(outcome.code, 0) << outcome.output << outcome.errors;
  EXPECT_TRUE(io::testing::contains(outcome.output, "the same, bit for bit")) << outcome.output;
  EXPECT_FALSE(io::testing::contains(outcome.output, "cut off")) << outcome.output;
}

TEST(ViewServer, ARecordingIsFinishedWhenTheServerEnds) {
  RunningServer server(Scenes{{"boxes.yaml", kBoxes}});
  Client client(server.port());
  client.wait_state([](const SeenState& s) { return s.time > 0.05; });
  EXPECT_TRUE(is_ok(client.ask({{"type", "record"}, {"on", true}})));
  const double start = client.next_state().time;
  client.wait_state([&](const SeenState& s) { return s.time > start + 0.1; });
  server.stop();
  const std::string file = server.server().hub().recording_file();
  ASSERT_FALSE(file.empty());
  const io::testing::Outcome outcome = io::testing::run("replay '" + file + "'");
  EXPECT_EQ(outcome.code, 0) << outcome.output << outcome.errors;
}

TEST(ViewServer, ObjectsComeAndGoByThemselves) {
  RunningServer server(Scenes{{"come_and_go.yaml", ""}});
  Client client(server.port());
  EXPECT_TRUE(is_ok(client.ask({{"type", "speed"}, {"factor", 10}})));
  client.wait_text([](const json& m) { return m["type"] == "event" && m["kind"] == "appears"; });
  client.wait_text([](const json& m) { return m["type"] == "event" && m["kind"] == "disappears"; });
}

}  // namespace
}  // namespace stance::view::testing
