#pragma once

// What a simulation consists of: things that do not change (World), what a snapshot must save
// (State), what can be recomputed (Scratch).

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stance/collision/collision_model.h"
#include "stance/contact/contact_system.h"
#include "stance/dynamics/aba.h"
#include "stance/dynamics/bodies.h"
#include "stance/model/model.h"
#include "stance/sim/stages.h"

namespace stance::sim {

using kernel::Vec3d;

// Links, as frames of the model, that a loop was given for.
struct LoopLinks {
  model::FrameIndex a, b;
};

// What does not change while steps are taken.
struct World {
  model::Model model;
  collision::CollisionModel shapes;
  contact::MaterialTable materials{};  // by Geometry::material
  contact::ContactOptions contact{};
  std::vector<contact::Loop> loops{};
  Vec3d gravity = {0.0, 0.0, -9.81};    // m/s^2
  std::vector<LoopLinks> loop_links{};  // by loop
};

// Where the energy of the steps so far came from and went, in J; signs as seen by the bodies. What
// they have after a step, less what they started with and these, is the error of the integrator.
struct EnergyAccount {
  bool is_open = false;
  double start = 0.0;    // kinetic and potential before the first step
  double contact = 0.0;  // work of contact impulses
  double joints = 0.0;   // of joint damping, dry friction, limits, mimics and loops
  double input = 0.0;    // of Input: torques, springs and dampers of drives
  double drift = 0.0;    // by displacements that are no motion: out of penetration, back to loops
};

// What controllers remember from one step to the next (module.h): numbers of each, by its name.
struct ControllerMemory {
  struct Part {
    std::string name;
    int size = 0;
    bool operator==(const Part&) const = default;
  };
  std::vector<Part> parts;     // in the order in which they act
  std::vector<double> values;  // of all, one after the other

  bool is_empty() const { return parts.empty() && values.empty(); }
  // The values of one; empty where there is none of this name.
  std::span<const double> find(std::string_view name) const;
  bool operator==(const ControllerMemory&) const = default;
};

// What a snapshot must save. state_members.h has the list of all that is in here.
struct State {
  explicit State(const World& world);

  std::vector<double> q, v;  // (nq), (nv)
  double time = 0.0;         // s
  contact::WarmStart warm;
  EnergyAccount energy;
  std::vector<std::int8_t> at_limit;  // (nv) 1, -1: the drive is at its torque limit; 0: within
  ControllerMemory memory;
};

// A force and a torque on a body, world axes, at a point fixed to it.
struct PointWrench {
  model::BodyIndex body;
  Vec3d p_BP;                   // m
  Vec3d force, torque;          // N, N m
  model::FrameIndex link = {};  // of the body, for sensors in its fixed joints; none: its first
  // Springs and dampers that are taken at the end of the step: the force loses `damping` (N s/m)
  // times the change of the point's velocity over the step, the torque `turn_damping` (N m s) times
  // that of the body's angular velocity. Symmetric, world axes; zero: the force is as given.
  kernel::Mat3d damping{}, turn_damping{};
};

// What acts on the joints during a step, per velocity coordinate (nv); empty spans are zero.
// Torque: tau + stiffness (target - q) - damping v, the last two taken at the end of the step, so
// that stiff ones are stable. Stiffness is for joints with one coordinate. The whole of it stays
// within -limit and limit (infinite where there is none): exactly, what is clamped is the torque at
// the end of the step. Wrenches act on bodies, beside gravity (H9).
struct Input {
  std::span<const double> tau = {}, stiffness = {}, damping = {}, target = {}, limit = {};
  std::span<const PointWrench> wrenches = {};
};

// Bits of StepReport::status.
enum StepStatus : std::uint32_t {
  kStepFine = 0,
  kNotConverged = 1,        // some group did not reach its tolerance; the step was taken
  kContactOverflow = 2,     // more contact points than there is room for; some were left out
  kNotFinite = 4,           // a number was lost; the step was refused, the state is as before
  kBadDuration = 8,         // a time to move by that is none; refused, the state is as before
  kContactMissed = 16,      // things came through each other in the step: ContactReport::missed
  kDriftNotConverged = 32,  // a displacement against drift did not reach its tolerance
};
// Equations of the step that were not solved to their tolerance.
constexpr std::uint32_t kUnsolved = kNotConverged | kDriftNotConverged;

// True for lengths of a step: positive and finite.
constexpr bool is_step(double h) { return h > 0.0 && h <= std::numeric_limits<double>::max(); }

// What a step came to, and how far it can be trusted.
struct StepReport {
  std::uint32_t status = kStepFine;
  contact::ContactReport contact;
  double kinetic = 0.0, potential = 0.0;  // J, at the end of the step
  double energy_error = 0.0;              // J, of the integrator over all steps up to this one
  int bad_body = -1;                      // with kNotFinite: the first body without numbers
  // with kNotConverged, beside what the contacts say: the coordinate of the first drive that keeps
  // neither its law nor its limit, and whether bodies move as the solver says
  int broken_drive = -1;
  bool velocities_agree = true;
  int passes = 0;  // 1, and one more whenever drives met or left limits
};

struct Scratch {
  explicit Scratch(const World& world);

  dynamics::Bodies start, end;               // by update_start and step()
  dynamics::Velocities<double> free;         // of the bodies, without contact
  dynamics::Velocities<double> after;        // after the solve, at the poses of the start
  dynamics::Velocities<double> moving;       // along the way of the step, by displace()
  std::vector<kernel::Motion<double>> bias;  // (nbody) accelerations with vdot = 0, penalty_fbl
  dynamics::Articulated<double> art;
  dynamics::ForwardDynamics<double> forward;
  std::vector<double> v_start;  // (nv) velocities at the start of the step
  std::vector<double> tau, diagonal, vdot, v_free, v_next, move, q_next;
  std::vector<double> part_of_way;  // (ntree), by displace()
  std::vector<double> drive;     // (nv) torque that drives gave in the step, at most their limits
  std::vector<double> external;  // (nv) what Input::wrenches do to the coordinates, if any
  std::vector<std::int8_t> at_limit;                  // as in State
  std::vector<kernel::Force<double>> wrenches;        // (nbody) at O, work of `external`
  std::vector<dynamics::AddedInertia<double>> added;  // of Input::wrenches that give way
  std::vector<PointWrench> pushes;  // Input::wrenches with the forces and torques that acted
  contact::ContactScratch contact;
  StepTimer* timer = nullptr;  // of those who want to know how long stages take (stages.h)
};

// The bodies at the start of the step that comes, Scratch::start: what the last step ended with,
// unless the state was changed in between. step() does it, too, at no cost if it is done.
const dynamics::Bodies& update_start(const World& world, const State& state, Scratch& scratch);

}  // namespace stance::sim
