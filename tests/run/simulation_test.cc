// Simulations and those who take part: observers that come and go while they are called, and
// moments to go on from.

#include "stance/run/simulation.h"

#include <cmath>
#include <functional>
#include <memory>

#include <gtest/gtest.h>

#include "stance/io/scene.h"
#include "stance/run/outcome.h"
#include "stance/run/snapshot.h"

namespace stance::run {
namespace {

// A ball falls; another one appears by itself at 0.1 s.
const char* const kBalls =
    "version: 1\n"
    "environment: {floor: {shape: {plane: {}}}}\n"
    "objects:\n"
    "  ball: {shape: {sphere: {radius: 0.1}}, mass: 1, position: [0, 0, 1]}\n"
    "  late: {shape: {sphere: {radius: 0.1}}, mass: 2, position: [1, 0, 1], appears: 0.1}\n";

scene::Scene load(const std::string& text) {
  return io::parse_scene(text, STANCE_SOURCE_DIR "/scenes/here.yaml");
}

// Does what a test says after a step, and counts the steps it saw.
class Guest : public Observer {
 public:
  explicit Guest(std::function<void()> act = {}) : act_(std::move(act)) {}
  bool after_step(const Simulation&, const sim::StepView&) override {
    ++seen;
    if (act_) act_();
    return true;
  }
  int seen = 0;

 private:
  std::function<void()> act_;
};

TEST(Observers, MayLeaveAndCallOthersWhileTheyAreCalled) {
  Simulation run(load(kBalls));
  Guest last, comes;
  int first_seen = 0;
  auto leaves = std::make_unique<Guest>();
  Guest first([&] {
    leaves.reset();
    run.detach(last);
    if (first_seen++ == 0) run.attach(comes);
  });
  run.attach(first), run.attach(*leaves), run.attach(last);
  EXPECT_TRUE(run.advance());
  EXPECT_EQ(first.seen, 1);
  EXPECT_EQ(last.seen, 0) << "it had left before it was its turn";
  EXPECT_EQ(comes.seen, 0) << "it is called from the next call on";
  EXPECT_TRUE(run.advance());
  EXPECT_EQ(first.seen, 2);
  EXPECT_EQ(last.seen, 0);
  EXPECT_EQ(comes.seen, 1);
}

TEST(Observers, AskInBeforeStepAndNotInBetween) {
  Simulation run(load(kBalls));
  const Change pull{"test", scene::Edit(scene::SetGravity{{0.0, 0.0, 1.0}})};
  Guest guest([&] { run.change(pull); });
  run.attach(guest);
  EXPECT_THROW(run.advance(), Error);
  run.detach(guest);
  run.change(pull);
  EXPECT_TRUE(run.advance());
  EXPECT_EQ(run.edits().size(), 1u);
}

// ---- trust ------------------------------------------------------------------------------------

TEST(Trust, EachCountIsHeldAgainstWhatTheSceneAllows) {
  const auto trusts = [](const sim::RunSummary& summary, const scene::ExpectSpec& expect) {
    Outcome outcome;
    outcome.summary = summary, outcome.trust = count_trust(summary, expect);
    return outcome.is_trusted();
  };
  sim::RunSummary clean, unconverged, dropped, missed, lost;
  unconverged.unconverged = 2, dropped.contacts_dropped = 2, missed.contacts_missed = 2;
  lost.is_lost = true;
  EXPECT_TRUE(trusts(clean, {}));
  for (const sim::RunSummary& bad : {unconverged, dropped, missed, lost})
    EXPECT_FALSE(trusts(bad, {}));
  scene::ExpectSpec one, two;
  one.max_unconverged = one.max_dropped = one.max_missed = 1;
  two.max_unconverged = two.max_dropped = two.max_missed = 2;
  for (const sim::RunSummary& bad : {unconverged, dropped, missed}) {
    EXPECT_FALSE(trusts(bad, one));
    EXPECT_TRUE(trusts(bad, two));
  }
  EXPECT_FALSE(trusts(lost, two));
}

// ---- moments ------------------------------------------------------------------------------------

TEST(Moments, OfAnotherSceneAreRefused) {
  const auto scene = std::make_shared<const scene::Scene>(load(kBalls));
  sim::State state = scene->first.scene.start;
  state.q.pop_back();
  EXPECT_THROW(Simulation(scene, Moment{state}), Error);
  state = scene->first.scene.start;
  state.v[3] = std::nan("");
  EXPECT_THROW(Simulation(scene, Moment{state}), Error);
  state = scene->first.scene.start;
  state.time = -1.0;
  EXPECT_THROW(Simulation(scene, Moment{state}), Error);
  state = scene->first.scene.start;
  state.warm.p.push_back({});
  EXPECT_THROW(Simulation(scene, Moment{state}), Error) << "an impulse without a contact";
  EXPECT_NO_THROW(Simulation(scene, Moment{scene->first.scene.start}));
}

// At the very step before which something appears, the state of that moment is without it. Taken a
// step earlier, there or a step later: all go on alike, edited or not.
TEST(Moments, GoOnWhereSomethingAppears) {
  const scene::Scene scene = load(kBalls);
  for (const bool is_edited : {false, true})
    for (const int when : {99, 100, 101}) {
      SCOPED_TRACE(testing::Message() << when << (is_edited ? ", edited" : ""));
      Simulation whole(scene);
      whole.advance_to(50);
      if (is_edited) whole.change({"test", scene::Edit(scene::SetGravity{{0.5, 0.0, -9.81}})});
      whole.advance_to(when);
      const std::string bytes = write_snapshot(scene, whole.moment());
      Simulation rest(scene, read_snapshot(scene, bytes));
      EXPECT_EQ(write_snapshot(scene, rest.moment()), bytes);
      whole.advance_to(200), rest.advance_to(200);
      EXPECT_TRUE(rest.part().scene.world.model.find_body("late").valid());
      EXPECT_EQ(whole.state().q, rest.state().q);
      EXPECT_EQ(whole.state().v, rest.state().v);
    }
}

}  // namespace
}  // namespace stance::run
