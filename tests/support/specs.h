#pragma once

// Short forms of link and joint descriptions for tests.

#include <string>

#include "stance/model/builder.h"

namespace stance::test {

// A solid sphere of 1 kg and 0.1 m at the link's origin.
inline model::LinkSpec make_link(const std::string& name, double mass = 1.0) {
  model::LinkSpec link;
  link.name = name;
  link.mass = mass;
  link.inertia = Eigen::Matrix3d::Identity() * (0.4 * mass * 0.01);
  return link;
}

inline model::JointSpec make_joint(const std::string& name, model::JointType type,
                                   const std::string& parent, const std::string& child) {
  model::JointSpec joint;
  joint.name = name;
  joint.type = type;
  joint.parent = parent;
  joint.child = child;
  return joint;
}

// A free body of 2 kg with moments 0.1, 0.2 and 0.25 kg m^2.
inline model::Model make_free_body() {
  model::ModelBuilder builder("free body");
  model::LinkSpec link = make_link("body", 2.0);
  link.inertia = Eigen::Vector3d(0.1, 0.2, 0.25).asDiagonal();
  builder.add_link(link);
  builder.attach_roots(model::ModelBuilder::Base::kFree);
  return builder.build();
}

}  // namespace stance::test
