#include "stance/view/protocol.h"

#include <cmath>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "stance/contact/law.h"
#include "stance/io/scene.h"
#include "stance/run/simulation.h"
#include "stance/view/description.h"
#include "stance/view/frame.h"

namespace stance::view {
namespace {

using nlohmann::json;

const json& examples() {
  static const json out = [] {
    std::ifstream stream(STANCE_SOURCE_DIR "/web/test/protocol_examples.json");
    return json::parse(stream);
  }();
  return out;
}

// The members of an object and how they look, so that two messages of a type can be compared.
void expect_same_form(const json& a, const json& b, const std::string& where) {
  ASSERT_EQ(a.is_number(), b.is_number()) << where;
  ASSERT_EQ(a.is_string(), b.is_string()) << where;
  ASSERT_EQ(a.is_object(), b.is_object()) << where;
  ASSERT_EQ(a.is_array(), b.is_array()) << where;
  if (a.is_object()) {
    for (const auto& [key, value] : a.items()) {
      ASSERT_TRUE(b.contains(key)) << where << "." << key;
      if (!value.is_null() && !b[key].is_null()) expect_same_form(value, b[key], where + "." + key);
    }
    for (const auto& [key, value] : b.items())
      ASSERT_TRUE(a.contains(key) || key == "mesh" || key == "scale") << where << "." << key;
  } else if (a.is_array() && !a.empty() && !b.empty()) {
    expect_same_form(a[0], b[0], where + "[]");
  }
}

TEST(Protocol, TakesEveryExampleOfAViewer) {
  std::set<std::size_t> kinds;
  for (const json& message : examples()["viewer"]) {
    const ReadRequest read = read_request(message.dump());
    ASSERT_TRUE(read.request) << message << ": " << read.problem;
    EXPECT_EQ(read.request->id, message["id"].get<double>());
    kinds.insert(read.request->what.index());
  }
  EXPECT_EQ(kinds.size(), std::variant_size_v<Ask>);
}

TEST(Protocol, ReadsWhatTheExamplesSay) {
  const auto find = [](const char* type) {
    for (const json& message : examples()["viewer"])
      if (message["type"] == type) return *read_request(message.dump()).request;
    return Request{};
  };
  const auto drag = std::get<ask::Drag>(find("drag").what);
  EXPECT_EQ(drag.body, "robot/left_foot");
  EXPECT_EQ(drag.point[0], 0.1);
  EXPECT_EQ(drag.target[2], 1.0);
  const auto add = std::get<ask::Add>(find("add").what);
  EXPECT_EQ(std::get<scene::BoxSpec>(add.shape).size[2], 0.2);
  EXPECT_EQ(add.mass, 4.0);
  EXPECT_EQ(add.position[2], 2.0);
  const auto push = std::get<ask::Push>(find("push").what);
  EXPECT_EQ(push.seconds, 0.1);
  EXPECT_EQ(push.force[0], 50.0);
  const auto watch = std::get<ask::Watch>(find("watch").what);
  EXPECT_TRUE(watch.joints);
  EXPECT_EQ(watch.channels, std::vector<std::string>{"robot/com"});
}

TEST(Protocol, SaysWhatIsWrong) {
  const auto problem = [](const std::string& text) { return read_request(text).problem; };
  EXPECT_EQ(problem(""), "this is not a JSON object");
  EXPECT_EQ(problem("[]"), "this is not a JSON object");
  EXPECT_EQ(problem("{\"type\": \"dance\", \"id\": 1}"), "there is no request 'dance'");
  EXPECT_EQ(problem("{\"type\": \"pause\"}"), "'id' is not a number");
  EXPECT_EQ(problem("{\"type\": \"speed\", \"id\": 1}"), "speed: 'factor' is missing");
  EXPECT_EQ(problem("{\"type\": \"speed\", \"id\": 1, \"factor\": 0.01}"),
            "speed: 'factor' must be 0 (as fast as it goes) or between 0.1 and 10");
  EXPECT_EQ(problem("{\"type\": \"gravity\", \"id\": 1, \"value\": [0, 1]}"),
            "gravity: 'value' is not three numbers");
  EXPECT_EQ(problem("{\"type\": \"gravity\", \"id\": 1, \"value\": [0, 1, 1e300]}"),
            "gravity: 'value' must be between -1e+06 and 1e+06");
  EXPECT_EQ(problem(std::string(100000, '[')), "the message is too long");
  EXPECT_EQ(problem(std::string(1000, '[')), "the message is nested too deeply");
  EXPECT_EQ(read_request("{\"type\": \"dance\", \"id\": 7}").id, 7.0);
  EXPECT_FALSE(problem("{\"type\": \"pause\", \"id\": 1e999}").empty());
  EXPECT_FALSE(problem("{\"type\": \"load\", \"id\": 1, \"file\": \"\xff\xfe\"}").empty());
}

// The counts of what went wrong come with the heartbeat, but the first of a kind at once.
TEST(Protocol, TellsAtOnceWhatSpoilsARun) {
  Status before;
  before.trust.steps = 100;
  Status now = before;
  now.to = 3.0, now.trust.steps = 200, now.trust.residual = 1e-9, now.trust.energy_error = 1.0;
  EXPECT_FALSE(differs_at_once(before, now)) << "what moves by itself";
  for (std::int64_t Trust::*count : {&Trust::not_converged, &Trust::refused,
                                     &Trust::contacts_dropped, &Trust::contacts_missed}) {
    Status first = now, more = now;
    first.trust.*count = 1, more.trust.*count = 2;
    EXPECT_TRUE(differs_at_once(now, first));
    EXPECT_TRUE(differs_at_once(first, now)) << "another run";
    EXPECT_FALSE(differs_at_once(first, more));
  }
  now.law = 1;
  EXPECT_TRUE(differs_at_once(before, now));
}

TEST(Protocol, SpeaksAsTheExamplesDo) {
  std::map<std::string, std::vector<json>> told;
  for (const json& message : examples()["server"]) told[message["type"]].push_back(message);
  const auto check = [&](const std::string& text, std::size_t k) {
    const json message = json::parse(text);
    expect_same_form(told[message["type"]].at(k), message, message["type"]);
    return message;
  };
  check(write_hello("0.5.0", 2, {{"scenes/stack.yaml", "Cubes"}}), 0);
  Status status;
  status.law = static_cast<int>(contact::ContactLaw::kLcp);
  EXPECT_EQ(check(write_status(status, 1), 0)["law"], "lcp");
  status.is_past = true, status.at = 3.25;
  status.trust.contacts_missed = 4, status.trust.residual = std::nan("");
  EXPECT_EQ(check(write_status(status, 2), 1)["trust"]["contacts_missed"], 4);
  EXPECT_GT(check(write_status(status, 2), 1)["trust"]["residual"], 1e300) << "lost, and told";
  EXPECT_EQ(check(write_status(status, 2), 1)["at"], 3.25);
  check(write_event(1.5, "slip", "robot/left_foot slips"), 0);
  check(write_ok(1), 0);
  check(write_ok(2, AddedBody{"object0"}), 1);
  check(write_ok(3, BegunWatch{4, {"robot/com:x"}}), 2);
  check(write_error({}, "the disk is full"), 0);
  EXPECT_EQ(check(write_error(5.0, "a.yaml:1:2: unknown key", {"a.yaml", 1, {}, 2}), 1)["text"],
            "unknown key");
  Selection selection{};
  selection.body = 1;
  json selected = json::parse(write_selected(selection, {"world", "box"}));
  expect_same_form(told["selected"].at(1), selected, "selected");
}

TEST(Protocol, DescribesScenesAsTheExamplesDo) {
  const scene::Scene scene = io::load_scene(STANCE_SOURCE_DIR "/scenes/humanoid_stand.yaml");
  MeshCache meshes;
  SceneSource source;
  source.label = "scenes/humanoid_stand.yaml";
  const auto description =
      describe_world(3, source, scene, scene.first, {{"friction", 0.8}}, meshes);
  const json message = json::parse(description->json);
  for (const json& example : examples()["server"])
    if (example["type"] == "scene") expect_same_form(example, message, "scene");
  EXPECT_EQ(message["bodies"].size(), description->bodies.size());
  EXPECT_EQ(message["bodies"][0]["moves"], false);
  EXPECT_EQ(message["bodies"][1]["robot"], "humanoid");
  EXPECT_EQ(message["variables"][1]["name"], "friction");
  EXPECT_EQ(message["joints"].size(), 30u);
}

// ---- bytes --------------------------------------------------------------------------------------

std::string hex(const Bytes& bytes) {
  std::string out;
  for (const std::byte byte : bytes) {
    const char* digits = "0123456789abcdef";
    out += digits[static_cast<int>(byte) >> 4], out += digits[static_cast<int>(byte) & 15];
  }
  return out;
}

TEST(Protocol, WritesDragsAndSamplesToTheByte) {
  Bytes bytes;
  const ShownDrag drag{3, 2, {1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}, 12.5};
  make_drags(7, {&drag, 1}, bytes);
  EXPECT_EQ(hex(bytes), examples()["binary"]["drags"]["hex"].get<std::string>());

  begin_samples(7, 4, 2, bytes);
  put(bytes, 0.5), put(bytes, 1.0f), put(bytes, -2.0f);
  put_at(bytes, kRowsAt, std::uint16_t{1});
  EXPECT_EQ(hex(bytes), examples()["binary"]["samples"]["hex"].get<std::string>());
}

// A box on a floor: every field of a state frame stands where the example has it.
TEST(Protocol, WritesStateAsTheDocumentSays) {
  const scene::Scene scene = io::parse_scene(
      "version: 1\n"
      "materials: {default: {friction: 0.7}}\n"
      "environment: {floor: {shape: {plane: {}}}}\n"
      "objects: {box: {shape: {box: {size: [1, 1, 1]}}, mass: 2, position: [3, 0, 0.5], rpy: [0, "
      "0, "
      "deg(90)]}}\n",
      "box.yaml");
  run::Simulation run(scene);
  for (int k = 0; k < 100; ++k) run.step();
  FrameMaker maker(run.part());
  FrameFigures figures;
  figures.scene = 7, figures.flags = 9, figures.time = 1.5, figures.step = 1500;
  figures.speed = 1.0, figures.step_time = 40.0;
  figures.residual = 9.313225746154785e-10, figures.penetration = 9.5367431640625e-07;
  Bytes bytes;
  const sim::StepView view = run.view();
  maker.make_state(figures, run.state(), &view, bytes);
  // the head is that of the example, up to the counts
  const std::string example = examples()["binary"]["state"]["hex"].get<std::string>();
  EXPECT_EQ(hex(bytes).substr(0, 72), example.substr(0, 72));
  const auto u16 = [&](std::size_t at) { return get_at<std::uint16_t>(bytes.data(), at); };
  const auto f32 = [&](std::size_t at) { return get_at<float>(bytes.data(), at); };
  EXPECT_EQ(u16(40), 1);  // bodies
  const std::size_t contacts = u16(42);
  EXPECT_EQ(contacts, 4u);
  EXPECT_EQ(u16(44), 0);
  EXPECT_EQ(u16(46), 0);
  ASSERT_EQ(bytes.size(), kStateHead + 20 + 32 * contacts);
  EXPECT_TRUE(std::isnan(f32(48)));  // no robot, no centre of mass
  EXPECT_NEAR(f32(84), 3.0, 1e-6);
  EXPECT_NEAR(f32(92), 0.5, 1e-6);
  const double w = get_at<std::int16_t>(bytes.data(), 96) / 32767.0;
  const double z = get_at<std::int16_t>(bytes.data(), 102) / 32767.0;
  EXPECT_NEAR(w, std::sqrt(0.5), 1e-4);
  EXPECT_NEAR(z, std::sqrt(0.5), 1e-4);
  double weight = 0.0;
  for (std::size_t k = 0; k < contacts; ++k) {
    const std::size_t at = 104 + 32 * k;
    EXPECT_NEAR(std::abs(f32(at) - 3.0), 0.5, 1e-6);
    weight += f32(at + 20);
    EXPECT_EQ(get_at<std::int8_t>(bytes.data(), at + 26), 127);  // normal up
    EXPECT_EQ(get_at<std::uint8_t>(bytes.data(), at + 27), 1);   // sticks
    EXPECT_EQ(u16(at + 28), 700);
    EXPECT_EQ(u16(at + 30), 1);
  }
  EXPECT_NEAR(weight, 2.0 * 9.81, 1e-4);

  Selection selection{};
  maker.describe(1, view, selection);
  EXPECT_EQ(selection.contact_count, 4);
  EXPECT_NEAR(selection.force[2], 2.0 * 9.81, 1e-4);
  EXPECT_NEAR(selection.torque[0], 0.0, 1e-4);
}

TEST(Protocol, TheHumanoidFitsIntoHundredKilobytesASecond) {
  const scene::Scene scene = io::load_scene(STANCE_SOURCE_DIR "/scenes/humanoid_stand.yaml");
  run::Simulation run(scene);
  for (int k = 0; k < 10; ++k) run.step();
  FrameMaker maker(run.part());
  Bytes bytes;
  const sim::StepView view = run.view();
  const JointBlock joints = maker.make_state({}, run.state(), &view, bytes);
  EXPECT_EQ(joints.bytes, 30u * 8u);
  EXPECT_LT(60 * bytes.size(), 100000u);
  // it stands on both feet: CoM, ZMP and CoP are there, and a polygon
  for (std::size_t at = 48; at < 84; at += 4)
    EXPECT_TRUE(std::isfinite(get_at<float>(bytes.data(), at))) << at;
  EXPECT_GE(get_at<std::uint16_t>(bytes.data(), 46), 4);
  EXPECT_NEAR(get_at<float>(bytes.data(), 60), get_at<float>(bytes.data(), 72), 1e-3);
}

}  // namespace
}  // namespace stance::view
