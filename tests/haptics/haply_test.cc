// The messages of the Haply service, and client and emulated service over a WebSocket.

#include <chrono>
#include <cmath>
#include <thread>

#include <gtest/gtest.h>

#include "stance/haptics/check/haply_server.h"
#include "stance/haptics/check/live_check.h"
#include "stance/haptics/haply_client.h"
#include "stance/haptics/haply_protocol.h"
#include "stance/kernel/error.h"

namespace stance::haptics {
namespace {

// ---- messages ---------------------------------------------------------------------------------

TEST(HaplyProtocol, ReadsAnInventoryAsTheServiceSendsIt) {
  HaplyState state;
  std::string trouble;
  ASSERT_TRUE(parse_haply_state(
      R"({"session_id": 7, "inverse3": [{"device_id": "04A2", "config": {"x": 1},
          "state": {"cursor_position": {"x": 0.1, "y": 0.2, "z": 0.3},
                    "cursor_velocity": {"x": 1, "y": 2, "z": 3}, "mode": "idle"},
          "status": {"ready": true}}],
          "wireless_verse_grip": [{"device_id": "61", "state": {"buttons": {"a": true, "b": false,
          "c": true}, "orientation": {"w": 1, "x": 0, "y": 0, "z": 0}, "hall": 3}}]})",
      state, trouble))
      << trouble;
  EXPECT_EQ(state.session, "7");
  EXPECT_EQ(state.device, "04A2");
  EXPECT_EQ(norm(state.position - Vec3d(0.2, -0.1, 0.3)), 0.0);
  EXPECT_EQ(norm(state.velocity - Vec3d(2, -1, 3)), 0.0);
  EXPECT_EQ(state.buttons, 5u);
  EXPECT_TRUE(state.has_orientation);
}

TEST(HaplyProtocol, ComesBackAsItWent) {
  HaplyState state, again;
  state.session = "1", state.device = "a\"b";
  state.position = {0.01, -0.02, 0.03}, state.velocity = {1, 2, -3};
  state.buttons = 2;
  std::string text, trouble;
  write_haply_state(state, true, text);
  ASSERT_TRUE(parse_haply_state(text, again, trouble)) << trouble;
  EXPECT_EQ(again.device, state.device);
  EXPECT_LT(norm(again.position - state.position), 1e-15);
  EXPECT_LT(norm(again.velocity - state.velocity), 1e-15);
  EXPECT_EQ(again.buttons, 2u);

  HaplyCommand command;
  write_haply_force("a\"b", {1.5, -2.5, 3.25}, text);
  ASSERT_TRUE(parse_haply_command(text, "a\"b", command, trouble)) << trouble;
  EXPECT_TRUE(command.has_force);
  EXPECT_LT(norm(command.force - Vec3d(1.5, -2.5, 3.25)), 1e-6);
  ASSERT_TRUE(parse_haply_command(text, "another", command, trouble));
  EXPECT_FALSE(command.has_force);
}

TEST(HaplyProtocol, RefusesWhatIsNoMessageInASentence) {
  const char* bad[] = {
      "",
      "nonsense",
      "[]",
      "{",
      "42",
      "null",
      "\"x\"",
      "{\"inverse3\": 3}",
      R"({"inverse3": [{}]})",
      R"({"inverse3": [{"device_id": "1", "state": {"cursor_position": {"x": 1, "y": 2}}}]})",
      R"({"inverse3": [{"device_id": "1", "state": {"cursor_position": {"x": 1e999, "y": 2, "z": 3}}}]})",
      R"({"inverse3": [{"device_id": "1", "state": {"cursor_position": {"x": 1e9, "y": 2, "z": 3}}}]})",
      R"({"inverse3": [{"device_id": "1", "state": {"cursor_position": {"x": "1", "y": 2, "z": 3}}}]})",
      R"({"inverse3": [{"device_id": "1", "state": {"cursor_position": [1, 2, 3]}}]})",
  };
  for (const char* text : bad) {
    HaplyState state;
    std::string trouble;
    EXPECT_FALSE(parse_haply_state(text, state, trouble)) << text;
    EXPECT_FALSE(trouble.empty()) << text;
    EXPECT_FALSE(state.has_device) << text;
  }
  HaplyCommand command;
  std::string trouble;
  EXPECT_FALSE(parse_haply_command(
      R"({"inverse3":[{"device_id":"1","commands":{"set_cursor_force":{"vector":{"x":null}}}}]})",
      "1", command, trouble));
  EXPECT_FALSE(command.has_force);
  const std::string huge(kMostHaplyBytes + 1, ' ');
  EXPECT_FALSE(parse_haply_command(huge, "1", command, trouble));
}

// ---- over a WebSocket -------------------------------------------------------------------------

struct Serving {
  explicit Serving(const ServerOptions& options)
      : server(options,
               [](double) {
                 return Intention{{0.01, 0.02, 0.03}, {}};
               }),
        thread([this] { server.run(); }) {}
  ~Serving() {
    server.stop();
    thread.join();
  }
  HaplyServer server;
  std::thread thread;
};

// Ticks a client until something holds; false only when that hangs. The client's clock goes on by
// 1 ms a tick, however long that takes.
template <class Condition>
bool tick_until(HaplyClient& client, double& now, std::uint64_t& number, DeviceSample& sample,
                const Vec3d& force, Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (std::chrono::steady_clock::now() < end) {
    now += 1e-3;
    const Reading reading = client.read(now, sample);
    if (condition(reading)) return true;
    client.write(now, {force, ++number});
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

TEST(HaplyClient, FeelsAndPushesAnEmulatedHandAndComesBack) {
  ServerOptions options;
  options.port = 0;
  Serving serving(options);
  HaplyOptions where;
  where.port = serving.server.port();
  HaplyClient client(where);
  double now = 0.0;
  std::uint64_t number = 0;
  DeviceSample sample;
  const Vec3d force(0, 0, -1.0);
  ASSERT_TRUE(tick_until(client, now, number, sample, force, [&](Reading reading) {
    return reading == Reading::kFresh && sample.applied > 5;
  })) << client.trouble();
  EXPECT_LT(norm(sample.position - Vec3d(0.01, 0.02, 0.03)), 0.02);
  // 1 N on a hand of 300 N/m
  EXPECT_TRUE(tick_until(client, now, number, sample, force, [&](Reading) {
    return std::abs(sample.position[2] - (0.03 - 1.0 / 300.0)) < 5e-4;
  }));

  serving.server.drop_clients();
  EXPECT_TRUE(tick_until(client, now, number, sample, force,
                         [&](Reading reading) { return reading == Reading::kLost; }));
  EXPECT_FALSE(client.trouble().empty());
  for (int k = 0; k < 120'000 && norm(serving.server.report().force) > 0.0; ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(norm(serving.server.report().force), 0.0);  // nobody pushes any more
  const std::uint64_t before = number;
  EXPECT_TRUE(tick_until(client, now, number, sample, force, [&](Reading reading) {
    return reading == Reading::kFresh && sample.applied > before;
  }));
}

// A service that hangs without hanging up: it is said after a second, and comes back.
TEST(HaplyClient, ConnectsAgainWhereNothingIsHeard) {
  ServerOptions options;
  options.port = 0;
  Serving serving(options);
  HaplyOptions where;
  where.port = serving.server.port();
  HaplyClient client(where);
  double now = 0.0;
  std::uint64_t number = 0;
  DeviceSample sample;
  const auto is_fresh = [&](Reading reading) {
    return reading == Reading::kFresh && sample.applied > 5;
  };
  ASSERT_TRUE(tick_until(client, now, number, sample, {}, is_fresh)) << client.trouble();
  EXPECT_EQ(client.trouble(), "");
  serving.server.set_silent(true);
  ASSERT_TRUE(tick_until(client, now, number, sample, {},
                         [&](Reading) { return !client.trouble().empty(); }));
  EXPECT_NE(client.trouble().find("has said nothing for 1 s"), std::string::npos)
      << client.trouble();
  serving.server.set_silent(false);
  const std::uint64_t before = number;
  EXPECT_TRUE(tick_until(client, now, number, sample, {}, [&](Reading reading) {
    return reading == Reading::kFresh && sample.applied > before;
  })) << client.trouble();
  EXPECT_EQ(client.trouble(), "");
}

TEST(HaplyClient, SaysWhyItHasNoDevice) {
  HaplyOptions where;
  where.port = 1;  // nobody listens there
  HaplyClient client(where);
  double now = 0.0;
  std::uint64_t number = 0;
  DeviceSample sample;
  EXPECT_TRUE(tick_until(client, now, number, sample, {},
                         [&](Reading reading) { return reading == Reading::kLost; }));
  EXPECT_NE(client.trouble().find("cannot reach the Haply service at 127.0.0.1:1"),
            std::string::npos)
      << client.trouble();
}

TEST(HaplyServer, SaysThatAPortIsTaken) {
  ServerOptions options;
  options.port = 0;
  Serving serving(options);
  options.port = serving.server.port();
  EXPECT_THROW(HaplyServer(options, [](double) { return Intention{}; }), Error);
}

// On the real clock, so only what holds on any machine, however busy: messages arrive and are
// understood, a service that is 5 ms away is felt softly, no number is lost. What the hand reads is
// asked of the simulated clock (coupling_test.cc: 1 %) and printed by `stance device-emulator
// --check --live`.
TEST(Live, AServiceIsFeltThroughAWebSocket) {
  HandOptions hand;
  hand.hand_damping = 20.0;  // comes to rest soon
  for (const double latency : {0.0, 5e-3}) {
    hand.latency = latency;
    const LiveResult live = hold_live(2.0, hand, 1000.0);
    EXPECT_EQ(live.bad_messages, 0u);
    EXPECT_GT(live.stiffness, 0.0) << latency;
    EXPECT_LE(live.stiffness, latency > 0.0 ? 300.0 : 1000.0);
    EXPECT_TRUE(std::isfinite(live.force)) << latency;
  }
}

}  // namespace
}  // namespace stance::haptics
