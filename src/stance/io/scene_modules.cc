#include "stance/io/scene_modules.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "stance/io/plugin.h"
#include "stance/io/trajectory_csv.h"
#include "stance/sim/controllers.h"

namespace stance::io {
namespace {

using kernel::Vec3d;

constexpr double kPi = 3.14159265358979323846;

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
  const std::string way = node->text("interpolation");
  const control::Interpolation interpolation = way == "cubic" ? control::Interpolation::kCubic
                                               : way == "linear"
                                                   ? control::Interpolation::kLinear
                                                   : control::Interpolation::kMinimumJerk;
  fingerprint.push_back(static_cast<double>(interpolation));
  fingerprint.insert(fingerprint.end(), reader.times().begin(), reader.times().end());
  fingerprint.insert(fingerprint.end(), reader.values().begin(), reader.values().end());
  return reader.make(interpolation);
}

// ---- controllers ------------------------------------------------------------------------------

// What the robot's admittance feels of a thing in its hands.
sim::Carried read_carried(const SceneNode& node, const RobotPart& part,
                          const std::set<std::string>& absent, const LoadedScene& out) {
  sim::Carried carried;
  if (node.has("carries") != node.has("hands"))
    throw Error(node.place(), "what is carried needs both, `carries` and `hands`");
  if (!node.has("carries")) return carried;
  for (const std::string& hand : node.texts("hands")) {
    const model::FrameIndex frame = out.scene.world.model.find_frame(part.prefix + hand);
    if (!frame.valid())
      throw Error(node.place("hands"), fmt::format("the robot has no link '{}'", hand));
    carried.hands.push_back(out.scene.world.model.frames[frame].body);
  }
  if (absent.count(node.text("carries"))) return {};
  carried.body = find_link(node, "carries", out).body;
  return carried;
}

// Who looks, and where to when nobody is there.
std::function<std::shared_ptr<sim::Controller>(const sim::World&)> read_look_at(
    const SceneNode& node, const RobotPart& part, const std::vector<int>& coordinates,
    const std::set<std::string>& absent, const LoadedScene& out) {
  if (!node.has("link")) throw Error(node.place(), "look_at needs the `link` that looks");
  const model::Model& model = out.scene.world.model;
  const model::FrameIndex eyes = model.find_frame(part.prefix + node.text("link"));
  if (!eyes.valid() || model.frames[eyes].body == model::BodyIndex(0))
    throw Error(node.place("link"),
                fmt::format("the robot has no link '{}' that can move", node.text("link")));
  const model::Frame from = model.frames[eyes];
  sim::LookAt::Point at{};
  if (node.has("at") && !absent.count(node.text("at"))) {
    const model::Frame& to = find_link(node, "at", out);
    at = {to.body, to.p_BF};
  }
  const double speed = node.number("speed");
  return [=](const sim::World&) {
    return std::make_shared<sim::LookAt>(coordinates, sim::LookAt::Point{from.body, from.p_BF},
                                         from.R_BF, at, speed);
  };
}

void read_controller(const SceneNode& node, const RobotPart& part,
                     const std::set<std::string>& absent, LoadedScene& out) {
  const std::string kind = node.text("kind");
  const std::vector<std::string> joints =
      find_joints(part.robot, node.text("joints"), node.place("joints"));
  const std::vector<int> coordinates = find_coordinates(out.scene, part, joints);
  std::vector<double>& fingerprint = out.fingerprint;
  fingerprint.push_back(static_cast<double>(kind.size()));
  fingerprint.insert(fingerprint.end(), coordinates.begin(), coordinates.end());
  const std::string name = part.prefix + "controllers/" + node.name();
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
  const sim::Carried carried = read_carried(node, part, absent, out);
  if (carried.body.valid() && kind != "admittance")
    throw Error(node.place("carries"), fmt::format("{} feels nothing of what is carried", kind));
  const bool contacts = node.flag("contacts");
  if (contacts && (kind != "admittance" || node.has("carries")))
    throw Error(node.place("contacts"),
                kind != "admittance" ? fmt::format("{} feels nothing of contacts", kind)
                                     : "what is carried would be felt twice; leave out `carries`");
  fingerprint.insert(fingerprint.end(), {w, ratio, mass, damping, node.number("speed")});
  fingerprint.push_back(static_cast<double>(carried.hands.size()));
  if (contacts) fingerprint.push_back(1.0);
  if (kind == "look_at") {
    const auto make = read_look_at(node, part, coordinates, absent, out);
    out.controllers.push_back([=](const sim::Scene& scene, sim::Actuation::Controllers& made) {
      made.emplace_back(name, make(scene.world));
    });
    return;
  }
  out.controllers.push_back([=](const sim::Scene& scene, sim::Actuation::Controllers& made) {
    const sim::World& world = scene.world;
    const std::size_t n = coordinates.size();
    const sim::Reference reference(world, scene.start, coordinates, trajectory);
    if (kind == "gravity_compensation")
      made.emplace_back(name, std::make_shared<sim::GravityCompensation>(world, coordinates));
    else if (kind == "admittance")
      made.emplace_back(name, std::make_shared<sim::JointAdmittance>(
                                  world, coordinates, std::vector<double>(n, mass),
                                  std::vector<double>(n, damping), carried, contacts));
    else if (kind == "pd")
      made.emplace_back(name, std::make_shared<sim::FollowReference>(reference));
    else
      made.emplace_back(
          name, std::make_shared<sim::ComputedTorque>(world, reference, w * w, 2.0 * ratio * w));
  });
}

void read_force(const SceneNode& node, LoadedScene& out) {
  const model::Frame& link = find_link(node, "body", out);
  const sim::PointWrench wrench{link.body, link.p_BF + link.R_BF * node.vector("point"),
                                node.vector("force"), node.vector("torque"),
                                out.scene.world.model.find_frame(link.name)};
  const double from = node.number("from"), until = node.number("until");
  if (!(until > from))
    throw Error(node.place("until"), fmt::format("the force '{}' ends at {:g} s, before it begins "
                                                 "at {:g} s",
                                                 node.name(), until, from));
  out.fingerprint.insert(out.fingerprint.end(), {double(int(wrench.body)), from, until});
  for (const Vec3d& v : {wrench.p_BP, wrench.force, wrench.torque})
    for (int k = 0; k < 3; ++k) out.fingerprint.push_back(v[k]);
  const std::string name = "forces/" + node.name();
  out.controllers.push_back([=](const sim::Scene&, sim::Actuation::Controllers& made) {
    made.emplace_back(name, std::make_shared<sim::Push>(wrench, from, until));
  });
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
    int number = 0;
    for (auto& controller : modules.controllers)
      made.emplace_back(fmt::format("{}/{}", name, ++number), std::move(controller));
  });
  out.sensors.push_back([=](const sim::Scene& scene, sim::SensorSuite& suite) {
    sim::PluginModules modules = call(scene);
    for (auto& sensor : modules.sensors) suite.add(std::move(sensor));
  });
}

}  // namespace

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

void read_modules(const SceneNode& root, const std::vector<RobotPart>& robots, std::uint64_t seed,
                  const std::set<std::string>& absent, LoadedScene& out) {
  for (const SceneNode& force : root.groups("forces"))
    if (!absent.count(force.text("body"))) read_force(force, out);
  for (const RobotPart& part : robots)
    for (const SceneNode& node : *part.controllers) read_controller(node, part, absent, out);
  for (const SceneNode& node : root.groups("sensors"))
    at_place(node.place(), [&] {
      if (absent.count(node.text("at"))) return;
      read_sensor(node, robots, seed, out);
      (void)out.make_sensors();
    });
  for (const SceneNode& node : root.groups("plugins"))
    at_place(node.place(), [&] { read_plugin(node, out); });
}

}  // namespace stance::io
