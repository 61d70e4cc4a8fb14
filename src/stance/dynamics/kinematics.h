#pragma once

// Where the bodies are and how they move.
//
// All spatial quantities of one tree are expressed in world axes at one point O, the tree's
// reference point: the origin of a floating base, or the joint frame of a fixed one. In these
// coordinates velocities, forces and inertias of parent and child add without any transform,
// which is what makes every algorithm of this layer short and fast (docs/adr/0001). The point
// moves with the robot, so that nothing is lost to cancellation far from the world's origin.

#include <span>
#include <vector>

#include "stance/kernel/spatial.h"
#include "stance/model/model.h"

namespace stance::dynamics {

using kernel::ArticulatedInertia;
using kernel::Force;
using kernel::Mat3;
using kernel::Mat6;
using kernel::Motion;
using kernel::RigidInertia;
using kernel::Sym3;
using kernel::Vec3;
using kernel::Vec3d;
using model::BodyIndex;
using model::Model;

// What follows from q alone.
template <class T>
struct Kinematics {
  explicit Kinematics(const Model& model);

  std::vector<Vec3<T>> p_WO;    // reference point of each tree, in the world (ntree), m
  std::vector<Mat3<T>> R_WB;    // orientation of each body (nbody)
  std::vector<Vec3<T>> p_OB;    // body origin from its tree's O, world axes (nbody), m
  std::vector<Motion<T>> S;     // motion axis of each velocity coordinate, at O (nv)
  std::vector<T> sine, cosine;  // of the joint angles, padded to a multiple of four

  // Position of a point fixed to a body, in the world.
  Vec3<T> calc_position(const Model& model, BodyIndex body, const Vec3<T>& p_BP) const {
    const Vec3<T> p_OP = p_OB[body] + R_WB[body] * p_BP;
    return body == 0 ? p_OP : p_WO[model.tree[body]] + p_OP;
  }
};

// What follows from q and v.
template <class T>
struct Velocities {
  explicit Velocities(const Model& model);

  std::vector<Motion<T>> V;  // spatial velocity V_WB of each body, at O (nbody)
  std::vector<Motion<T>> c;  // velocity-product acceleration dS/dt v of each joint, at O (nbody)
};

// Refreshes R_WB, p_OB, p_WO and S from the coordinates q (nq).
template <class T>
void update_kinematics(const Model& model, std::span<const T> q, Kinematics<T>& kin);

// Refreshes V and c from the velocities v (nv).
template <class T>
void update_velocities(const Model& model, const Kinematics<T>& kin, std::span<const T> v,
                       Velocities<T>& vel);

}  // namespace stance::dynamics
