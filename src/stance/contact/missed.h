#pragma once

// What a step would carry through each other, since its contacts were chosen before its impulses.
//
// Contacts are looked for as far as bodies move before the step and without impulses. Impulses may
// send them elsewhere: a struck ball flies, a rebound comes back. Where velocities after the solve
// reach no farther than was looked, and no point that was left out closes, nothing was missed;
// that is what is asked in every step. Else the pairs of the bodies in question are followed
// through the step (collision/impact.h). Those that would come through each other are held apart
// by the displacement of the step: they get as far as they can, and keep their velocities. So they
// strike each other in the next step, with the speed and the restitution that they have, and
// impacts follow one after the other in their order.
//
// Rows of velocities would have to stop the struck body within the step instead: its speed would be
// lost before it strikes, and bounces that ask for other velocities would contradict them.
//
// Rows are those of the start pose, too, so a body that turns far in a step is also followed, and
// so is all that moves over meshes and height fields.

#include "stance/collision/impact.h"
#include "stance/contact/contact_system.h"

namespace stance::contact {

struct MissedSearch {
  MissedSearch(const model::Model& model, const collision::CollisionModel& shapes);

  // Two geometries that would come through each other, and where they touch first.
  struct Meeting {
    collision::GeometryPair pair;
    double time;       // part of the step
    int first, count;  // of `points`
  };

  std::vector<double> extent;                     // of bodies, m; below zero: nothing on them
  std::vector<char> is_fast;                      // by body: to be followed
  bool is_any_fast = false;                       //
  std::vector<char> is_plane;                     // by geometry
  std::vector<char> is_surface;                   // likewise: a mesh or height field
  bool has_surfaces = false;                      //
  std::vector<int> body_of;                       // by geometry
  std::vector<collision::Reach> reach;            // by body
  std::vector<collision::Flight> flights;         // by body
  std::vector<collision::GeometryPair> suspects;  // to be followed
  std::vector<collision::GeometryPair> passing;   // that fly past each other
  std::vector<Meeting> meetings;                  // found
  std::vector<collision::ContactPoint> points;    // of these
  collision::CollisionScratch scratch;            // poses on the way
  collision::ContactBuffer found{512};            // of the pair at hand
};

// A way that is looked at: velocities of the bodies over the step, those after the solve and what
// displaces them.
using BodyVelocities = std::span<const Motion<double>>;

// What flies past a corner is not deflected by the plane that touched it there at the start of the
// step: pairs that are apart, move sideways and do not meet without impulses, as search->passing.
// Their points are no rows. If impulses let them meet all the same, they are held apart, and are
// rows in the next step. `before` and `free` as in find(), of which it is a part.
void find_passing(const model::Model& model, const collision::CollisionModel& shapes,
                  const dynamics::Kinematics<double>& kin, BodyVelocities before,
                  BodyVelocities free, double margin, double h, ContactScratch& scratch);
bool is_passing(const collision::ContactPoint& point, const ContactOptions& options,
                const MissedSearch& search);

// Whether bodies that move so may come through each other; quick where they do not. All points are
// looked at where `are_rows_kept` is false: else those that are rows of the problem count as held.
bool may_miss(const model::Model& model, const dynamics::Kinematics<double>& kin, BodyVelocities V,
              const ContactOptions& options, bool are_rows_kept, double h, ContactScratch& scratch);

// After that: the pairs that do, as search->meetings. `end` is where the way ends.
bool find_meetings(const model::Model& model, const collision::CollisionModel& shapes,
                   const dynamics::Kinematics<double>& kin, const dynamics::Kinematics<double>& end,
                   BodyVelocities V, const ContactOptions& options, double h,
                   ContactScratch& scratch);

// Leaves only the meetings after which things are on the other side of each other. Penalty laws
// need some depth, so nothing is held apart there.
bool keep_crossings(const collision::CollisionModel& shapes, ContactScratch& scratch);

// Adds points that `correct` holds apart, for all meetings. V as before, `after` the solve.
void hold_meetings(const model::Model& model, const dynamics::Kinematics<double>& kin,
                   const dynamics::Articulated<double>& art, BodyVelocities V, BodyVelocities after,
                   double h, ContactScratch& scratch);

// Takes these points away again.
void release_meetings(const model::Model& model, const dynamics::Kinematics<double>& kin,
                      const dynamics::Articulated<double>& art, ContactScratch& scratch);

}  // namespace stance::contact
