#pragma once

// Where dynamics, shapes and solver meet: contact points become problems, one per group, in the
// space of the bodies that touch, and impulses become a change of velocity.

#include <memory>
#include <span>
#include <vector>

#include "stance/collision/find_contacts.h"
#include "stance/contact/contact_options.h"
#include "stance/contact/contact_state.h"
#include "stance/contact/groups.h"
#include "stance/contact/material.h"
#include "stance/dynamics/delassus.h"
#include "stance/solver/body_problem.h"
#include "stance/solver/solve.h"

namespace stance::contact {

using kernel::Force;
using kernel::Motion;
using kernel::Vec3d;

// One contact point of the step, by assemble and solve.
struct PointContact {
  Vec3d t1, t2;  // tangents; n, t1, t2 are right-handed
  Material material;
  double u_before = 0.0;  // normal velocity at the start of the step, m/s
  Vec3d u_free;           // (N, T1, T2) without impulses, m/s
  Vec3d w_free;           // relative spin likewise, rad/s
  Vec3d u;                // after the step
  Vec3d p;                // impulse, N s
  Vec3d spin;             // torsion and rolling impulse, N m s
  Vec3d stretch;          // classical penalty: from the friction's anchor to the point, m
};

// What a step says of its contacts.
struct ContactReport {
  int points = 0, groups = 0, sweeps = 0;  // sweeps: the most of any group
  bool is_converged = true, overflow = false;
  double residual = 0.0;         // worst of the groups, graded from scratch
  double penetration = 0.0;      // m, deepest
  double complementarity = 0.0;  // J
  double cone_violation = 0.0;   // N s
  double dissipation = 0.0;      // J, friction short of its maximum
  double work = 0.0;             // J, of all contact impulses; positive only with restitution
  int worst_contact = -1;        // the point with the largest share in the worst residual
};

// Everything that can be recomputed.
struct ContactScratch {
  ContactScratch(const model::Model& model, const collision::CollisionModel& shapes,
                 const ContactOptions& options);

  std::vector<Vec3d> p_WB;  // (nbody), by find
  collision::CollisionScratch collision;
  collision::ContactBuffer points;
  std::vector<PointContact> contacts;  // (points), by assemble
  Groups groups;
  dynamics::ContactSet bodies;  // the bodies that touch, one point each
  std::vector<dynamics::ContactPoint> body_points;
  dynamics::Delassus<double> omega;
  std::vector<int> number_of;     // by body: its number in `bodies`, else -1
  std::vector<int> node_of;       // by body: its node in the group at hand, else -1
  std::vector<int> group_bodies;  // bodies of the group at hand, by tree
  solver::BodyProblem problem;    // of the group at hand
  std::vector<Vec3d> p;           // impulses of the group at hand
  solver::BodySweeps sweeps;
  solver::Solver solver;
  std::vector<Force<double>> impulses;  // (nbody) at O, sum of all contact impulses
};

// Contact points of the poses that `kin` holds.
void find(const model::Model& model, const collision::CollisionModel& shapes,
          const dynamics::Kinematics<double>& kin, double margin, ContactScratch& scratch);

// Frames, materials and velocities of the points found, of those that can come within the margin in
// this step, their groups, and Omega of the bodies that
// touch. `before` and `free` are the bodies' velocities at the start of the step and without
// contact.
void assemble(const model::Model& model, const collision::CollisionModel& shapes,
              std::span<const Material> materials, const dynamics::Kinematics<double>& kin,
              const dynamics::Articulated<double>& art, std::span<const Motion<double>> before,
              std::span<const Motion<double>> free, const ContactOptions& options, double h,
              ContactScratch& scratch);

// Impulses of all groups, from the warm start on. Leaves the sum of impulses of every body in
// scratch.impulses.
ContactReport solve(const model::Model& model, const dynamics::Kinematics<double>& kin,
                    const ContactOptions& options, double h, const WarmStart& warm,
                    ContactScratch& scratch);

// The parts of `solve` that a law of another kind shares: what the last step remembers, the problem
// of one group without spin rows (free velocities shifted as for the exact law) in scratch.problem,
// and the impulses of its bodies. Every make_group_problem needs its finish_group.
void recall(const WarmStart& warm, ContactScratch& scratch);
void make_group_problem(const model::Model& model, const dynamics::Kinematics<double>& kin,
                        std::span<const int> members, double h, ContactScratch& scratch);
void finish_group(std::span<const Vec3d> p, ContactScratch& scratch);

// Keeps the impulses for the next step.
void remember(const ContactScratch& scratch, WarmStart& warm);

// True when some point lies deeper than twice the slop. Then `correct` finds displacements over h
// that take part of it back, without a share in the velocities; impulses as above, in
// scratch.impulses.
bool needs_correction(const ContactOptions& options, const ContactScratch& scratch);
void correct(const model::Model& model, const dynamics::Kinematics<double>& kin,
             const ContactOptions& options, double h, ContactScratch& scratch);

}  // namespace stance::contact
