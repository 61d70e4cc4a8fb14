// What a scene says of a robot's joints beyond gains.

#include "stance/io/scene_modules.h"

namespace stance::io {

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
      at_place(flexible.place(), [&, joint = name] {
        out.joints = part.robot.parts.make_flexible(joint, directions);
      });
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

}  // namespace stance::io
