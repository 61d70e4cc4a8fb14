#include "stance/scene/built_robot.h"

#include <algorithm>

#include <fmt/format.h>

#include "stance/kernel/names.h"
#include "stance/scene/pose.h"

namespace stance::scene {
namespace {

bool is_single(const model::Model& model, int body) { return model.joint_nq(body) == 1; }

// Where the joints start: as the scene says, over zero within limits, followers of mimic joints
// with their leaders.
NamedNumbers find_start(const Robot& robot, const RobotSpec& spec, const Sources& sources) {
  const model::Model& model = robot.model;
  std::vector<double> value(model.nbody, 0.0);
  std::vector<char> is_given(model.nbody, 0);
  for (int i = 1; i < model.nbody; ++i) {
    if (!is_single(model, i)) continue;
    const int k = model.v_start[i];
    value[i] = std::clamp(0.0, model.lower[k], model.upper[k]);
  }
  for (const auto& [pattern, start] : spec.joints) {
    const Path path{"robots", spec.name, "joints", pattern};
    for (const std::string& name : find_joints(robot, pattern, sources, path)) {
      const int i = model.find_joint(name);
      const int k = model.v_start[i];
      if (start < model.lower[k] || start > model.upper[k])
        throw make_error(sources, path,
                         fmt::format("the joint '{}' would start at {:g}, beyond its limits {:g} "
                                     "and {:g}",
                                     name, start, model.lower[k], model.upper[k]));
      value[i] = start, is_given[i] = 1;
    }
  }
  // leaders may themselves follow
  for (std::size_t round = 0; round < model.mimics.size(); ++round)
    for (const model::Mimic& mimic : model.mimics)
      if (!is_given[mimic.follower])
        value[mimic.follower] = mimic.ratio * value[mimic.leader] + mimic.offset;
  NamedNumbers start;
  for (int i = 1; i < model.nbody; ++i)
    if (is_single(model, i) && (is_given[i] || value[i] != 0.0))
      start.emplace_back(model.joint_name[i], value[i]);
  return start;
}

void add_actuators(const RobotSpec& spec, const Sources& sources, BuiltRobot& out) {
  for (const ActuatorSpec& actuator : spec.actuators)
    for (const std::string& name : find_joints(out.robot, actuator.name, sources,
                                               {"robots", spec.name, "actuators", actuator.name})) {
      model::JointSpec& joint = out.robot.parts.joint(name);
      BuiltRobot::Actuator made{name, actuator.ratio, {}};
      if (actuator.rotor_inertia)
        joint.rotor_inertia = made.ratio * made.ratio * *actuator.rotor_inertia;
      if (actuator.viscous_friction) joint.damping = *actuator.viscous_friction;
      if (actuator.dry_friction) joint.friction = *actuator.dry_friction;
      if (actuator.torque_limit) made.limit = made.ratio * *actuator.torque_limit;
      out.actuators.push_back(made);
    }
}

// What a joint joined still does not collide, though a motor is between now.
void keep_apart(const std::string& parent, const std::string& child, BuiltRobot& out) {
  const model::Model& model = out.robot.model;
  const auto body_of = [&](const std::string& link) {
    const model::FrameIndex frame = model.find_frame(link);
    return frame.valid() ? int(model.frames[frame].body) : 0;
  };
  for (const model::Frame& a : model.frames)
    for (const model::Frame& b : model.frames)
      if (int(a.body) == body_of(parent) && int(b.body) == body_of(child) && a.name != b.name)
        out.placement.unmeeting.emplace_back(a.name, b.name);
}

void add_flexible(const RobotSpec& spec, const Sources& sources, BuiltRobot& out) {
  for (const FlexibleSpec& flexible : spec.flexible) {
    const Path path{"robots", spec.name, "flexible", flexible.name};
    std::vector<Eigen::Vector3d> directions;
    for (const Vec3d& d : flexible.directions) directions.emplace_back(d[0], d[1], d[2]);
    std::vector<std::pair<std::string, std::string>> joints;  // with their links
    for (const model::JointSpec& joint : out.robot.parts.joints())
      if (kernel::matches(flexible.name, joint.name) && joint.type != model::JointType::kFree &&
          (joint.name == flexible.name || joint.type != model::JointType::kFixed))
        joints.emplace_back(joint.name, joint.child);
    if (joints.empty()) find_joints(out.robot, flexible.name, sources, path);
    for (const auto& [name, child] : joints) {
      const std::string parent = out.robot.parts.joint(name).parent;
      BuiltRobot::Flexible made{{}, flexible.stiffness, flexible.damping};
      at_path(sources, path, [&, joint = name] {
        made.joints = out.robot.parts.make_flexible(joint, directions);
      });
      out.flexible.push_back(std::move(made));
      keep_apart(parent, child, out);
    }
  }
}

}  // namespace

std::vector<std::string> find_joints(const Robot& robot, const std::string& pattern,
                                     const Sources& sources, const Path& path) {
  const model::Model& model = robot.model;
  std::vector<std::string> found;
  std::vector<std::string_view> names;
  for (int i = 1; i < model.nbody; ++i) {
    if (is_single(model, i)) names.push_back(model.joint_name[i]);
    if (!kernel::matches(pattern, model.joint_name[i])) continue;
    if (is_single(model, i))
      found.push_back(model.joint_name[i]);
    else if (pattern == model.joint_name[i])
      throw make_error(sources, path,
                       fmt::format("the joint '{}' has more than one coordinate", pattern));
  }
  if (!found.empty()) return found;
  const std::string_view nearest = kernel::find_nearest_name(pattern, names);
  throw make_error(sources, path,
                   fmt::format("the robot '{}' has no joint '{}'{}", model.name, pattern,
                               !nearest.empty() ? fmt::format(", did you mean '{}'?", nearest)
                                                : "; `stance info` lists its joints"));
}

BuiltRobot build_robot(const RobotSpec& spec, const Sources& sources) {
  const Path path{"robots", spec.name};
  if (!spec.description)
    throw make_error(sources, path, fmt::format("the robot '{}' has no description", spec.name));
  BuiltRobot out{.prefix = spec.name.empty() ? "" : spec.name + "/",
                 .robot = *spec.description,
                 .placement = {},
                 .rates = {},
                 .velocity = spec.velocity,
                 .spin = spec.spin,
                 .actuators = {},
                 .flexible = {}};
  RobotPlacement& at = out.placement;
  at.name = spec.name;
  at.base = make_pose(spec.pose, sources, path);
  at.replace_missing = true;
  at.unmeeting = spec.unmeeting;
  const auto is_moved = [](const Vec3d& v) { return v[0] != 0.0 || v[1] != 0.0 || v[2] != 0.0; };
  if (!out.robot.is_free)
    for (const auto& [key, is_given] :
         {std::pair("stand_on", spec.stand_on.has_value()),
          std::pair("velocity", is_moved(spec.velocity)), std::pair("spin", is_moved(spec.spin))})
      if (is_given)
        throw make_error(sources, path / key,
                         fmt::format("'{}' is for robots with a free base", key));
  at.start = find_start(out.robot, spec, sources);
  for (const auto& [pattern, rate] : spec.rates)
    for (const std::string& name :
         find_joints(out.robot, pattern, sources, {"robots", spec.name, "rates", pattern}))
      out.rates.emplace_back(name, rate);
  // checked here, where their place is known
  for (const DriveSpec& drive : spec.drives)
    (void)find_joints(out.robot, drive.name, sources, {"robots", spec.name, "drives", drive.name});
  add_actuators(spec, sources, out);
  add_flexible(spec, sources, out);
  return out;
}

}  // namespace stance::scene
