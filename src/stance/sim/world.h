#pragma once

// What a simulation consists of: things that do not change (World), what a snapshot must save
// (State), what can be recomputed (Scratch).

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stance/collision/collision_model.h"
#include "stance/contact/contact_system.h"
#include "stance/contact/penalty.h"
#include "stance/dynamics/aba.h"
#include "stance/dynamics/inertia.h"
#include "stance/dynamics/kinematics.h"
#include "stance/model/model.h"

namespace stance::sim {

using kernel::Vec3d;

struct World {
  model::Model model;
  collision::CollisionModel shapes;
  std::vector<contact::Material> materials = {{}};  // by Geometry::material
  contact::ContactOptions contact;
  Vec3d gravity = {0.0, 0.0, -9.81};  // m/s^2
};

struct State {
  explicit State(const World& world);

  std::vector<double> q, v;  // (nq), (nv)
  double time = 0.0;         // s
  contact::WarmStart warm;
};

// What acts on the joints during a step, per velocity coordinate (nv); empty spans are zero.
// Torque: tau + stiffness (target - q) - damping v, the last two taken at the end of the step, so
// that stiff ones are stable. Stiffness is for joints with one coordinate.
struct Input {
  std::span<const double> tau, stiffness, damping, target;
};

// Bits of StepReport::status.
enum StepStatus : std::uint32_t {
  kStepFine = 0,
  kNotConverged = 1,     // some group did not reach its tolerance; the step was taken
  kContactOverflow = 2,  // more contact points than there is room for; some were left out
  kNotFinite = 4,        // a number was lost; the step was refused, the state is as before
};

struct StepReport {
  std::uint32_t status = kStepFine;
  contact::ContactReport contact;
  double kinetic = 0.0, potential = 0.0;  // J, at the start of the step
  int bad_body = -1;                      // with kNotFinite: the first body without numbers
};

struct Scratch {
  explicit Scratch(const World& world);

  dynamics::Kinematics<double> kin;
  dynamics::Velocities<double> before, free;  // of the bodies, at the start and without contact
  dynamics::Inertias<double> inertias;
  dynamics::Articulated<double> art;
  dynamics::ForwardDynamics<double> forward;
  std::vector<double> zero, tau, diagonal, vdot, v_free, v_next, move, q_next;
  contact::ContactScratch contact;
  contact::PenaltyScratch penalty;
};

}  // namespace stance::sim
