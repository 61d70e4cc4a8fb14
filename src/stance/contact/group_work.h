#pragma once

// One group of constraints as a problem of the solver, and its answer back.

#include <span>
#include <vector>

#include "stance/collision/contact_point.h"
#include "stance/contact/penalty_work.h"
#include "stance/dynamics/kinematics.h"
#include "stance/solver/body_sweeps.h"
#include "stance/solver/solve.h"

namespace stance::contact {

struct ContactOptions;
struct ContactScratch;
struct PointContact;

// What solving one group takes; one per thread.
struct GroupWork {
  explicit GroupWork(const model::Model& model);

  solver::BodyProblem problem;
  std::vector<kernel::Vec3d> p;  // impulses, by block
  solver::BodySweeps sweeps;
  solver::Solver solver;
  PenaltyWork penalty;
  std::vector<int> node_of;  // by body: its node, else -1
  std::vector<int> set_of;   // by tree: its set of coordinates, else -1
  std::vector<int> bodies;   // of the group, by tree
  std::vector<int> trees;    // with coordinates of the group, ascending
};

// What a problem is about: velocities after the step, or displacements that take drift back. The
// latter leave out the spin of contacts and the dry friction of joints.
enum class Purpose { kVelocity, kDisplacement };

// Fills problem and p (from the constraints' own impulses, or zero for displacements).
void make_problem(Purpose purpose, const model::Model& model,
                  const dynamics::Kinematics<double>& kin, const ContactOptions& options,
                  std::span<const int> members, double h, const ContactScratch& scratch,
                  GroupWork& work);

// Whether a contact closes within the step and bounces back by its restitution.
bool is_bounce(const collision::ContactPoint& point, const PointContact& contact, double h);

// Adds the impulses of the group to the sums of bodies and coordinates, which no other group has.
void add_impulses(Purpose purpose, std::span<const int> members, const GroupWork& work,
                  ContactScratch& scratch);

// The velocity problem of a group of the step at hand with its matrix: plain data that can be
// written to a file and solved anywhere (io/contact_problem.h). Allocates.
solver::ContactProblem make_explicit_problem(const model::Model& model,
                                             const dynamics::Kinematics<double>& kin,
                                             const ContactOptions& options, int group, double h,
                                             const ContactScratch& scratch);

}  // namespace stance::contact
