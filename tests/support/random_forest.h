#pragma once

// Seeded random multibody systems and states: the ground for "on any forest" claims.

#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "stance/kernel/random.h"
#include "stance/model/builder.h"
#include "stance/model/model.h"

namespace stance::test {

inline constexpr int kNumForests = 60;  // seeds 0 .. 59 cover every joint and base many times

struct ForestOptions {
  int max_trees = 3;
  int max_links = 9;              // per tree, fixed ones included
  bool true_coordinates = false;  // only joints with v = dq/dt: no spherical and free ones
  bool only_peer_joints = false;  // no planar joints, no rotors on free ones
};

// A forest with revolute joints along +-x, +-y, +-z and any axis, prismatic, spherical, planar,
// free and fixed ones, on floating and fixed bases, joints declared in shuffled order. Masses are
// about 1 kg, lengths about 0.3 m; every inertia is that of a real body.
model::Model make_forest(std::uint64_t seed, const ForestOptions& options = {});

// Numbers, directions and rotations.
Eigen::VectorXd make_vector(kernel::Random& random, int size, double limit);
Eigen::Vector3d make_direction(kernel::Random& random);
Eigen::Matrix3d make_rotation(kernel::Random& random);

// Rotational inertia of a real body of about this mass and size.
Eigen::Matrix3d make_inertia(kernel::Random& random, double mass, double size);

// Coordinates within the joint limits; where there are none, angles within +-3 rad and lengths
// within +-1 m. Quaternions are unit ones, anywhere.
Eigen::VectorXd make_coordinates(kernel::Random& random, const model::Model& model);

// q (+) dv as a new vector.
Eigen::VectorXd displace(const model::Model& model, const Eigen::VectorXd& q,
                         const Eigen::VectorXd& dv);

}  // namespace stance::test
