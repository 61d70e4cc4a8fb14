// The physics thread by itself: modules, bits, memory.

#include <cmath>
#include <future>

#include <gtest/gtest.h>

#include "client.h"
#include "turned_clock.h"

namespace stance::view::testing {
namespace {

constexpr const char* kBox =
    "version: 1\n"
    "environment: {floor: {shape: {plane: {}}}}\n"
    "objects: {box: {shape: {box: {size: [0.2, 0.2, 0.2]}}, mass: 1, position: [0, 0, 0.1]}}\n";

// A device that lifts the box, and notes what it saw.
class Lift final : public run::Observer {
 public:
  void before_step(const run::StepAhead& step, std::vector<run::Change>& changes) override {
    if (step.number != 100) return;
    changes.push_back({"device 1", sim::DragBody{.body = "box", .to = {0.0, 0.0, 0.5}}});
    // what is not there is told, and stops nothing
    changes.push_back({"device 1", sim::DragBody{.body = "nothing"}});
  }
  bool after_step(const run::Simulation& simulation, const sim::StepView& view) override {
    const auto pulls = simulation.outside().pulls();
    steps = steps + 1;
    height = view.state.q[6];
    force = pulls.empty() ? 0.0 : norm(pulls[0].drag.force);
    return true;
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
class Blow final : public run::Observer {
 public:
  void before_step(const run::StepAhead& step, std::vector<run::Change>& changes) override {
    if (step.number == 100 && !is_done) {
      is_done = true;
      changes.push_back(
          {"device 1",
           sim::PushBody{.body = "box", .point = {1.0, 0.0, 0.0}, .force = {1e305, 1e305, 1e305}}});
    }
  }
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

class Count final : public run::Observer {
 public:
  bool after_step(const run::Simulation&, const sim::StepView&) override {
    steps = steps + 1;
    return true;
  }
  std::atomic<int> steps{0};
};

// A step of 1 ms each millisecond at speed 1, every other one at 1/2; at 0 they do not wait for it.
TEST(ViewSession, KeepsToTheClock) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  TurnedClock clock;
  const auto count = std::make_shared<Count>();
  RunningServer server(Scenes{{"box.yaml", kBox}}, [&](ServerOptions& options) {
    options.hub.session.modules.push_back(count);
    options.hub.session.clock = &clock;
  });
  // before the server stops, which waits for the thread
  struct Release {
    ~Release() { clock.release(); }
    TurnedClock& clock;
  } release{clock};
  // the scene is made on another thread, and orders are taken between steps
  while (count->steps == 0) clock.turn(kSecond / 100);
  Client client(server.port());
  client.scene();
  const auto measure = [&] {
    const int before = count->steps;
    clock.turn(kSecond);
    return count->steps - before;
  };
  const auto set_speed = [&](double factor) {
    auto answer = std::async(std::launch::async, [&] {
      return client.ask({{"type", "speed"}, {"factor", factor}});
    });
    while (answer.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready)
      clock.nudge(kSecond / 100);
    EXPECT_EQ(answer.get()["type"], "ok");
  };
  EXPECT_NEAR(measure(), 1000, 1);
  for (const double factor : {0.5, 0.1, 2.0}) {
    set_speed(factor);
    clock.turn(0);  // until what came late is made up for
    EXPECT_NEAR(measure(), 1000 * factor, 1);
    client.wait_state([&](const SeenState& s) { return std::abs(s.speed - factor) < 0.02; });
  }
  set_speed(0.0);
  const int before = count->steps;
  while (count->steps < before + 2000) std::this_thread::yield();
}

}  // namespace
}  // namespace stance::view::testing
