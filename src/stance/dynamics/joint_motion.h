#pragma once

// The joint table: what each joint type does to poses, axes and velocities. One function, one
// switch per question; docs/joints.md walks through adding a type.

#include "stance/dynamics/kinematics.h"
#include "stance/kernel/rotation.h"

namespace stance::dynamics {

using model::JointKernel;

// Turns the columns a and b of a rotation matrix about their common normal.
template <class T>
void turn_columns(Vec3<T>& a, Vec3<T>& b, const T& cosine, const T& sine) {
  const Vec3<T> a_new = madd(sine, b, cosine * a);
  b = nmadd(sine, a, cosine * b);
  a = a_new;
}

// The axis of a rotation about a line through p along z.
template <class T>
Motion<T> line_axis(const Vec3<T>& z, const Vec3<T>& p) {
  return {z, cross(p, z)};
}

// How far the joint carries the body origin, given the joint frame's orientation R: world axes.
template <class T>
Vec3<T> calc_joint_shift(const Model& model, int i, const T* q, const Mat3<T>& R) {
  switch (model.joint_kernel[i]) {
    case JointKernel::kFree: return R * Vec3<T>(q[4], q[5], q[6]);
    case JointKernel::kPrismatic: return q[0] * (R * Vec3<T>(model.axis[i]));
    case JointKernel::kPlanar: {
      const Mat3<T> plane = R * Mat3<T>(model.plane[i]);
      return madd(q[1], plane.c[1], q[0] * plane.c[0]);
    }
    default: return Vec3<T>();
  }
}

// Turns the joint frame's orientation R into the body's and writes the motion axes S at O, given
// the body origin p. q points at the joint's coordinates; cosine and sine are those of its angle.
template <class T>
void turn_joint(const Model& model, int i, const T* q, const T& cosine, const T& sine,
                const Vec3<T>& p, Mat3<T>& R, Motion<T>* S) {
  switch (model.joint_kernel[i]) {
    case JointKernel::kWorld: return;
    case JointKernel::kRevoluteX:
      turn_columns(R.c[1], R.c[2], cosine, sine);
      S[0] = line_axis(T(model.axis[i].x()) * R.c[0], p);
      return;
    case JointKernel::kRevoluteY:
      turn_columns(R.c[2], R.c[0], cosine, sine);
      S[0] = line_axis(T(model.axis[i].y()) * R.c[1], p);
      return;
    case JointKernel::kRevoluteZ:
      turn_columns(R.c[0], R.c[1], cosine, sine);
      S[0] = line_axis(T(model.axis[i].z()) * R.c[2], p);
      return;
    case JointKernel::kRevoluteAxis: {
      const Vec3<T> axis(model.axis[i]);
      S[0] = line_axis(R * axis, p);
      R = R * kernel::rotation_about(axis, cosine, sine);
      return;
    }
    case JointKernel::kPrismatic: S[0] = {Vec3<T>(), R * Vec3<T>(model.axis[i])}; return;
    case JointKernel::kSpherical:
      for (int k = 0; k < 3; ++k) S[k] = line_axis(R.c[k], p);
      R = R * kernel::make_rotation(kernel::Quat<T>{q[0], q[1], q[2], q[3]});
      return;
    case JointKernel::kPlanar: {
      const Mat3<T> plane = R * Mat3<T>(model.plane[i]);
      S[0] = {Vec3<T>(), plane.c[0]};
      S[1] = {Vec3<T>(), plane.c[1]};
      S[2] = line_axis(plane.c[2], p);
      R = R * kernel::rotation_about(Vec3<T>(model.axis[i]), cosine, sine);
      return;
    }
    case JointKernel::kFree:
      for (int k = 0; k < 3; ++k) {
        S[k] = line_axis(R.c[k], p);
        S[3 + k] = {Vec3<T>(), R.c[k]};
      }
      R = R * kernel::make_rotation(kernel::Quat<T>{q[0], q[1], q[2], q[3]});
      return;
  }
}

// True when the joint's origin moves in the parent while it also turns, so that dS/dt has a
// part of its own beside V_parent x S.
inline bool has_moving_axes(JointKernel joint) {
  return joint == JointKernel::kFree || joint == JointKernel::kPlanar;
}

// True when the joint carries the body origin away from the joint frame.
inline bool has_shift(JointKernel joint) {
  return has_moving_axes(joint) || joint == JointKernel::kPrismatic;
}

}  // namespace stance::dynamics
