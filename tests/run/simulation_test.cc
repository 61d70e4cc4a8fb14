// Simulations and those who take part: observers that come and go while they are called, and
// moments to go on from.

#include "stance/run/simulation.h"

#include <cmath>
#include <functional>
#include <memory>

#include <gtest/gtest.h>

#include "stance/io/scene.h"
#include "stance/run/event_text.h"
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

// A step may be wrong for other reasons than its contacts: "not converged, residual 1e-17" was all
// that a drive which breaks its limit was worth once.
TEST(Trust, AStepThatDidNotConvergeSaysWhy) {
  Simulation run(
      load("version: 1\nrobots: {swing: {urdf: ../models/pendulum.urdf, joints: {'*': 1}}}\n"));
  run.advance();
  const sim::World& world = run.part().scene.world;
  sim::State state = run.state();
  sim::Monitor monitor(world, state, {});
  const auto watch = [&](const sim::StepReport& report) {
    state.time += 1.0;
    monitor.watch(world, state, run.view().scratch, report, 1e-3);
    return event_text(monitor.events().back());
  };
  sim::StepReport report;
  report.status = sim::kNotConverged;
  report.contact.residual = 1e-17;
  report.broken_drive = 0;
  const std::string joint = world.model.joint_name[world.model.dof_body[0]];
  EXPECT_EQ(watch(report),
            "not converged: drive of " + joint + " keeps neither its law nor its limit");
  report.broken_drive = -1, report.velocities_agree = false;
  report.contact.velocity_error = 1e-3;
  EXPECT_EQ(watch(report), "not converged: velocities, difference 1.0e-03");
  report.velocities_agree = true, report.contact.is_converged = false;
  report.contact.residual = 2e-6;
  EXPECT_EQ(watch(report), "not converged: contacts, residual 2.0e-06");
  report.contact.is_converged = true;
  report.status = sim::kDriftNotConverged;
  report.contact.drift_residual = 0.5, report.contact.drift_coordinate = 0;
  EXPECT_EQ(watch(report), "not converged: drift of " + joint + ", residual 5.0e-01");
  EXPECT_EQ(trust_text(monitor.summary()),
            "4 of 4 steps did not converge (contacts 1, drives 1, velocities 1, drift 1)");
}

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

// Keys have bounds for whoever fills them in; a file's numbers are refused where they stand.
TEST(CompileScene, RefusesNumbersThatAFileCouldNotSay) {
  const scene::SceneSpec spec = load(kBalls).spec();
  const auto expect_refused = [&](const char* what,
                                  const std::function<void(scene::SceneSpec&)>& change) {
    scene::SceneSpec wrong = spec;
    change(wrong);
    try {
      (void)scene::compile(wrong, {});
      ADD_FAILURE() << what << " was taken";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    }
  };
  EXPECT_NO_THROW((void)scene::compile(spec, {}));
  expect_refused("'step' is -0.001 s", [](scene::SceneSpec& wrong) { wrong.step = -1e-3; });
  expect_refused("'step' is nan s", [](scene::SceneSpec& wrong) { wrong.step = std::nan(""); });
  expect_refused("'gravity' is inf", [](scene::SceneSpec& wrong) {
    wrong.gravity = {0.0, 0.0, model::kInfinity};
  });
  expect_refused("'tolerance' is -1",
                 [](scene::SceneSpec& wrong) { wrong.contact.tolerance = -1.0; });
  expect_refused("'max_sweeps' is 0",
                 [](scene::SceneSpec& wrong) { wrong.contact.max_sweeps = 0; });
  expect_refused("'mass' is -1 kg", [](scene::SceneSpec& wrong) { wrong.objects[0].mass = -1.0; });
  expect_refused("'law' is none of its choices", [](scene::SceneSpec& wrong) {
    wrong.contact.law = static_cast<contact::ContactLaw>(99);
  });
}

// A name stands for one thing in a recording, even when the thing is gone.
TEST(Edits, ANameIsUsedOnce) {
  Simulation run(load(kBalls));
  EXPECT_TRUE(run.advance());
  run.apply({"test", scene::Edit{scene::RemoveObject{"ball"}}});
  EXPECT_TRUE(run.advance());
  scene::AddObjects add{"ball", {run.scene().spec().objects[0]}};
  add.objects[0].disappears.reset();
  try {
    run.apply({"test", scene::Edit{add}});
    (void)run.advance();
    ADD_FAILURE() << "it was taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("the name of something that has been removed"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace stance::run
