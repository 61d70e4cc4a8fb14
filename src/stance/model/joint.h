#pragma once

// The joint types and their coordinates. What a joint does to velocities and axes stands in
// dynamics/joint_motion.h; docs/joints.md tells how to add a type.
//
//   type       q                    v                                   nq nv
//   revolute   angle                rate                                 1  1
//   prismatic  distance             rate                                 1  1
//   spherical  quaternion w x y z   angular velocity                     4  3
//   planar     x, y, angle          their rates                          3  3
//   free       quaternion, x y z    angular velocity, linear velocity    7  6
//
// Every v is the velocity of the body relative to its parent, in the axes of the joint frame J,
// which is fixed in the parent; linear parts are those of the body origin. For a floating base
// J is the world: v = (w_WB_W, v_WBo_W). World axes rather than body axes, because a time step
// that adds h w x v to a body-fixed v feeds energy into every spinning body (docs/adr/0002).
//
// A continuous joint is a revolute one without limits. Fixed joints never reach the Model:
// the builder merges them and keeps the names as frames.

#include <cstdint>
#include <string_view>

#include "stance/kernel/rotation.h"
#include "stance/kernel/vec3.h"

namespace stance::model {

using kernel::Mat3;
using kernel::Quat;
using kernel::Vec3;
using kernel::Vec3d;

enum class JointType : std::uint8_t { kFixed, kRevolute, kPrismatic, kSpherical, kPlanar, kFree };

constexpr int joint_nq(JointType type) {
  switch (type) {
    case JointType::kFixed: return 0;
    case JointType::kRevolute:
    case JointType::kPrismatic: return 1;
    case JointType::kPlanar: return 3;
    case JointType::kSpherical: return 4;
    case JointType::kFree: return 7;
  }
  return 0;
}

constexpr int joint_nv(JointType type) {
  switch (type) {
    case JointType::kFixed: return 0;
    case JointType::kRevolute:
    case JointType::kPrismatic: return 1;
    case JointType::kPlanar:
    case JointType::kSpherical: return 3;
    case JointType::kFree: return 6;
  }
  return 0;
}

constexpr std::string_view joint_type_name(JointType type) {
  switch (type) {
    case JointType::kFixed: return "fixed";
    case JointType::kRevolute: return "revolute";
    case JointType::kPrismatic: return "prismatic";
    case JointType::kSpherical: return "spherical";
    case JointType::kPlanar: return "planar";
    case JointType::kFree: return "free";
  }
  return "?";
}

// Coordinates of the joint's zero: the body frame lies on the joint frame.
template <class T>
void set_neutral(JointType type, T* q) {
  for (int k = 0; k < joint_nq(type); ++k) q[k] = T(0);
  if (type == JointType::kSpherical || type == JointType::kFree) q[0] = T(1);
}

// q_next = q (+) dv: the coordinates after moving with the velocity dv for one unit of time.
template <class T>
void integrate_joint(JointType type, const T* q, const T* dv, T* q_next) {
  switch (type) {
    case JointType::kFixed: return;
    case JointType::kRevolute:
    case JointType::kPrismatic: q_next[0] = q[0] + dv[0]; return;
    case JointType::kPlanar:
      for (int k = 0; k < 3; ++k) q_next[k] = q[k] + dv[k];
      return;
    case JointType::kSpherical:
    case JointType::kFree: {
      const Quat<T> turn = kernel::exp_quat(Vec3<T>(dv[0], dv[1], dv[2]));
      const Quat<T> a = normalized(turn * Quat<T>{q[0], q[1], q[2], q[3]});
      q_next[0] = a.w, q_next[1] = a.x, q_next[2] = a.y, q_next[3] = a.z;
      if (type == JointType::kFree)
        for (int k = 0; k < 3; ++k) q_next[4 + k] = q[4 + k] + dv[3 + k];
      return;
    }
  }
}

// dv = q_to (-) q_from: the shortest velocity with q_from (+) dv = q_to.
template <class T>
void difference_joint(JointType type, const T* q_from, const T* q_to, T* dv) {
  switch (type) {
    case JointType::kFixed: return;
    case JointType::kRevolute:
    case JointType::kPrismatic: dv[0] = q_to[0] - q_from[0]; return;
    case JointType::kPlanar:
      for (int k = 0; k < 3; ++k) dv[k] = q_to[k] - q_from[k];
      return;
    case JointType::kSpherical:
    case JointType::kFree: {
      const Quat<T> a{q_to[0], q_to[1], q_to[2], q_to[3]};
      const Quat<T> b{q_from[0], -q_from[1], -q_from[2], -q_from[3]};
      const Vec3<T> w = kernel::log_quat(normalized(a * b));
      for (int k = 0; k < 3; ++k) dv[k] = w[k];
      if (type == JointType::kFree)
        for (int k = 0; k < 3; ++k) dv[3 + k] = q_to[4 + k] - q_from[4 + k];
      return;
    }
  }
}

}  // namespace stance::model
