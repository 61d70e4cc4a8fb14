// The physics thread by itself: modules, bits, memory.

#include <gtest/gtest.h>

#include "client.h"

namespace stance::view::testing {
namespace {

constexpr const char* kBox =
    "version: 1\n"
    "environment: {floor: {shape: {plane: {}}}}\n"
    "objects: {box: {shape: {box: {size: [0.2, 0.2, 0.2]}}, mass: 1, position: [0, 0, 0.1]}}\n";

// A device that lifts the box, and notes what it saw.
class Lift final : public sim::LiveModule {
 public:
  void before_step(std::uint64_t step, double, std::vector<sim::InputChange>& changes) override {
    if (step != 100) return;
    changes.push_back({.kind = sim::InputChange::Kind::kDrag,
                       .source = "device 1",
                       .name = "box",
                       .place = {0.0, 0.0, 0.5}});
    // what is not there is told, and stops nothing
    changes.push_back(
        {.kind = sim::InputChange::Kind::kDrag, .source = "device 1", .name = "nothing"});
  }
  void leave_world(bool) override {}
  void after_step(const sim::StepView& view, const sim::Outside& outside) override {
    steps = steps + 1;
    height = view.state.q[6];
    force = outside.pulls().empty() ? 0.0 : norm(outside.pulls()[0].drag.force);
  }
  std::atomic<int> steps{0};
  std::atomic<double> height{0.0}, force{0.0};
};

TEST(ViewSession, ModulesTakePart) {
  const auto lift = std::make_shared<Lift>();
  RunningServer server(Scenes{{"box.yaml", kBox}}, [&](ServerOptions& options) {
    options.hub.session.modules.push_back(lift);
  });
  Client client(server.port());
  client.wait_text([](const json& m) {
    return m["type"] == "error" &&
           m["text"].get<std::string>().find("nothing") != std::string::npos;
  });
  client.wait_state([](const SeenState& s) { return s.position(1)[2] > 0.4; });
  EXPECT_GT(lift->steps, 100);
  EXPECT_GT(lift->height, 0.3);
  EXPECT_GT(lift->force, 1.0);
  server.stop();
}

// A device gone mad.
class Blow final : public sim::LiveModule {
 public:
  void before_step(std::uint64_t step, double, std::vector<sim::InputChange>& changes) override {
    if (step == 100 && !is_done) {
      is_done = true;
      changes.push_back({.kind = sim::InputChange::Kind::kWrench,
                         .source = "device 1",
                         .name = "box",
                         .point = {1.0, 0.0, 0.0},
                         .force = {1e305, 1e305, 1e305}});
    }
  }
  void leave_world(bool) override {}
  void after_step(const sim::StepView&, const sim::Outside&) override {}
  bool is_done = false;
};

// Numbers that are lost are told, and the simulation stands still where it was.
TEST(ViewSession, AStepThatIsRefusedPauses) {
  RunningServer server(Scenes{{"box.yaml", kBox}}, [](ServerOptions& options) {
    options.hub.session.modules.push_back(std::make_shared<Blow>());
  });
  Client client(server.port());
  const SeenState state = client.wait_state([](const SeenState& s) { return (s.flags & 5) == 5; });
  EXPECT_EQ(state.step, 99u);
  const json event = client.wait_text(
      [](const json& text) { return text["type"] == "event" && text["kind"] != "touch"; });
  EXPECT_EQ(event["kind"], "refused");
  EXPECT_EQ(event["text"], "box has no finite place or speed any more; the step was refused");
  EXPECT_EQ(client.ask({{"type", "reset"}})["type"], "ok");
  EXPECT_EQ(client.ask({{"type", "play"}})["type"], "ok");
  client.wait_state([](const SeenState& s) { return !(s.flags & 1) && s.time > 0.2; });
}

TEST(ViewSession, KeepsToTheClock) {
  RunningServer server(Scenes{{"box.yaml", kBox}});
  Client client(server.port());
  const auto measure = [&](double seconds) {
    const SeenState a = client.next_state();
    const auto clock = std::chrono::steady_clock::now();
    const SeenState b =
        client.wait_state([&](const SeenState& s) { return s.time > a.time + seconds; });
    return (b.time - a.time) /
           std::chrono::duration<double>(std::chrono::steady_clock::now() - clock).count();
  };
  client.next_state();
  EXPECT_NEAR(measure(1.0), 1.0, 0.2);
  EXPECT_EQ(client.ask({{"type", "speed"}, {"factor", 0.5}})["type"], "ok");
  client.next_state();
  EXPECT_NEAR(measure(0.5), 0.5, 0.1);
}

}  // namespace
}  // namespace stance::view::testing
