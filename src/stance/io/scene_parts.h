#pragma once

// Parts of a checked scene as the scene builder wants them.

#include <map>
#include <string>
#include <vector>

#include "stance/io/robot.h"
#include "stance/io/robot_scene.h"
#include "stance/io/scene.h"

namespace stance::io {

// Runs f, and gives an error that knows no place this one.
template <class F>
auto at_place(const Place& place, F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    if (!error.place().text().empty()) throw;
    throw Error(place, error.what());
  }
}

// ", did you mean 'ball'?", or nothing.
std::string suggest_name(std::string_view name, const std::vector<std::string>& known);

// position with rpy, quaternion or turn.
sim::Pose read_pose(const SceneNode& node);
bool has_pose(const SceneNode& node);
kernel::Mat3d make_rpy(const kernel::Vec3d& rpy);

// One of the shapes of a group; of a solid also its volume, m^3.
collision::Shape read_shape(const SceneNode& shape, const std::string& name, const Scope& scope,
                            sim::SceneBuilder& builder, double* volume);

contact::ContactOptions read_contact(const SceneNode* contact);
contact::Material read_material(const SceneNode& node);
contact::PairRule read_pair_rule(const SceneNode& node, int a, int b);
SceneExpectations read_expectations(const SceneNode* expect);

// A robot read from its file, and what the scene says of its joints.
struct RobotPart {
  std::string prefix;  // before its names in the scene: "robot/", or nothing
  Robot robot;
  RobotPlacement placement;
  std::vector<std::pair<std::string, double>> rates;
  std::optional<double> stand_on;
  kernel::Vec3d velocity, spin;

  struct Hold {
    bool by_inertia = true;
    double frequency = 5.0, damping_ratio = 1.0;  // Hz, -
    double stiffness = 0.0, damping = 0.0;        // where not by inertia
  };
  std::optional<Hold> hold;
  struct Drive {
    std::string joint;
    std::optional<double> stiffness, damping, target;
    double torque = 0.0;
  };
  std::vector<Drive> drives;

  struct Actuator {
    std::string joint;
    double ratio = 1.0;
    std::optional<double> limit = {};  // N m or N, at the joint
  };
  std::vector<Actuator> actuators;
  bool effort_limits = false;
  struct Flexible {
    std::vector<std::string> joints;  // that it became
    double stiffness = 0.0, damping = 0.0;
  };
  std::vector<Flexible> flexible;
  const std::vector<SceneNode>* controllers = nullptr;  // of the checked scene
};
RobotPart read_robot(const SceneNode& node, const SceneOptions& options);

// Where the joints start: `given` (names or patterns) over zero within limits, followers of mimic
// joints with their leaders. Throws when a name fits no joint, or a value is beyond its limits.
struct JointStart {
  std::string pattern;
  double value = 0.0;
  Place place;
};
std::vector<std::pair<std::string, double>> find_start(const Robot& robot,
                                                       const std::vector<JointStart>& given);

// The joints of one coordinate that a name or pattern means; throws at `place` when there are none.
std::vector<std::string> find_joints(const Robot& robot, const std::string& pattern,
                                     const Place& place);

// Joints as the command line names them: a word without * that no joint has stands for all joints
// that contain it.
std::vector<std::pair<std::string, double>> widen_joints(
    const std::vector<std::pair<std::string, double>>& given, const Robot& robot);

}  // namespace stance::io
