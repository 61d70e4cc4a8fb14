// The humanoid in people's hands: H13, and A17, A19, A20.

#include <cmath>

#include <gtest/gtest.h>

#include "stance/haptics/check/lock_step.h"
#include "stance/haptics/check/make_device.h"
#include "stance/haptics/recorded.h"
#include "stance/io/scene.h"
#include "stance/kernel/error.h"
#include "stance/sim/controllers.h"

namespace stance::haptics {
namespace {

const std::string kScenes = std::string(STANCE_SOURCE_DIR) + "/scenes/";

Vec3d find_place(const run::Simulation& run, const char* name, Vec3d* ahead = nullptr) {
  const sim::World& world = run.part().scene.world;
  dynamics::Kinematics<double> kin(world.model);
  update_kinematics(world.model, std::span<const double>(run.state().q), kin);
  const model::Frame& frame = world.model.frames[world.model.find_frame(name)];
  if (ahead) *ahead = (kin.R_WB[frame.body] * frame.R_BF).c[0];
  return kin.calc_position(world.model, frame.body, frame.p_BF);
}

// Pulls sideways and up by 10 and 4 cm within 1.5 s, and stays there.
constexpr const char* kAside = R"(time,x,y,z
0,0.44,0,0.9292
0.2,0.44,0,0.9292
1.7,0.44,0.10,0.9692
)";

TEST(HumanoidTable, IsPulledAndPushedInAllDirectionsWithFortyContacts) {
  const scene::Scene scene = io::load_scene(kScenes + "humanoid_table.yaml");
  RecordedDevice device(kScenes + "humanoid_table_pull.csv");
  LockStep run(scene, device, {}, {.hold = "beam"});
  double fewest = 1e9, most_force = 0.0;
  run.after_step = [&](const sim::StepView& view, const sim::Outside& outside) {
    fewest = std::min<double>(fewest, view.report.contact.points);
    for (const sim::Outside::Pull& pull : outside.pulls())
      most_force = std::max(most_force, norm(pull.drag.force));
  };
  run.run(5.0);
  const sim::RunSummary summary = run.scene().monitor().summary();
  EXPECT_FALSE(summary.has_fallen);
  EXPECT_FALSE(summary.is_lost);
  EXPECT_EQ(fewest, 40);
  EXPECT_GT(most_force, 30.0);
  EXPECT_LT(summary.worst_penetration, 1e-5);
  EXPECT_LT(norm(find_place(run.scene(), "beam") - Vec3d(0.44, 0, 0.929)), 0.03);
}

TEST(HumanoidFollows, GivesWayWhereAStiffOneDoesNot) {
  double moved[2];
  for (const int k : {0, 1}) {
    const scene::Scene scene =
        io::load_scene(kScenes + (k ? "humanoid_follows.yaml" : "humanoid_table.yaml"));
    RecordedDevice device(kAside, "aside");
    LoopOptions loop;
    loop.stiffness = 500.0;
    LockStep run(scene, device, loop, {.hold = "beam"});
    run.run(3.0);
    EXPECT_FALSE(run.scene().monitor().summary().has_fallen);
    moved[k] = find_place(run.scene(), "beam")[1];
    bool is_told = false;
    for (const sim::Event& event : run.scene().monitor().events())
      is_told = is_told || (event.kind == sim::Event::Kind::kTouch && event.what == "beam");
    EXPECT_TRUE(is_told);
    if (k == 1) {
      // the head looks at the probe
      Vec3d ahead;
      const Vec3d eyes = find_place(run.scene(), "humanoid/head", &ahead);
      const Vec3d there = Vec3d(0.44, 0.10, 0.9692) - eyes;
      EXPECT_GT(dot(ahead, there) / norm(there), std::cos(0.02));
    }
  }
  EXPECT_LT(moved[0], 0.02);
  EXPECT_NEAR(moved[1], 0.10, 0.01);
}

// Touched at the shoulder it looks there for a while, then at the beam again.
TEST(HumanoidFollows, LooksAtWhereItIsTouched) {
  const scene::Scene scene = io::load_scene(kScenes + "humanoid_follows.yaml");
  run::Simulation run(scene);
  for (int k = 0; k < 1000; ++k) run.step();
  Vec3d before, during, after;
  find_place(run, "humanoid/head", &before);
  run.apply({"hand", sim::PushBody{.body = "humanoid/left_forearm", .force = {0, 0, -1}}});
  for (int k = 0; k < 1000; ++k) run.step();
  find_place(run, "humanoid/head", &during);
  for (int k = 0; k < 2000; ++k) run.step();
  find_place(run, "humanoid/head", &after);
  EXPECT_NEAR(before[1], 0.0, 0.01);
  EXPECT_GT(during[1], 0.3);  // to the left
  EXPECT_NEAR(after[1], 0.0, 0.05);
}

TEST(RecordedDevice, SaysWhatIsWrongWithAFile) {
  const auto message = [](const char* text) {
    try {
      RecordedDevice device(text, "file.csv");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message("a,b\n1,2\n").find("file.csv:1: the first line must be"), std::string::npos);
  EXPECT_NE(message("time,x,y,z\n0,1,2\n").find("file.csv:2: 3 values"), std::string::npos);
  EXPECT_NE(message("time,x,y,z\n0,1,2,nan\n").find("'nan' is no finite"), std::string::npos);
  EXPECT_NE(message("time,x,y,z\n0,1,2,3\n0,1,2,3\n").find("not after"), std::string::npos);
  EXPECT_NE(message("").find("has no line"), std::string::npos);
}

TEST(MakeDevice, KnowsDevicesByNameAndSaysWhatThereIs) {
  EXPECT_EQ(make_device("emulator,latency=0.005")->facts().name, "emulator");
  EXPECT_EQ(make_device("haply,damping=1.5")->facts().damping, 1.5);
  EXPECT_EQ(make_device("haply:localhost:1234")->facts().name, "haply");
  EXPECT_EQ(make_device(kScenes + "humanoid_table_pull.csv")->facts().name, "recorded");
  for (const char* bad : {"", "joystick", "haply,weight=3", "haply,damping=x",
                          "haply::", "nofile.csv", "haply:localhost:99999", "emulator,mass=-1"})
    EXPECT_THROW(make_device(bad), Error) << bad;
}

}  // namespace
}  // namespace stance::haptics
