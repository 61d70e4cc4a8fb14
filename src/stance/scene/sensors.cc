#include <fmt/format.h>

#include "stance/kernel/names.h"
#include "stance/scene/find.h"
#include "stance/scene/modules.h"
#include "stance/scene/pose.h"
#include "stance/sim/sensor_kinds.h"

namespace stance::scene {
namespace {

const BuiltRobot& find_robot(const SensorSpec& spec, const ModuleSite& site) {
  std::vector<std::string> known;
  for (const BuiltRobot& robot : site.robots) {
    if (robot.placement.name == spec.at) return robot;
    known.push_back(robot.placement.name);
  }
  throw make_error(
      site.sources, {"sensors", spec.name, "at"},
      fmt::format("there is no robot '{}'{}", spec.at, kernel::suggest_name(spec.at, known)));
}

sim::Mount make_mount(const SensorSpec& spec, const model::Frame& link) {
  const sim::Pose pose{make_rpy(spec.rpy), spec.position};
  return {link.body, {link.R_BF * pose.R, link.p_BF + link.R_BF * pose.p}};
}

sim::ForceTorque::Options make_wrench_options(const SensorSpec& spec, std::uint64_t seed,
                                              const Sources& sources) {
  sim::ForceTorque::Options out;
  const std::vector<double>&g = spec.gain, &offset = spec.offset;
  if (!g.empty() && g.size() != 6 && g.size() != 36)
    throw make_error(sources, {"sensors", spec.name, "gain"},
                     fmt::format("'gain' has {} numbers, not 6 or 36", g.size()));
  if (!offset.empty() && offset.size() != 6)
    throw make_error(sources, {"sensors", spec.name, "offset"},
                     fmt::format("'offset' has {} numbers, not 6", offset.size()));
  for (int i = 0; i < 6 && !g.empty(); ++i)
    for (int j = 0; j < 6; ++j)
      out.gain(i, j) = g.size() == 36 ? g[6 * i + j] : i == j ? g[i] : 0.0;
  for (int k = 0; k < 6 && !offset.empty(); ++k) out.offset[k] = offset[k];
  out.noise = spec.noise, out.seed = seed;
  return out;
}

// The link that a joint carries and, where the joint is fixed and was merged away, what else it
// does.
struct JointSeat {
  model::Frame link;
  std::optional<sim::LinkPart> part = {};
};

JointSeat find_seat(const SensorSpec& spec, const ModuleSite& site) {
  const model::Model& model = site.scene.world.model;
  std::vector<std::string> known;
  for (int i = 1; i < model.nbody; ++i) {
    if (model.joint_name[i] == spec.at) return {{.name = spec.at, .body = model::BodyIndex(i)}};
    known.push_back(model.joint_name[i]);
  }
  for (const BuiltRobot& robot : site.robots)
    for (const model::JointSpec& joint : robot.robot.parts.joints()) {
      if (joint.type != model::JointType::kFixed) continue;
      known.push_back(robot.prefix + joint.name);
      if (known.back() != spec.at) continue;
      sim::LinkPart part = sim::find_link_part(robot.robot.parts, robot.prefix, joint, model);
      return {model.frames[part.link], std::move(part)};
    }
  throw make_error(
      site.sources, {"sensors", spec.name, "at"},
      fmt::format("there is no joint '{}'{}", spec.at, kernel::suggest_name(spec.at, known)));
}

std::unique_ptr<sim::Sensor> make_balance(const SensorSpec& spec, const ModuleSite& site) {
  const BuiltRobot& robot = find_robot(spec, site);
  if (!robot.robot.is_free)
    throw make_error(
        site.sources, {"sensors", spec.name, "at"},
        fmt::format("the robot '{}' is bolted to the world, it has no balance", spec.at));
  const sim::World& world = site.scene.world;
  return std::make_unique<sim::Balance>(world, site.scene.start, spec.name,
                                        find_base(world.model, robot));
}

// Of joints: encoders and torques.
std::unique_ptr<sim::Sensor> make_joint_sensor(const SensorSpec& spec, std::uint64_t seed,
                                               const ModuleSite& site) {
  const BuiltRobot& robot = find_robot(spec, site);
  const sim::World& world = site.scene.world;
  const std::vector<int> coordinates = find_coordinates(
      world.model, robot,
      find_joints(robot.robot, spec.joints, site.sources, {"sensors", spec.name, "joints"}));
  if (spec.kind == SensorKind::kJointTorques)
    return std::make_unique<sim::JointTorque>(world, spec.name, coordinates);
  return std::make_unique<sim::Encoder>(world, spec.name, coordinates,
                                        sim::Encoder::Options{spec.resolution, spec.noise, seed});
}

}  // namespace

std::unique_ptr<sim::Sensor> make_sensor(const SensorSpec& spec, std::uint64_t seed,
                                         const ModuleSite& site) {
  for (const char letter : spec.name) seed = (seed ^ std::uint64_t(letter)) * 0x100000001b3ull;
  const sim::World& world = site.scene.world;
  const sim::ForceTorque::Options wrench = make_wrench_options(spec, seed, site.sources);
  switch (spec.kind) {
    case SensorKind::kForceTorque: {
      JointSeat seat = find_seat(spec, site);
      return std::make_unique<sim::ForceTorque>(world, spec.name, make_mount(spec, seat.link),
                                                wrench, std::move(seat.part));
    }
    case SensorKind::kContactForce:
      return std::make_unique<sim::ContactForce>(world, spec.name, spec.at);
    case SensorKind::kImu: {
      const model::Frame& link =
          find_moving_link(world.model, spec.at, site.sources, {"sensors", spec.name, "at"});
      return std::make_unique<sim::Imu>(
          spec.name, make_mount(spec, link),
          sim::Imu::Options{spec.noise, spec.gyro_noise, spec.acceleration_bias, spec.gyro_bias,
                            seed});
    }
    case SensorKind::kBalance: return make_balance(spec, site);
    case SensorKind::kEncoders:
    case SensorKind::kJointTorques: return make_joint_sensor(spec, seed, site);
  }
  throw make_error(site.sources, {"sensors", spec.name, "kind"}, "there is no such sensor");
}

}  // namespace stance::scene
