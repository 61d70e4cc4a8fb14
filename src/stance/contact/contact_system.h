#pragma once

// Where dynamics, shapes and solver meet: contact points, joint limits, dry friction, mimics and
// loops become problems, one per group, in the space of the bodies and coordinates that they act
// on, and impulses become a change of velocity.

#include <memory>
#include <span>
#include <vector>

#include "stance/collision/find_contacts.h"
#include "stance/contact/contact_options.h"
#include "stance/contact/contact_state.h"
#include "stance/contact/flat_contact.h"
#include "stance/contact/group_work.h"
#include "stance/contact/groups.h"
#include "stance/contact/joint_rows.h"
#include "stance/contact/loop.h"
#include "stance/contact/material.h"
#include "stance/dynamics/coordinate_response.h"
#include "stance/dynamics/delassus.h"

namespace stance::contact {

using kernel::Force;
using kernel::Motion;
using kernel::Vec3d;

// One contact point of the step, by assemble and solve.
struct PointContact {
  Vec3d t1, t2;  // tangents; n, t1, t2 are right-handed
  Material material;
  Room room;
  Vec3d u_before;  // (N, T1, T2) at the start of the step, m/s
  Vec3d w_before;  // relative spin likewise, rad/s
  Vec3d u_free;    // without impulses
  Vec3d w_free;
  Vec3d bias;     // (N, T1, T2) rate of u while v stays as it is, m/s^2; only for penalty_fbl
  Vec3d u;        // after the step
  Vec3d w;        // after the step; only where spin is resisted
  Vec3d p;        // impulse, N s
  Vec3d spin;     // torsion and rolling impulse, N m s
  Vec3d stretch;  // classical penalty: from the friction's anchor to the point, world axes, m
  Vec3d lag;      // from the point on a to that on b, m; not zero only where things are held apart
};

// What a step says of its contacts and other constraints.
struct ContactReport {
  int points = 0, groups = 0, sweeps = 0;  // sweeps: the most of any group
  int dropped = 0;                         // contact points left out for want of room
  int missed = 0;    // pairs of geometries that came through each other in the step
  int immobile = 0;  // points left out since nothing can move along their normals (immobile.h)
  bool is_converged = true;        // the law's own equations hold to the tolerance
  bool is_drift_converged = true;  // of the displacement against drift, where there is one
  double residual = 0.0;        // of the law's equations, worst of the groups, graded from scratch
  double drift_residual = 0.0;  // likewise, of the displacement, relative
  // where it did not converge, what is farthest off: two geometries or a coordinate, -1 of a loop
  int drift_a = -1, drift_b = -1, drift_coordinate = -1;
  double distance = 0.0;         // of the exact law for the same impulses: what another law costs
  double gap_velocity = 0.0;     // m/s: how fast the worst gap still closes, or a bilateral moves
  double impulse_error = 0.0;    // N s: the largest error of any block (solver/residual.h)
  double velocity_error = 0.0;   // m/s or rad/s, rows' velocities by the bodies less the solver's
  double penetration = 0.0;      // m, deepest
  double complementarity = 0.0;  // J
  double cone_violation = 0.0;   // N s
  double dissipation = 0.0;      // J, friction short of its maximum
  double work = 0.0;             // J, of all impulses on the motion without them; positive only
                                 // with restitution
  double loop_error = 0.0;       // m or rad, the worst of loops and mimics at the start of the step
  int worst_contact = -1;        // the point with the largest share in the worst residual

  // J, as parts of the change of kinetic energy over the whole step, 1/2 p . (u before + u after)
  double contact_energy = 0.0;  // of contact points
  double joint_energy = 0.0;    // of limits, dry friction, mimics and loops

  solver::SolveStatistics total;  // what the solves of all groups took
};

// Where a surface rolls: its points keep their place on a sphere or cylinder as this turns.
struct Round {
  double radius = 0.0;  // m; 0: corners, which turn with the body
  bool has_axis = false;
  Vec3d axis_B = {};  // of a cylinder
};

// Everything that can be recomputed. Room for more contact points is made by find, where there are
// more than ever before: nothing has moved by then.
struct ContactScratch {
  ContactScratch(const model::Model& model, const collision::CollisionModel& shapes,
                 std::span<const Loop> loops, const ContactOptions& options);
  ~ContactScratch();

  int most_points;                      // as in ContactOptions
  std::vector<Vec3d> p_WB;              // (nbody), by find
  std::vector<collision::Reach> reach;  // (nbody), by find
  collision::CollisionScratch collision;
  collision::ContactBuffer points;

  std::vector<int> material_of;  // by geometry
  std::vector<Round> round_of;   // likewise

  // constraints of the step, by assemble and solve: points, joint rows, loop blocks, in this order
  std::vector<PointContact> contacts;  // (points)
  std::vector<Room> room;              // of all points found
  ParallelFaces faces;                 // of those that are flat
  JointRowSources sources;
  std::vector<JointRow> joint_rows;
  std::vector<LoopBlock> loop_blocks;
  std::vector<TreePair> trees;                    // by constraint
  std::vector<collision::GeometryPair> immobile;  // of points left out, in order (immobile.h)
  std::vector<RestPlan> rest;                     // as in WarmStart
  Groups groups;

  // how what they act on responds, by assemble
  dynamics::ContactSet bodies;  // bodies that something acts on, one point each
  std::vector<dynamics::ContactPoint> body_points;
  dynamics::Delassus<double> omega;
  std::vector<int> number_of;  // by body: its number in `bodies`, else -1
  std::vector<int> coordinates;
  dynamics::CoordinateResponse response;

  // work and answers of the groups
  std::vector<std::unique_ptr<GroupWork>> work;  // by thread
  std::vector<ContactReport> reports;            // by group
  // what was not a constraint of the step, and could have been (missed.h)
  std::vector<collision::ContactPoint> spare;   // found, but not closing without impulses
  std::unique_ptr<struct MissedSearch> search;  // by missed.cc
  int held = 0;                                 // points at the end that only hold things apart
  std::vector<collision::GeometryPair> missed;  // pairs that came through each other in the step
  std::unique_ptr<struct ThreadTeam> team;      // where there is more than one thread
  double side_work =
      0.0;               // sweeps times constraints of all groups but the longest, in the last step
  int side_by_side = 0;  // steps in which groups were solved so
  std::vector<Force<double>> impulses;  // (nbody) at O, sum of all on the body
  std::vector<double> joint_impulses;   // (nv)
};

// Contact points of the poses that `kin` holds, with gaps below the margin.
void find(const model::Model& model, const collision::CollisionModel& shapes,
          const dynamics::Kinematics<double>& kin, double margin, ContactScratch& scratch);

// The same, and all those that bodies could bring below it within h, moving as they do before the
// step or without impulses.
void find(const model::Model& model, const collision::CollisionModel& shapes,
          const dynamics::Kinematics<double>& kin, std::span<const Motion<double>> before,
          std::span<const Motion<double>> free, double margin, double h, ContactScratch& scratch);

// The motion that constraints are assembled at: at the start of the step and without impulses.
struct StepMotion {
  std::span<const double> q, v, v_free;
  std::span<const Motion<double>> before, free;  // of the bodies
  // accelerations of the bodies with vdot = 0; needed by penalty_fbl, else may be empty
  std::span<const Motion<double>> bias = {};
};

// Groups of the constraints at hand, and the responses of what they act on; part of assemble.
void update_groups(const model::Model& model, const dynamics::Kinematics<double>& kin,
                   const dynamics::Articulated<double>& art, ContactScratch& scratch);

// Room for so many contact points.
void make_room(int count, ContactScratch& scratch);

// Frames, materials and velocities of the points found, of those that can come within the margin in
// this step; joint rows; loops; their groups, and the responses of what they act on.
void assemble(const model::Model& model, const MaterialTable& materials,
              std::span<const Loop> loops, const dynamics::Kinematics<double>& kin,
              const dynamics::Articulated<double>& art, const StepMotion& motion,
              const ContactOptions& options, double h, const WarmStart& warm,
              ContactScratch& scratch);

// Impulses of all groups, from the warm start on. Leaves their sums in scratch.impulses and
// scratch.joint_impulses.
ContactReport solve(const model::Model& model, const dynamics::Kinematics<double>& kin,
                    const ContactOptions& options, double h, ContactScratch& scratch);

// Keeps the impulses for the next step.
void remember(const ContactScratch& scratch, WarmStart& warm);

// True when some point lies deeper than twice the slop, or a loop, mimic or limit is as far off.
// Then `correct` finds displacements over h that take part of it back, without a share in the
// velocities; impulses as above.
bool needs_correction(const ContactOptions& options, const ContactScratch& scratch);
// The report gets is_drift_converged, drift_residual and what is farthest off.
void correct(const model::Model& model, const dynamics::Kinematics<double>& kin,
             const ContactOptions& options, double h, ContactScratch& scratch,
             ContactReport& report);

}  // namespace stance::contact
