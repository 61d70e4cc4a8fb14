// Where the bodies are is worked out once a step: controllers, drags, the step itself and sensors
// have the same, and it is that of the state.

#include <cstring>

#include <gtest/gtest.h>

#include "stance/sim/drag.h"
#include "stance/sim/sensors.h"
#include "stance/sim/state_bytes.h"
#include "stance/sim/step.h"

#include "heap_counter.h"
#include "mechanisms.h"

namespace stance::sim {
namespace {

template <class T>
bool is_same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

// Against the functions that they come from, bit for bit.
void expect_of(const World& world, const State& x, const dynamics::Bodies& bodies) {
  const model::Model& model = world.model;
  const std::span<const double> q = x.q, v = x.v, none;
  dynamics::Kinematics<double> kin(model);
  dynamics::Velocities<double> vel(model);
  dynamics::Inertias<double> inertias(model);
  dynamics::Articulated<double> articulated(model);
  update_kinematics(model, q, kin);
  update_velocities(model, kin, v, vel);
  update_inertias(model, kin, inertias);
  update_articulated(model, kin, inertias, none, articulated);
  EXPECT_TRUE(bodies.is_of(x.q, x.v));
  EXPECT_TRUE(is_same(bodies.kin().R_WB, kin.R_WB));
  EXPECT_TRUE(is_same(bodies.kin().p_OB, kin.p_OB));
  EXPECT_TRUE(is_same(bodies.kin().p_WO, kin.p_WO));
  EXPECT_TRUE(is_same(bodies.kin().S, kin.S));
  EXPECT_TRUE(is_same(bodies.vel().V, vel.V));
  EXPECT_TRUE(is_same(bodies.vel().c, vel.c));
  EXPECT_TRUE(is_same(bodies.inertias().p_OC, inertias.p_OC));
  EXPECT_TRUE(is_same(bodies.inertias().I_C, inertias.I_C));
  const dynamics::Articulated<double>& found = bodies.find_articulated(model);
  EXPECT_TRUE(is_same(found.D_inverse, articulated.D_inverse));
  EXPECT_TRUE(is_same(found.U, articulated.U));
}

// Looks at what it is given, and at where it comes from.
class Looker final : public Controller {
 public:
  void act(const StepStart& at, std::span<double>, Drive&) override {
    if (!is_idle) expect_of(at.world, at.state, at.bodies);
    seen = at.bodies.kin().R_WB.data();
    ++acts;
  }
  const kernel::Mat3d* seen = nullptr;
  int acts = 0;
  bool is_idle = false;
};

struct Looked {
  Looked()
      : scene(test::make_drive_chain(5)),
        x(scene.start),
        scratch(scene.world),
        looker(std::make_shared<Looker>()),
        actuation(scene.world, Drive(scene.world), {looker}) {
    actuation.start(scene.world, x);
  }
  void step() {
    const Input& input = actuation.update(scene.world, 1e-3, x, scratch);
    ASSERT_EQ(sim::step(scene.world, input, 1e-3, x, scratch).status, kStepFine);
  }

  Scene scene;
  State x;
  Scratch scratch;
  std::shared_ptr<Looker> looker;
  Actuation actuation;
};

TEST(Bodies, ControllersAndSensorsHaveThoseOfTheState) {
  Looked r;
  for (int k = 0; k < 20; ++k) {
    r.step();
    expect_of(r.scene.world, r.x, r.scratch.end);
    EXPECT_EQ(r.scratch.start.kin().R_WB.data(), r.looker->seen) << "the step's own";
  }
  EXPECT_EQ(r.looker->acts, 20);
}

// Nothing is worked out twice: what a step ends with is where the next begins.
TEST(Bodies, AStepBeginsWithWhatTheLastOneEndedWith) {
  Looked r;
  r.step();
  for (int k = 0; k < 5; ++k) {
    const kernel::Mat3d* end = r.scratch.end.kin().R_WB.data();
    r.step();
    EXPECT_EQ(r.looker->seen, end);
  }
}

// Whoever changes the state between two steps need not tell.
TEST(Bodies, AChangedStateIsNoticed) {
  Looked r;
  for (int k = 0; k < 5; ++k) r.step();
  r.x.q[1] += 0.1;
  r.step();  // the looker compares
  r.x.v[0] = -0.0;
  r.step();
  const State kept = r.x;
  for (int k = 0; k < 5; ++k) r.step();
  r.x = kept;
  r.step();
  Scratch fresh(r.scene.world);
  State again = kept;
  (void)sim::step(r.scene.world, {}, 1e-3, again, fresh);
  EXPECT_EQ(find_difference(again, r.x), "") << "whatever the scratch went through";
}

TEST(Bodies, ARefusedStepLeavesThoseOfTheState) {
  Looked r;
  r.step();
  const State before = r.x;
  const std::vector<double> tau(r.x.v.size(), NAN);
  EXPECT_EQ(step(r.scene.world, {.tau = tau}, 1e-3, r.x, r.scratch).status, kNotFinite);
  expect_of(r.scene.world, before, r.scratch.end);
  r.step();
}

TEST(Bodies, ADragPullsAtThePointOfTheState) {
  Scene scene = test::make_drive_chain(5);
  State x = scene.start;
  Scratch scratch(scene.world);
  DragForces forces(scene.world);
  Drag drag;
  drag.body = model::BodyIndex(3), drag.p_B = {0.0, 0.01, -0.1}, drag.stiffness = 50.0;
  drag.target = {0.3, 0.1, -0.4};
  Drive drive(scene.world);
  const auto take = [&] {
    forces.update({scene.world, x, update_start(scene.world, x, scratch), 1e-3}, {&drag, 1});
    drive.wrenches.assign(1, drag.wrench);
    (void)step(scene.world, drive.input(), 1e-3, x, scratch);
  };
  for (int k = 0; k < 50; ++k) {
    dynamics::Kinematics<double> kin(scene.world.model);
    update_kinematics(scene.world.model, std::span<const double>(x.q), kin);
    const Vec3d wanted = kin.calc_position(scene.world.model, drag.body, drag.p_B);
    take();
    for (int c = 0; c < 3; ++c) EXPECT_EQ(drag.position[c], wanted[c]);
  }
  EXPECT_EQ(bench::count_heap_calls([&] {
              for (int k = 0; k < 20; ++k) take();
            }),
            0);
}

// ---- timers -----------------------------------------------------------------------------------

TEST(Stages, AreCountedAndChangeNoBit) {
  Looked plain, timed;
  plain.looker->is_idle = timed.looker->is_idle = true;
  StepTimer timer;
  timed.scratch.timer = &timer;
  for (int k = 0; k < 200; ++k) plain.step(), timed.step();
  EXPECT_EQ(find_difference(plain.x, timed.x), "");
  const auto laps = [&](Stage stage) { return timer.stages()[static_cast<int>(stage)].laps; };
  for (const Stage stage :
       {Stage::kStart, Stage::kDrives, Stage::kFreeVelocity, Stage::kFindContacts, Stage::kAssemble,
        Stage::kSolve, Stage::kApply, Stage::kMove, Stage::kKinematics})
    EXPECT_EQ(laps(stage), 200) << kStageNames[static_cast<int>(stage)];
  EXPECT_EQ(laps(Stage::kWatch), 0) << "of a run, not of a step";
  for (const auto& stage : timer.stages()) EXPECT_GE(stage.nanoseconds, 0);
  EXPECT_EQ(bench::count_heap_calls([&] { timed.step(); }), 0);
}

}  // namespace
}  // namespace stance::sim
