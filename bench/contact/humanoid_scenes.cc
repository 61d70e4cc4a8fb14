#include "contact/humanoid_scenes.h"

#include <algorithm>
#include <numbers>

#include "stance/dynamics/kinematics.h"
#include "stance/io/urdf.h"
#include "stance/scene/add_robot.h"
#include "stance/sim/sample_piles.h"

namespace stance::bench {
namespace {

using kernel::Vec3d;

constexpr double kStiffness = 3000.0, kDamping = 60.0;  // N m/rad, N m s/rad, of every joint
constexpr double kClearance = 1e-5;                     // m, of the crate at the start

// Shapes that the crate lies on: the far end of the forearm and the far end of the wrist, m from
// the elbow, and their radii. The forearm rises just so that both are level.
constexpr double kForearmEnd = 0.12, kForearmRadius = 0.04;
constexpr double kWristEnd = 0.245, kWristRadius = 0.037;
constexpr double kRise = (kForearmRadius - kWristRadius) / (kWristEnd - kForearmEnd);  // rad

constexpr const char* kName = "humanoid";

scene::RobotPlacement make_placement(bool carries) {
  scene::RobotPlacement at;
  at.name = kName;
  at.base.p = {0.0, 0.0, 0.65};
  const auto set = [&](const char* joint, double angle) {
    for (const char* side : {"right_", "left_"})
      at.start.emplace_back(side + std::string(joint), angle);
  };
  set("hip_pitch", -0.45);
  set("knee", 0.87);
  set("ankle_pitch", -0.42);
  if (!carries) return at;
  set("shoulder_pitch", -std::numbers::pi / 6.0);  // upper arms forward, forearms nearly level
  set("elbow", -std::numbers::pi / 3.0 - kRise);
  return at;
}

sim::SceneBuilder make_floor(const char* name) {
  sim::SceneBuilder builder(name);
  builder.set_material(0, {.friction = 0.8});
  builder.add_fixed(collision::make_plane(), {});
  return builder;
}

// Springs that hold the joints where they are.
Drive make_drive(const sim::Scene& scene) {
  const model::Model& model = scene.world.model;
  Drive drive;
  drive.stiffness.resize(model.nv);
  drive.damping.resize(model.nv);
  drive.target.resize(model.nv);
  for (int i = 1; i < model.nbody; ++i) {
    if (model.joint_nv(i) != 1) continue;
    const int k = model.v_start[i];
    drive.stiffness[k] = kStiffness;
    drive.damping[k] = kDamping;
    drive.target[k] = scene.start.q[model.q_start[i]];
  }
  return drive;
}

BenchScene finish(const sim::SceneBuilder& builder, JointFriction friction) {
  sim::Scene scene = builder.build();
  std::vector<double>& dry = scene.world.model.friction;
  if (friction == JointFriction::kNone) std::fill(dry.begin(), dry.end(), 0.0);
  const model::BodyIndex base = scene.world.model.find_body(std::string(kName) + "/pelvis");
  put_on_floor(scene.world, base, 0.0, 0.0, scene.start);
  Drive drive = make_drive(scene);
  return {std::move(scene), std::move(drive)};
}

}  // namespace

BenchScene make_standing_humanoid(JointFriction friction) {
  const io::Robot robot = io::load_urdf(STANCE_SOURCE_DIR "/models/humanoid.urdf");
  sim::SceneBuilder builder = make_floor("standing humanoid");
  scene::add_robot(robot, make_placement(false), builder);
  return finish(builder, friction);
}

BenchScene make_carrying_humanoid(JointFriction friction) {
  const io::Robot robot = io::load_urdf(STANCE_SOURCE_DIR "/models/humanoid.urdf");
  sim::SceneBuilder alone = make_floor("alone");
  scene::add_robot(robot, make_placement(true), alone);
  const BenchScene without = finish(alone, friction);

  // on both forearms, its middle between forearm's and wrist's end
  const model::Model& model = without.scene.world.model;
  dynamics::Kinematics<double> kin(model);
  update_kinematics(model, std::span<const double>(without.scene.start.q), kin);
  const model::BodyIndex forearm = model.find_body(std::string(kName) + "/left_forearm");
  const Vec3d elbow = kin.p_WO[model.tree[forearm]] + kin.p_OB[forearm];
  sim::SceneBuilder builder = make_floor("carrying humanoid");
  scene::add_robot(robot, make_placement(true), builder);
  add_crate_with_bricks({elbow[0] + 0.5 * (kForearmEnd + kWristEnd), 0.0,
                         elbow[2] + kForearmEnd * kRise + kForearmRadius + kClearance},
                        builder);
  return finish(builder, friction);
}

}  // namespace stance::bench
