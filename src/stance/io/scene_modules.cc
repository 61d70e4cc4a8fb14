#include "stance/io/scene_modules.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "stance/io/plugin.h"
#include "stance/io/trajectory_csv.h"
#include "stance/sim/controllers.h"
#include "stance/sim/sensor_kinds.h"

namespace stance::io {
namespace {

using kernel::Vec3d;

constexpr double kPi = 3.14159265358979323846;

std::vector<int> find_coordinates(const sim::Scene& scene, const RobotPart& part,
                                  const std::vector<std::string>& joints) {
  const model::Model& model = scene.world.model;
  std::vector<int> out;
  for (const std::string& name : joints)
    out.push_back(model.v_start[model.find_joint(part.prefix + name)]);
  return out;
}

const model::Frame& find_link(const SceneNode& node, std::string_view key,
                              const LoadedScene& scene) {
  const model::Model& model = scene.scene.world.model;
  const std::string name = node.text(key);
  const model::FrameIndex frame = model.find_frame(name);
  if (frame.valid() && model.frames[frame].body != model::BodyIndex(0)) return model.frames[frame];
  std::vector<std::string> known;
  for (const model::Frame& f : model.frames)
    if (f.body != model::BodyIndex(0)) known.push_back(f.name);
  throw Error(node.place(key), fmt::format("there is no object or link '{}' that can move{}", name,
                                           suggest_name(name, known)));
}

// ---- trajectories -----------------------------------------------------------------------------

// One row of values per time, from the start on.
class TrajectoryReader {
 public:
  TrajectoryReader(const RobotPart& part, std::vector<std::string> joints)
      : part_(part), joints_(std::move(joints)), row_(joints_.size(), 0.0) {
    for (const auto& [name, value] : part.placement.start)
      if (const auto it = std::find(joints_.begin(), joints_.end(), name); it != joints_.end())
        row_[it - joints_.begin()] = value;
  }

  void set(const std::string& pattern, double value, const Place& place) {
    const model::Model& model = part_.robot.model;
    bool is_driven = false;
    for (const std::string& name : find_joints(part_.robot, pattern, place)) {
      const auto it = std::find(joints_.begin(), joints_.end(), name);
      if (it == joints_.end()) continue;
      is_driven = true;
      const int k = model.v_start[model.find_joint(name)];
      if (value < model.lower[k] || value > model.upper[k])
        throw Error(place, fmt::format("the joint '{}' would go to {:g}, beyond its limits {:g} "
                                       "and {:g}",
                                       name, value, model.lower[k], model.upper[k]));
      row_[it - joints_.begin()] = value;
    }
    if (!is_driven)
      throw Error(place, fmt::format("the controller does not drive the joint '{}'", pattern));
  }

  void add(double time, const Place& place) {
    if (!times_.empty() && !(time > times_.back()))
      throw Error(place, fmt::format("the keyframe at {:g} s comes after one at {:g} s", time,
                                     times_.back()));
    times_.push_back(time);
    values_.insert(values_.end(), row_.begin(), row_.end());
  }

  void read_keyframes(const SceneNode& node) {
    for (const SceneNode& keyframe : node.groups("keyframes")) {
      const double time = keyframe.number("time");
      if (times_.empty() && time > 0.0) add(0.0, keyframe.place());
      const SceneNode::Value* joints = keyframe.find("joints");
      for (std::size_t k = 0; k < joints->texts.size(); ++k)
        set(joints->texts[k], joints->numbers[k], joints->places[k]);
      add(time, keyframe.place("time"));
    }
    if (times_.empty()) throw Error(node.place(), "a trajectory without keyframes");
  }

  void read_file(const std::string& file) {
    const JointTable table = load_joint_table(file);
    const std::size_t n = table.joints.size();
    for (std::size_t row = 0; row < table.times.size(); ++row) {
      for (std::size_t k = 0; k < n; ++k) set(table.joints[k], table.values[row * n + k], {file});
      add(table.times[row], {file});
    }
  }

  control::Trajectory make(control::Interpolation interpolation) const {
    return {times_, values_, interpolation};
  }
  const std::vector<double>& times() const { return times_; }
  const std::vector<double>& values() const { return values_; }

 private:
  const RobotPart& part_;
  std::vector<std::string> joints_;
  std::vector<double> row_, times_, values_;
};

std::optional<control::Trajectory> read_trajectory(const SceneNode& controller,
                                                   const RobotPart& part,
                                                   const std::vector<std::string>& joints,
                                                   std::vector<double>& fingerprint) {
  const SceneNode* node = controller.group("trajectory");
  if (!node) return std::nullopt;
  TrajectoryReader reader(part, joints);
  if (node->has("file")) {
    const std::string file = node->text("file");
    std::error_code code;
    if (!std::filesystem::is_regular_file(file, code))
      throw Error(node->place("file"), fmt::format("there is no file {}", file));
    reader.read_file(file);
  } else {
    reader.read_keyframes(*node);
  }
  const bool is_cubic = node->text("interpolation") == "cubic";
  fingerprint.push_back(is_cubic);
  fingerprint.insert(fingerprint.end(), reader.times().begin(), reader.times().end());
  fingerprint.insert(fingerprint.end(), reader.values().begin(), reader.values().end());
  return reader.make(is_cubic ? control::Interpolation::kCubic
                              : control::Interpolation::kMinimumJerk);
}

// ---- controllers ------------------------------------------------------------------------------

void read_controller(const SceneNode& node, const RobotPart& part, LoadedScene& out) {
  const std::string kind = node.text("kind");
  const std::vector<std::string> joints =
      find_joints(part.robot, node.text("joints"), node.place("joints"));
  const std::vector<int> coordinates = find_coordinates(out.scene, part, joints);
  std::vector<double>& fingerprint = out.fingerprint;
  fingerprint.push_back(static_cast<double>(kind.size()));
  fingerprint.insert(fingerprint.end(), coordinates.begin(), coordinates.end());
  const bool has_reference = kind == "pd" || kind == "computed_torque";
  const std::optional<control::Trajectory> trajectory =
      read_trajectory(node, part, joints, fingerprint);
  if (trajectory && !has_reference)
    throw Error(node.place("trajectory"), fmt::format("{} follows no trajectory", kind));
  if (part.robot.is_free && (kind == "computed_torque" || kind == "gravity_compensation"))
    throw Error(node.place("kind"),
                fmt::format("{} is for robots on a fixed base; a free one is also carried by what "
                            "it stands on",
                            kind));
  const double w = 2.0 * kPi * node.number("frequency"), ratio = node.number("damping_ratio");
  const double mass = node.number("mass"), damping = node.number("damping");
  fingerprint.insert(fingerprint.end(), {w, ratio, mass, damping});
  out.controllers.push_back([=](const sim::Scene& scene, sim::Actuation::Controllers& made) {
    const sim::World& world = scene.world;
    const std::size_t n = coordinates.size();
    const sim::Reference reference(world, scene.start, coordinates, trajectory);
    if (kind == "gravity_compensation")
      made.push_back(std::make_shared<sim::GravityCompensation>(world, coordinates));
    else if (kind == "admittance")
      made.push_back(std::make_shared<sim::JointAdmittance>(
          world, coordinates, std::vector<double>(n, mass), std::vector<double>(n, damping)));
    else if (kind == "pd")
      made.push_back(std::make_shared<sim::FollowReference>(reference));
    else
      made.push_back(
          std::make_shared<sim::ComputedTorque>(world, reference, w * w, 2.0 * ratio * w));
  });
}

void read_force(const SceneNode& node, LoadedScene& out) {
  const model::Frame& link = find_link(node, "body", out);
  const sim::PointWrench wrench{link.body, link.p_BF + link.R_BF * node.vector("point"),
                                node.vector("force"), node.vector("torque")};
  const double from = node.number("from"), until = node.number("until");
  if (!(until > from))
    throw Error(node.place("until"), fmt::format("the force '{}' ends at {:g} s, before it begins "
                                                 "at {:g} s",
                                                 node.name(), until, from));
  out.fingerprint.insert(out.fingerprint.end(), {double(int(wrench.body)), from, until});
  for (const Vec3d& v : {wrench.p_BP, wrench.force, wrench.torque})
    for (int k = 0; k < 3; ++k) out.fingerprint.push_back(v[k]);
  out.controllers.push_back([=](const sim::Scene&, sim::Actuation::Controllers& made) {
    made.push_back(std::make_shared<sim::Push>(wrench, from, until));
  });
}

// ---- sensors ----------------------------------------------------------------------------------

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

model::Frame find_joint_frame(const SceneNode& node, const LoadedScene& scene) {
  const model::Model& model = scene.scene.world.model;
  const std::string name = node.text("at");
  std::vector<std::string> known;
  for (int i = 1; i < model.nbody; ++i) {
    if (model.joint_name[i] == name) return {.name = name, .body = model::BodyIndex(i)};
    known.push_back(model.joint_name[i]);
  }
  throw Error(node.place("at"), fmt::format("there is no joint '{}' that can move{}", name,
                                            suggest_name(name, known)));
}

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
    const sim::Mount mount = read_mount(node, find_joint_frame(node, out));
    out.sensors.push_back([=](const sim::Scene& scene, sim::SensorSuite& suite) {
      suite.add(std::make_unique<sim::ForceTorque>(scene.world, name, mount, wrench));
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

// ---- plugins ----------------------------------------------------------------------------------

void read_plugin(const SceneNode& node, LoadedScene& out) {
  const std::string name = node.name(), file = node.text("library");
  const PluginMaker make = load_plugin(file, node.place("library"));
  std::map<std::string, double> numbers;
  if (const SceneNode::Value* given = node.find("numbers"))
    for (std::size_t k = 0; k < given->texts.size(); ++k)
      numbers[given->texts[k]] = given->numbers[k], out.fingerprint.push_back(given->numbers[k]);
  const auto call = [=](const sim::Scene& scene) {
    sim::PluginModules modules;
    make({scene, name, numbers}, modules);
    return modules;
  };
  (void)call(out.scene);  // what it complains about, it does here
  out.controllers.push_back([=](const sim::Scene& scene, sim::Actuation::Controllers& made) {
    sim::PluginModules modules = call(scene);
    for (auto& controller : modules.controllers) made.push_back(std::move(controller));
  });
  out.sensors.push_back([=](const sim::Scene& scene, sim::SensorSuite& suite) {
    sim::PluginModules modules = call(scene);
    for (auto& sensor : modules.sensors) suite.add(std::move(sensor));
  });
}

}  // namespace

void read_joint_hardware(const SceneNode& node, RobotPart& part) {
  part.effort_limits = node.flag("effort_limits");
  for (const SceneNode& actuator : node.groups("actuators"))
    for (const std::string& name : find_joints(part.robot, actuator.name(), actuator.place())) {
      model::JointSpec& joint = part.robot.parts.joint(name);
      RobotPart::Actuator out{name, actuator.number("ratio"), {}};
      if (actuator.has("rotor_inertia"))
        joint.rotor_inertia = out.ratio * out.ratio * actuator.number("rotor_inertia");
      if (actuator.has("viscous_friction")) joint.damping = actuator.number("viscous_friction");
      if (actuator.has("dry_friction")) joint.friction = actuator.number("dry_friction");
      if (actuator.has("torque_limit")) out.limit = out.ratio * actuator.number("torque_limit");
      part.actuators.push_back(out);
    }
  const model::Model& model = part.robot.model;
  for (const SceneNode& flexible : node.groups("flexible")) {
    std::vector<Eigen::Vector3d> directions;
    if (flexible.has("directions")) {
      const std::vector<double> n = flexible.numbers("directions");
      for (std::size_t k = 0; k + 2 < n.size(); k += 3)
        directions.emplace_back(n[k], n[k + 1], n[k + 2]);
    }
    std::vector<std::pair<std::string, std::string>> joints;  // with their links
    for (const model::JointSpec& joint : part.robot.parts.joints())
      if (matches(flexible.name(), joint.name) && joint.type != model::JointType::kFree &&
          (joint.name == flexible.name() || joint.type != model::JointType::kFixed))
        joints.emplace_back(joint.name, joint.child);
    if (joints.empty()) find_joints(part.robot, flexible.name(), flexible.place());
    for (const auto& [name, child] : joints) {
      const std::string parent = part.robot.parts.joint(name).parent;
      RobotPart::Flexible out{{}, flexible.number("stiffness"), flexible.number("damping")};
      at_place(flexible.place(),
               [&] { out.joints = part.robot.parts.make_flexible(name, directions); });
      part.flexible.push_back(std::move(out));
      // what the joint joined still does not collide, though a motor is between now
      const auto body_of = [&](const std::string& link) {
        const model::FrameIndex frame = model.find_frame(link);
        return frame.valid() ? int(model.frames[frame].body) : 0;
      };
      for (const model::Frame& a : model.frames)
        for (const model::Frame& b : model.frames)
          if (int(a.body) == body_of(parent) && int(b.body) == body_of(child) && a.name != b.name)
            part.placement.unmeeting.emplace_back(a.name, b.name);
    }
  }
}

void read_modules(const SceneNode& root, const std::vector<RobotPart>& robots, std::uint64_t seed,
                  LoadedScene& out) {
  for (const SceneNode& force : root.groups("forces")) read_force(force, out);
  for (const RobotPart& part : robots)
    for (const SceneNode& node : *part.controllers) read_controller(node, part, out);
  for (const SceneNode& node : root.groups("sensors"))
    at_place(node.place(), [&] {
      read_sensor(node, robots, seed, out);
      (void)out.make_sensors();
    });
  for (const SceneNode& node : root.groups("plugins"))
    at_place(node.place(), [&] { read_plugin(node, out); });
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
