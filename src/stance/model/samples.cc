#include "stance/model/samples.h"

#include <string>

#include "stance/model/builder.h"

namespace stance::model {

Model make_chain(int n, const ChainOptions& options) {
  ModelBuilder builder("chain of " + std::to_string(n));
  const double m = options.mass, l = options.length, r = options.radius;
  const double across = m * (3.0 * r * r + l * l) / 12.0;  // solid rod about its middle
  for (int i = 0; i < n; ++i) {
    const std::string number = std::to_string(i);
    LinkSpec link;
    link.name = "rod" + number;
    link.mass = m;
    link.com = {0.0, 0.0, -0.5 * l};
    link.inertia = Eigen::Vector3d(across, across, 0.5 * m * r * r).asDiagonal();
    builder.add_link(link);

    JointSpec joint;
    joint.name = "hinge" + number;
    joint.type = JointType::kRevolute;
    joint.child = link.name;
    if (i > 0) {
      joint.parent = "rod" + std::to_string(i - 1);
      joint.p_PJ = {0.0, 0.0, -l};
    } else if (options.floating) {
      joint.type = JointType::kFree;
    }
    joint.axis = i % 2 == 0 ? Eigen::Vector3d::UnitX() : Eigen::Vector3d::UnitY();
    builder.add_joint(joint);
  }
  return builder.build();
}

Model make_cubes(int n) {
  ModelBuilder builder(std::to_string(n) + " cubes");
  for (int i = 0; i < n; ++i) {
    LinkSpec link;
    link.name = "cube" + std::to_string(i);
    link.mass = 1.0;
    link.inertia = Eigen::Matrix3d::Identity() * (1.0 * 0.1 * 0.1 / 6.0);
    builder.add_link(link);
  }
  builder.attach_roots(ModelBuilder::Base::kFree);
  return builder.build();
}

}  // namespace stance::model
