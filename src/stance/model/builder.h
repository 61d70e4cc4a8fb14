#pragma once

// Builds a Model from links and joints: checks the tree, merges fixed joints, orders bodies,
// lays out coordinates. What cannot be simulated throws stance::Error at the link's or joint's
// place in the user's file; what is odd but workable ends in Model::warnings.

#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "stance/kernel/error.h"
#include "stance/model/model.h"

namespace stance::model {

struct LinkSpec {
  std::string name;
  double mass = 0.0;                                  // kg; zero for a massless link
  Eigen::Vector3d com = Eigen::Vector3d::Zero();      // in the link frame, m
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  // about the com, link axes, kg m^2
  Place place = {};
};

struct MimicSpec {
  std::string leader;  // joint name
  double ratio = 1.0;
  double offset = 0.0;
};

struct JointSpec {
  std::string name;
  JointType type = JointType::kFixed;
  std::string parent;  // link name; empty for the world
  std::string child;   // link name
  Eigen::Matrix3d R_PJ = Eigen::Matrix3d::Identity();
  Eigen::Vector3d p_PJ = Eigen::Vector3d::Zero();
  Eigen::Vector3d axis = Eigen::Vector3d::UnitX();  // any length but zero
  double lower = -kInfinity, upper = kInfinity;     // one-dof joints
  double velocity_limit = kInfinity, effort_limit = kInfinity;
  double damping = 0.0, friction = 0.0, rotor_inertia = 0.0;
  std::optional<MimicSpec> mimic = {};
  Place place = {};
};

class ModelBuilder {
 public:
  explicit ModelBuilder(std::string name) : name_(std::move(name)) {}

  void add_link(LinkSpec link) { links_.push_back(std::move(link)); }
  void add_joint(JointSpec joint) { joints_.push_back(std::move(joint)); }
  void remove_link(const std::string& name) {  // that no joint names
    std::erase_if(links_, [&](const LinkSpec& link) { return link.name == name; });
  }

  const std::vector<LinkSpec>& links() const { return links_; }
  const std::vector<JointSpec>& joints() const { return joints_; }
  JointSpec& joint(const std::string& name);  // throws stance::Error when there is none

  // Elastic hinges between a joint and the link that it carries, one per direction (axes of the
  // joint's frame), with massless links between; their springs are for the caller to drive. An
  // empty list is the joint's own axis: then what was the joint moves a motor of its own, which
  // needs rotor inertia. A fixed joint is replaced. Names of the new joints: JOINT_flex, or
  // JOINT_flex0, JOINT_flex1, ...
  std::vector<std::string> make_flexible(const std::string& joint,
                                         const std::vector<Eigen::Vector3d>& directions);

  // Takes over the links and joints of another builder, with `prefix` before their names.
  void append(const ModelBuilder& other, const std::string& prefix);

  // Joins every link that no joint carries to the world. Call after the last add_joint.
  enum class Base { kFree, kFixed };
  void attach_roots(Base base);

  Model build() const;

 private:
  std::string name_;
  std::vector<LinkSpec> links_;
  std::vector<JointSpec> joints_;
};

}  // namespace stance::model
