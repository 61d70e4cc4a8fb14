#pragma once

// The immutable description of a multibody system: a forest of bodies joined by joints.
//
// Body 0 is the world. Every other body i is carried by one joint, also number i, from its
// parent; parents come before children. Coordinates of all joints stand in body order in one
// vector q (nq) and one vector v (nv); see joint.h for what each joint contributes.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "stance/kernel/error.h"
#include "stance/kernel/index.h"
#include "stance/kernel/vec3.h"
#include "stance/model/joint.h"

namespace stance::model {

using BodyIndex = kernel::Index<struct BodyTag>;
using FrameIndex = kernel::Index<struct FrameTag>;
using kernel::Mat3d;
using kernel::Sym3d;
using kernel::Vec3d;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// How update_kinematics treats a joint: the type, and for joints with an axis whether the axis
// lies along x, y or z of the joint frame (either sense), known once at build time.
enum class JointKernel : std::uint8_t {
  kWorld,
  kRevoluteX,
  kRevoluteY,
  kRevoluteZ,
  kRevoluteAxis,
  kPrismatic,
  kSpherical,
  kPlanar,
  kFree,
};

// A named frame fixed to a body: links merged by fixed joints, and every link's own frame.
struct Frame {
  std::string name;
  BodyIndex body;
  Mat3d R_BF = Mat3d::identity();
  Vec3d p_BF = {};
};

// q_follower = ratio * q_leader + offset, a hard constraint between two one-dof joints.
struct Mimic {
  BodyIndex follower, leader;
  double ratio = 1.0;
  double offset = 0.0;
};

struct Model {
  std::string name;
  int nbody = 1;  // the world included
  int nq = 0;
  int nv = 0;
  int ntree = 0;

  // Topology, by body (nbody).
  std::vector<int> parent;            // body 0 for roots and for the world itself
  std::vector<int> tree;              // which tree of the forest; -1 for the world
  std::vector<JointType> joint_type;  // kFixed for the world
  std::vector<JointKernel> joint_kernel;
  std::vector<int> q_start, v_start;    // first coordinate of joint i
  std::vector<int> v_count;             // how many velocity coordinates joint i has
  std::vector<std::string> body_name;   // name of the link whose frame is the body frame
  std::vector<std::string> joint_name;  // empty for the world
  std::vector<int> tree_root;           // (ntree) body at the root of tree t
  std::vector<int> sweep;               // moving bodies level by level (nbody - 1): neighbours
                                        // here are independent, which keeps the processor busy

  // Geometry of joint i, by body (nbody). The body frame B lies on the joint frame J at q = 0.
  std::vector<Mat3d> R_PJ;  // joint frame in the parent body
  std::vector<Vec3d> p_PJ;  // m
  std::vector<std::uint8_t> R_PJ_is_identity;
  std::vector<Vec3d> axis;   // unit axis (normal for planar) in J
  std::vector<Mat3d> plane;  // planar: columns are the two directions and the normal

  // Inertia of body i, by body (nbody). The world's are what is fixed to it; unused in dynamics.
  std::vector<double> mass;    // kg
  std::vector<Vec3d> com;      // p_BoBcm_B, m
  std::vector<Sym3d> inertia;  // about the centre of mass, body axes, kg m^2

  // Per velocity coordinate (nv).
  std::vector<double> rotor_inertia;   // reflected to the joint, on the diagonal of M
  std::vector<double> damping;         // viscous, N m s/rad or N s/m
  std::vector<double> friction;        // dry, N m or N
  std::vector<double> velocity_limit;  // kInfinity where there is none
  std::vector<double> effort_limit;
  std::vector<double> lower, upper;  // position limits of one-dof joints, else -/+ infinity
  std::vector<int> dof_body;         // body that coordinate k moves
  std::vector<int> dof_parent;       // coordinate before k on the way to the root, or -1
  std::vector<int> dof_run;          // lowest j with j, j+1, ..., k one unbroken chain

  // Angles whose sine and cosine are needed, in body order, padded to a multiple of four.
  int nangle = 0;
  std::vector<int> angle_q;             // index into q
  std::vector<std::uint8_t> has_angle;  // by body: 1 if its joint has an entry here
  std::vector<double> angle_sign;       // -1 where the axis points along -x, -y or -z

  std::vector<Frame> frames;  // one per link, parents first; then the world
  std::vector<Mimic> mimics;
  std::vector<Warning> warnings;  // what the builder accepted but found odd

  int joint_nv(int body) const { return v_count[body]; }
  int joint_nq(int body) const { return model::joint_nq(joint_type[body]); }

  // Lookup by name; an invalid index when there is none.
  BodyIndex find_body(std::string_view name) const;
  BodyIndex find_joint(std::string_view name) const;
  FrameIndex find_frame(std::string_view name) const;

  double total_mass() const;  // of the moving bodies
};

// The coordinates in which every joint is at its zero (nq).
std::vector<double> make_neutral(const Model& model);

// q_next = q (+) dv for all joints; q_next may be q itself.
template <class T>
void integrate(const Model& model, const T* q, const T* dv, T* q_next) {
  for (int i = 1; i < model.nbody; ++i)
    integrate_joint(model.joint_type[i], q + model.q_start[i], dv + model.v_start[i],
                    q_next + model.q_start[i]);
}

// dv = q_to (-) q_from for all joints.
template <class T>
void difference(const Model& model, const T* q_from, const T* q_to, T* dv) {
  for (int i = 1; i < model.nbody; ++i)
    difference_joint(model.joint_type[i], q_from + model.q_start[i], q_to + model.q_start[i],
                     dv + model.v_start[i]);
}

}  // namespace stance::model
