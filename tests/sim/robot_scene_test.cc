// Robots from files, standing in scenes.

#include <set>

#include <gtest/gtest.h>

#include "stance/io/contact_problem.h"
#include "stance/io/srdf.h"
#include "stance/io/urdf.h"
#include "stance/scene/add_robot.h"

#include "heap_counter.h"
#include "simulation.h"
#include "support/robots.h"
#include "support/slow.h"

namespace stance::test {
namespace {

io::Robot load_humanoid() {
  return io::load_urdf(std::string(STANCE_SOURCE_DIR) + "/models/humanoid.urdf");
}

// The humanoid with bent knees on a floor, held by joint springs.
struct Standing {
  explicit Standing(const io::Robot& robot, const scene::RobotPlacement& extra = {}) {
    SceneBuilder scene("standing");
    scene.set_material(0, {.friction = 0.8});
    scene.add_fixed(make_plane(), {});
    scene::RobotPlacement at = extra;
    for (const char* side : {"right", "left"}) {
      at.start.emplace_back(std::string(side) + "_hip_pitch", -0.45);
      at.start.emplace_back(std::string(side) + "_knee", 0.87);
      at.start.emplace_back(std::string(side) + "_ankle_pitch", -0.42);
    }
    scene::add_robot(robot, at, scene);
    sim::Scene made = scene.build();
    put_on_floor(made.world, model::BodyIndex(1), 0.0, 0.0, made.start);
    simulation = std::make_unique<Simulation>(std::move(made));
    const int nv = simulation->world.model.nv;
    stiffness.assign(nv, 3000.0), damping.assign(nv, 60.0), target.assign(nv, 0.0);
    for (int k = 0; k < 6; ++k) stiffness[k] = damping[k] = 0.0;
    for (int k = 6; k < nv; ++k) target[k] = simulation->state.q[k + 1];
    input.stiffness = stiffness, input.damping = damping, input.target = target;
  }

  sim::StepReport step(double h = 1e-3) {
    Simulation& s = *simulation;
    return sim::step(s.world, input, h, s.state, s.scratch);
  }

  // Corners of both soles where the step found them on the floor.
  std::vector<Vec3d> corners() const {
    std::vector<Vec3d> all;
    for (const auto& point : simulation->scratch.contact.points.points()) all.push_back(point.p_W);
    return all;
  }

  std::unique_ptr<Simulation> simulation;
  std::vector<double> stiffness, damping, target;
  sim::Input input;
};

TEST(StandingHumanoid, SoleCornersStayForAMinute) {
  Standing robot(load_humanoid());
  const int settle = kIsSlow ? 1500 : 5000, hold = kIsSlow ? 500 : 60000;
  for (int k = 0; k < settle; ++k) ASSERT_EQ(robot.step().status, 0u) << "step " << k;
  const std::vector<Vec3d> before = robot.corners();
  ASSERT_EQ(before.size(), 8u);
  for (int k = 0; k < hold; ++k) ASSERT_EQ(robot.step().status, 0u) << "step " << k;
  const std::vector<Vec3d> after = robot.corners();
  ASSERT_EQ(after.size(), 8u);
  double moved = 0.0;
  for (std::size_t k = 0; k < 8; ++k) moved = std::max(moved, norm(after[k] - before[k]));
  EXPECT_LT(moved, 1e-9);
  RecordProperty("moved", std::to_string(moved));
}

TEST(StandingHumanoid, FeetCarryItsWeight) {
  Standing robot(load_humanoid());
  for (int k = 0; k < (kIsSlow ? 1500 : 4000); ++k) (void)robot.step();
  const Simulation& s = *robot.simulation;
  double impulse = 0.0;
  for (const auto& contact : s.scratch.contact.contacts) impulse += contact.p[0];
  const double weight = s.world.model.total_mass() * 9.81;
  EXPECT_NEAR(impulse / 1e-3, weight, 1e-4 * weight);
}

// The problem of a step, written to a file, read and solved from zero, gives the same velocities:
// with more contacts than it needs, impulses are not unique.
TEST(StandingHumanoid, ItsProblemIsPlainData) {
  Standing robot(load_humanoid());
  for (int k = 0; k < 200; ++k) (void)robot.step();
  const Simulation& s = *robot.simulation;
  ASSERT_EQ(s.scratch.contact.groups.size(), 1);
  const solver::ContactProblem made = contact::make_explicit_problem(
      s.world.model, s.scratch.start.kin(), s.world.contact, 0, 1e-3, s.scratch.contact);
  const std::string file = testing::TempDir() + "standing_problem.hdf5";
  io::write_contact_problem(made, file);
  const solver::ContactProblem read = io::read_contact_problem(file);
  ASSERT_EQ(read.num_blocks(), 8 + 30);
  std::vector<Vec3d> p(read.num_blocks()), u(read.num_blocks());
  solver::Solver solver;
  solver::SolveOptions options;
  options.tolerance = 1e-10;
  ASSERT_TRUE(solver.solve(read, options, p).is_converged);
  calc_velocities(read, p, u);
  for (int i = 0; i < 8; ++i) {
    // the problem counts normal velocities from the one that takes the room there is
    const Vec3d closing(s.scratch.contact.contacts[i].room.linked / 1e-3, 0.0, 0.0);
    EXPECT_LT(norm(u[i] - closing - s.scratch.contact.contacts[i].u), 1e-8) << "point " << i;
  }
}

TEST(StandingHumanoid, AsksForNoMemory) {
  Standing robot(load_humanoid());
  for (int k = 0; k < 50; ++k) (void)robot.step();
  const bench::HeapCounter counter;
  for (int k = 0; k < 50; ++k) (void)robot.step();
  EXPECT_EQ(counter.calls(), 0);
}

// The same robot twice and a ball: trees of one scene, each with its own names.
TEST(RobotScene, RobotsAndBodiesShareAScene) {
  const io::Robot robot = load_humanoid();
  SceneBuilder scene("two");
  scene.add_fixed(make_plane(), {});
  scene.add_body({.name = "ball", .shape = make_sphere(0.1), .pose = {.p = {0, 2, 0.1}}});
  scene::add_robot(robot, {.name = "first", .base = {.p = {0, 0, 1}}}, scene);
  scene::add_robot(
      robot, {.name = "second", .base = {.p = {3, 0, 1}}, .start = {{"left_knee", 0.5}}}, scene);
  const sim::Scene made = scene.build();
  const model::Model& model = made.world.model;
  EXPECT_EQ(model.ntree, 3);
  EXPECT_EQ(model.nv, 6 + 2 * robot.model.nv);
  ASSERT_EQ(made.bodies.size(), 1u);
  EXPECT_EQ(model.body_name[made.bodies[0]], "ball");
  const auto knee = [&](const char* name) {
    return made.start.q[model.q_start[model.find_joint(name)]];
  };
  EXPECT_EQ(knee("first/left_knee"), 0.0);
  EXPECT_EQ(knee("second/left_knee"), 0.5);
  EXPECT_NEAR(model.total_mass(), 1.0 + 2.0 * robot.model.total_mass(), 1e-9);
}

// A robot without a name once took every loose body to its own place.
TEST(RobotScene, ARobotWithoutANameMovesOnlyItself) {
  SceneBuilder scene("nameless");
  scene.add_body({.name = "ball", .shape = make_sphere(0.1), .pose = {.p = {0, 2, 0.1}}});
  scene::add_robot(load_humanoid(), {.base = {.p = {0, 0, 1}}}, scene);
  const sim::Scene made = scene.build();
  const double* q = made.start.q.data() + made.world.model.q_start[made.bodies[0]];
  EXPECT_EQ(q[5], 2.0);
  EXPECT_EQ(q[6], 0.1);
}

TEST(RobotScene, AJointThatDoesNotExistIsNamed) {
  SceneBuilder scene("wrong");
  scene::add_robot(load_humanoid(), {.start = {{"tail", 0.5}}}, scene);
  try {
    scene.build();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("tail"), std::string::npos);
  }
}

// Pairs of an SRDF file never meet; others still do.
TEST(RobotScene, SrdfPairsDoNotCollide) {
  const io::Robot robot = load_humanoid();
  const auto count_allowed = [&](const std::string& a, const std::string& b,
                                 const io::LinkPairs& pairs) {
    SceneBuilder scene("srdf");
    scene::add_robot(robot, {.unmeeting = pairs}, scene);
    const sim::World world = scene.build().world;
    int allowed = 0;
    for (int i = 0; i < world.shapes.size(); ++i)
      for (int j = 0; j < world.shapes.size(); ++j)
        if (world.shapes.geometries[i].name == a && world.shapes.geometries[j].name == b)
          allowed += world.shapes.filter.allows(i, j);
    return allowed;
  };
  const io::LinkPairs pairs = io::parse_srdf(
      "<robot name=\"humanoid\">\n"
      "<group name=\"arm\"/>\n"
      "<disable_collisions link1=\"left_foot\" link2=\"right_foot\" reason=\"Never\"/>\n"
      "</robot>",
      "humanoid.srdf", robot);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_GT(count_allowed("left_foot", "right_foot", {}), 0);
  EXPECT_EQ(count_allowed("left_foot", "right_foot", pairs), 0);
  EXPECT_EQ(count_allowed("right_foot", "left_foot", pairs), 0);
  EXPECT_GT(count_allowed("left_foot", "right_hand", pairs), 0);
}

TEST(RobotScene, BrokenSrdfNamesTheLine) {
  const io::Robot robot = load_humanoid();
  const auto complaint = [&](const std::string& text) -> std::string {
    try {
      io::parse_srdf(text, "r.srdf", robot);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(complaint("<robot>\n<disable_collisions link1=\"left_foot\" link2=\"rigth_foot\"/>\n"
                      "</robot>")
                .find("r.srdf:2"),
            std::string::npos);
  EXPECT_NE(
      complaint("<robot><disable_collisions link1=\"left_foot\" link2=\"rigth_foot\"/></robot>")
          .find("did you mean 'right_foot'"),
      std::string::npos);
  EXPECT_NE(complaint("<robot><disable_collisions link1=\"left_foot\"/></robot>").find("link2"),
            std::string::npos);
  EXPECT_NE(complaint("<scene/>").find("<robot"), std::string::npos);
  EXPECT_NE(complaint("").size(), 0u);
}

// A link without its mesh stands on the solid box that has its mass and moments.
TEST(RobotScene, AMissingMeshIsReplacedByTheBoxOfItsInertia) {
  // a box of 0.2 x 0.1 x 0.06 m and 3 kg, its centre 0.05 m below the link's frame
  const io::Robot robot = io::parse_urdf(
      "<robot name='foot'><link name='foot'><inertial><origin xyz='0 0 -0.05'/><mass value='3'/>"
      "<inertia ixx='0.0034' ixy='0' ixz='0' iyy='0.0109' iyz='0' izz='0.0125'/></inertial>"
      "<collision><geometry><mesh filename='nowhere.stl'/></geometry></collision></link></robot>",
      "foot.urdf");
  SceneBuilder strict("strict");
  EXPECT_THROW(scene::add_robot(robot, {}, strict), Error);
  SceneBuilder scene("lenient");
  scene::RobotPlacement at;
  at.replace_missing = true;
  EXPECT_EQ(scene::add_robot(robot, at, scene).size(), 1u) << "a warning";
  sim::Scene made = scene.build();
  ASSERT_EQ(made.world.shapes.size(), 1);
  const collision::Geometry& box = made.world.shapes.geometries[0];
  ASSERT_EQ(box.shape.kind, collision::ShapeKind::kBox);
  EXPECT_NEAR(box.shape.half[0], 0.1, 1e-12);
  EXPECT_NEAR(box.shape.half[1], 0.05, 1e-12);
  EXPECT_NEAR(box.shape.half[2], 0.03, 1e-12);
  EXPECT_NEAR(box.p_BG[2], -0.05, 1e-12);
}

// In the neutral pose no pair of the robot's own links is reported.
TEST(RobotScene, LinksThatTouchAtRestAreLeftAlone) {
  for (const std::string& name : kRobotNames) {
    const std::string path = find_robot_file(name);
    if (path.empty()) continue;  // a robot that is not on this machine
    const io::Robot robot = io::load_urdf(path);
    SceneBuilder scene("rest");
    try {
      scene::add_robot(robot, {}, scene);
    } catch (const Error&) {
      continue;  // meshes that are not there
    }
    Simulation simulation(scene.build());
    simulation.world.gravity = {};
    (void)sim::step(simulation.world, {}, 1e-3, simulation.state, simulation.scratch);
    EXPECT_EQ(simulation.scratch.contact.points.size(), 0) << path;
  }
}

// ---- fixed bases --------------------------------------------------------------------------------

// An arm on a plinth: the plinth is nailed to the world, a shoulder turns, a hand is fixed to it.
constexpr const char* kArm = R"(<robot name="arm">
  <link name="%s">
    <collision><origin xyz="0 0 0.1"/><geometry><box size="0.2 0.2 0.2"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="%s"/><child link="upper"/><origin xyz="0.1 0 0.3" rpy="0.2 0 0.3"/>
    <axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="9" velocity="9"/>
  </joint>
  <link name="upper">
    <inertial><origin xyz="0.2 0 0"/><mass value="1"/>
      <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="wrist" type="fixed">
    <parent link="upper"/><child link="hand"/><origin xyz="0.4 0 0"/>
  </joint>
  <link name="hand">
    <collision><geometry><sphere radius="0.05"/></geometry></collision>
  </link>
</robot>)";

io::Robot make_arm(const std::string& root) {
  std::string text = kArm;
  for (std::size_t at; (at = text.find("%s")) != std::string::npos;) text.replace(at, 2, root);
  io::RobotOptions options;
  options.base = io::BaseChoice::kFixed;
  return io::parse_urdf(text, "arm.urdf", options);
}

// Pose of every collision shape at the start, and the arm's angle after it has swung freely.
struct Swung {
  std::vector<sim::Pose> shapes;
  double angle = 0.0;
};

Swung swing(const std::string& root, const std::string& name, const sim::Pose& base,
            const Vec3d& gravity) {
  SceneBuilder scene("arm");
  scene.set_gravity(gravity);
  scene::add_robot(make_arm(root), {.name = name, .base = base, .start = {{"shoulder", 0.3}}},
                   scene);
  Simulation s(scene.build());
  const model::Model& model = s.world.model;
  dynamics::Kinematics<double> kin(model);
  update_kinematics(model, std::span<const double>(s.state.q), kin);
  Swung out;
  for (const collision::Geometry& g : s.world.shapes.geometries) {
    const Vec3d p_WB = g.body == 0 ? Vec3d() : kin.p_WO[model.tree[g.body]] + kin.p_OB[g.body];
    out.shapes.push_back({kin.R_WB[g.body] * g.R_BG, p_WB + kin.R_WB[g.body] * g.p_BG});
  }
  s.run(0.5, 1e-3);
  out.angle = s.state.q[0];
  return out;
}

// A fixed robot stands where its base is put: shapes and motion are those of the robot at the
// origin, moved as one, whatever its root is called and whether the robot has a name.
TEST(FixedBase, StandsWhereItIsPut) {
  const sim::Pose base = {make_rotation({1, 2, 3}, 1.1), {0.5, -2.0, 0.7}};
  const Vec3d down(0.0, 0.0, -9.81);
  for (const std::string root : {"plinth", "world"})
    for (const std::string name : {"arm", ""}) {
      SCOPED_TRACE(root + " of '" + name + "'");
      const Swung here = swing(root, name, {}, down);
      const Swung there = swing(root, name, base, base.R * down);
      ASSERT_EQ(here.shapes.size(), 2u);
      ASSERT_EQ(there.shapes.size(), 2u);
      for (std::size_t k = 0; k < 2; ++k) {
        const Vec3d expected = base.p + base.R * here.shapes[k].p;
        EXPECT_LT(norm(there.shapes[k].p - expected), 1e-14) << k;
        const kernel::Mat3d turned = base.R * here.shapes[k].R;
        for (int c = 0; c < 3; ++c)
          EXPECT_LT(norm(there.shapes[k].R.c[c] - turned.c[c]), 1e-14) << k;
      }
      EXPECT_GT(std::abs(here.angle - 0.3), 0.1);
      EXPECT_NEAR(there.angle, here.angle, 1e-12);
    }
}

// Two of them side by side, each at its own place; frames follow.
TEST(FixedBase, TwoStandApart) {
  SceneBuilder scene("arms");
  scene::add_robot(make_arm("plinth"), {.name = "left", .base = {.p = {0, 1, 0}}}, scene);
  scene::add_robot(make_arm("plinth"), {.name = "right", .base = {.p = {0, -1, 0.5}}}, scene);
  const sim::Scene made = scene.build();
  const model::Model& model = made.world.model;
  const auto place = [&](const char* link) { return model.frames[model.find_frame(link)].p_BF; };
  EXPECT_EQ(norm(place("left/plinth") - Vec3d(0, 1, 0)), 0.0);
  EXPECT_EQ(norm(place("right/plinth") - Vec3d(0, -1, 0.5)), 0.0);
  EXPECT_EQ(norm(place("world")), 0.0);
  dynamics::Kinematics<double> kin(model);
  update_kinematics(model, std::span<const double>(made.start.q), kin);
  const int left = model.find_joint("left/shoulder"), right = model.find_joint("right/shoulder");
  const Vec3d apart =
      kin.p_WO[model.tree[right]] + kin.p_OB[right] - (kin.p_WO[model.tree[left]] + kin.p_OB[left]);
  EXPECT_LT(norm(apart - Vec3d(0, -2, 0.5)), 1e-15);
}

}  // namespace
}  // namespace stance::test
