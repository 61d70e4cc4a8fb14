// Sensors of a checked scene.

#include <algorithm>

#include <fmt/format.h>

#include "stance/io/scene_modules.h"
#include "stance/sim/sensor_kinds.h"

namespace stance::io {
namespace {

const RobotPart& find_robot(const SceneNode& node, const std::vector<RobotPart>& robots) {
  const std::string name = node.text("at");
  std::vector<std::string> known;
  for (const RobotPart& part : robots) {
    if (part.placement.name == name) return part;
    known.push_back(part.placement.name);
  }
  throw Error(node.place("at"),
              fmt::format("there is no robot '{}'{}", name, suggest_name(name, known)));
}

sim::Mount read_mount(const SceneNode& node, const model::Frame& link) {
  const sim::Pose pose{make_rpy(node.vector("rpy")), node.vector("position")};
  return {link.body, {link.R_BF * pose.R, link.p_BF + link.R_BF * pose.p}};
}

sim::ForceTorque::Options read_gain(const SceneNode& node) {
  sim::ForceTorque::Options out;
  if (node.has("gain")) {
    const std::vector<double> g = node.numbers("gain");
    if (g.size() != 6 && g.size() != 36)
      throw Error(node.place("gain"), fmt::format("'gain' has {} numbers, not 6 or 36", g.size()));
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        out.gain(i, j) = g.size() == 36 ? g[6 * i + j] : i == j ? g[i] : 0.0;
  }
  if (node.has("offset")) {
    const std::vector<double> offset = node.numbers("offset");
    if (offset.size() != 6)
      throw Error(node.place("offset"),
                  fmt::format("'offset' has {} numbers, not 6", offset.size()));
    for (int k = 0; k < 6; ++k) out.offset[k] = offset[k];
  }
  out.noise = node.number("noise");
  return out;
}

// The link that a joint carries and, where the joint is fixed and was merged away, what else it
// does.
struct JointSeat {
  model::Frame link;
  std::optional<sim::LinkPart> part = {};
};

JointSeat find_seat(const SceneNode& node, const std::vector<RobotPart>& robots,
                    const LoadedScene& scene) {
  const model::Model& model = scene.scene.world.model;
  const std::string name = node.text("at");
  std::vector<std::string> known;
  for (int i = 1; i < model.nbody; ++i) {
    if (model.joint_name[i] == name) return {{.name = name, .body = model::BodyIndex(i)}};
    known.push_back(model.joint_name[i]);
  }
  for (const RobotPart& robot : robots)
    for (const model::JointSpec& joint : robot.robot.parts.joints()) {
      if (joint.type != model::JointType::kFixed) continue;
      known.push_back(robot.prefix + joint.name);
      if (known.back() != name) continue;
      sim::LinkPart part = sim::find_link_part(robot.robot.parts, robot.prefix, joint, model);
      return {model.frames[part.link], std::move(part)};
    }
  throw Error(node.place("at"),
              fmt::format("there is no joint '{}'{}", name, suggest_name(name, known)));
}

}  // namespace

// Every key has been asked for once, whatever the kind.
void read_sensor(const SceneNode& node, const std::vector<RobotPart>& robots, std::uint64_t seed,
                 LoadedScene& out) {
  const std::string name = node.name(), kind = node.text("kind"), at = node.text("at");
  for (const char letter : name) seed = (seed ^ std::uint64_t(letter)) * 0x100000001b3ull;
  sim::ForceTorque::Options wrench = read_gain(node);
  sim::Imu::Options imu{node.number("noise"), node.number("gyro_noise"),
                        node.vector("acceleration_bias"), node.vector("gyro_bias"), seed};
  const sim::Encoder::Options encoder{node.number("resolution"), node.number("noise"), seed};
  const std::string joints = node.text("joints");
  wrench.seed = seed;
  if (kind == "force_torque") {
    const JointSeat seat = find_seat(node, robots, out);
    const sim::Mount mount = read_mount(node, seat.link);
    out.sensors.push_back([=](const sim::Scene& scene, sim::SensorSuite& suite) {
      suite.add(std::make_unique<sim::ForceTorque>(scene.world, name, mount, wrench, seat.part));
    });
  } else if (kind == "contact_force") {
    out.sensors.push_back([=](const sim::Scene& scene, sim::SensorSuite& suite) {
      suite.add(std::make_unique<sim::ContactForce>(scene.world, name, at));
    });
  } else if (kind == "imu") {
    const sim::Mount mount = read_mount(node, find_link(node, "at", out));
    out.sensors.push_back([=](const sim::Scene&, sim::SensorSuite& suite) {
      suite.add(std::make_unique<sim::Imu>(name, mount, imu));
    });
  } else if (kind == "balance") {
    const RobotPart& part = find_robot(node, robots);
    if (!part.robot.is_free)
      throw Error(node.place("at"), fmt::format("the robot '{}' is bolted to the world, it has no "
                                                "balance",
                                                at));
    const auto it = std::find_if(out.robots.begin(), out.robots.end(),
                                 [&](const SceneRobot& robot) { return robot.name == at; });
    const model::BodyIndex base = *it->base;
    out.sensors.push_back([=](const sim::Scene& scene, sim::SensorSuite& suite) {
      suite.add(std::make_unique<sim::Balance>(scene.world, scene.start, name, base));
    });
  } else {
    const RobotPart& part = find_robot(node, robots);
    const std::vector<int> coordinates =
        find_coordinates(out.scene, part, find_joints(part.robot, joints, node.place("joints")));
    const bool is_encoder = kind == "encoders";
    out.sensors.push_back([=](const sim::Scene& scene, sim::SensorSuite& suite) {
      if (is_encoder)
        suite.add(std::make_unique<sim::Encoder>(scene.world, name, coordinates, encoder));
      else
        suite.add(std::make_unique<sim::JointTorque>(scene.world, name, coordinates));
    });
  }
}

void check_readings(const SceneNode* expect, const LoadedScene& scene) {
  if (!expect) return;
  const auto suite = scene.make_sensors();
  std::vector<std::string> known;
  for (const sim::Channel& channel : suite->channels()) known.push_back(channel.name);
  for (const SceneNode& entry : expect->groups("readings")) {
    const auto it = std::find(known.begin(), known.end(), entry.name());
    if (it == known.end())
      throw Error(entry.place(), fmt::format("no sensor has the channel '{}'{}", entry.name(),
                                             suggest_name(entry.name(), known)));
    const std::size_t columns = suite->channels()[it - known.begin()].columns.size();
    if (const std::size_t n = entry.numbers("values").size(); n != columns)
      throw Error(entry.place("values"),
                  fmt::format("'{}' has {} columns, not {}", entry.name(), columns, n));
  }
}

}  // namespace stance::io
