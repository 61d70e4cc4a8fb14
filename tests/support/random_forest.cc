#include "support/random_forest.h"

#include <cmath>
#include <string>
#include <utility>

#include <Eigen/Geometry>

namespace stance::test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;
using kernel::Random;
using model::JointSpec;
using model::JointType;
using model::LinkSpec;

// One of +-x, +-y, +-z, or any direction.
Vector3d make_axis(Random& random) {
  const int choice = random.integer(9);
  if (choice >= 6) return make_direction(random);
  return (choice % 2 == 0 ? 1.0 : -1.0) * Vector3d::Unit(choice / 2);
}

JointType choose_type(Random& random, const ForestOptions& options) {
  const int choice = random.integer(16);
  if (choice == 0 && !options.true_coordinates) return JointType::kFree;
  if ((choice == 1 || choice == 2) && !options.true_coordinates) return JointType::kSpherical;
  if ((choice == 3 || choice == 4) && !options.only_peer_joints) return JointType::kPlanar;
  if (choice == 5 || choice == 6) return JointType::kPrismatic;
  if (choice == 7 || choice == 8) return JointType::kFixed;
  return JointType::kRevolute;
}

LinkSpec make_link(Random& random, const std::string& name) {
  LinkSpec link;
  link.name = name;
  link.mass = random.uniform(0.2, 2.0);
  link.com = make_vector(random, 3, 0.2);
  link.inertia = make_inertia(random, link.mass, 0.2);
  return link;
}

// Bases are floating as often as not; a fixed one puts its children on the world.
JointSpec make_base(Random& random, const ForestOptions& options) {
  JointSpec joint;
  joint.type = choose_type(random, options);
  if (random.integer(2) == 0 && !options.true_coordinates) joint.type = JointType::kFree;
  joint.p_PJ = make_vector(random, 3, 1.0);
  // half of the floating bases move along the world's own axes
  if (random.integer(2) == 0) joint.R_PJ = make_rotation(random);
  return joint;
}

}  // namespace

VectorXd make_vector(Random& random, int size, double limit) {
  VectorXd x(size);
  for (double& value : x) value = random.uniform(-limit, limit);
  return x;
}

Vector3d make_direction(Random& random) {
  Vector3d x = make_vector(random, 3, 1.0);
  while (x.norm() < 0.1) x = make_vector(random, 3, 1.0);
  return x.normalized();
}

Matrix3d make_rotation(Random& random) {
  return Eigen::AngleAxisd(random.uniform(-3.0, 3.0), make_direction(random)).toRotationMatrix();
}

Matrix3d make_inertia(Random& random, double mass, double size) {
  // positive second moments along the principal axes keep the triangle inequality strictly
  Vector3d second;
  for (double& value : second) value = mass * size * size * random.uniform(0.05, 1.0);
  const Vector3d moments = Vector3d::Constant(second.sum()) - second;
  const Matrix3d R = make_rotation(random);
  const Matrix3d inertia = R * moments.asDiagonal() * R.transpose();
  return 0.5 * (inertia + inertia.transpose());
}

model::Model make_forest(std::uint64_t seed, const ForestOptions& options) {
  Random random(0x5eed0000 + seed);
  model::ModelBuilder builder("forest " + std::to_string(seed));
  std::vector<JointSpec> joints;
  const int num_trees = 1 + random.integer(options.max_trees);
  for (int t = 0; t < num_trees; ++t) {
    const int num_links = 2 + random.integer(options.max_links - 1);
    for (int i = 0; i < num_links; ++i) {
      const auto name = [&](int k) { return "t" + std::to_string(t) + "_" + std::to_string(k); };
      builder.add_link(make_link(random, name(i)));
      JointSpec joint;
      if (i == 0) {
        joint = make_base(random, options);
      } else {
        // as often a longer branch as a new one
        joint.parent = name(random.integer(2) == 0 ? i - 1 : random.integer(i));
        joint.type = choose_type(random, options);
        joint.p_PJ = make_vector(random, 3, 0.3);
        if (random.integer(3) > 0) joint.R_PJ = make_rotation(random);
      }
      joint.name = "to_" + name(i);
      joint.child = name(i);
      joint.axis = make_axis(random);
      if (random.integer(2) == 0) joint.rotor_inertia = random.uniform(0.0, 0.1);
      if (options.only_peer_joints && joint.type == JointType::kFree) joint.rotor_inertia = 0.0;
      joints.push_back(joint);
    }
  }
  for (int i = static_cast<int>(joints.size()) - 1; i > 0; --i)
    std::swap(joints[i], joints[random.integer(i + 1)]);
  for (JointSpec& joint : joints) builder.add_joint(std::move(joint));
  model::Model model = builder.build();
  return model.nv > 0 ? model : make_forest(seed + 1000, options);
}

VectorXd make_coordinates(Random& random, const model::Model& model) {
  VectorXd q(model.nq);
  for (int i = 1; i < model.nbody; ++i) {
    const JointType type = model.joint_type[i];
    auto part = q.segment(model.q_start[i], model.joint_nq(i));
    const bool turns = type == JointType::kRevolute;
    part = make_vector(random, static_cast<int>(part.size()), turns ? 3.0 : 1.0);
    if (type == JointType::kPlanar) part[2] *= 3.0;
    const double lower = model.lower[model.v_start[i]], upper = model.upper[model.v_start[i]];
    if (std::isfinite(lower) && std::isfinite(upper)) part[0] = random.uniform(lower, upper);
    if (type == JointType::kSpherical || type == JointType::kFree) {
      part[0] += part[0] < 0.0 ? -0.1 : 0.1;  // never near zero length
      part.head(4).normalize();
    }
  }
  return q;
}

VectorXd displace(const model::Model& model, const VectorXd& q, const VectorXd& dv) {
  VectorXd q_next(model.nq);
  model::integrate(model, q.data(), dv.data(), q_next.data());
  return q_next;
}

}  // namespace stance::test
