#pragma once

// Whether two geometries come through each other's surfaces while their bodies move.
//
// Conservative advancement: where the nearest points are d apart along normals that part the two,
// they stay apart until something has moved by d along these, however it moves meanwhile. So time
// goes on in steps that cannot jump over a wall, however thin it is.

#include "stance/collision/find_contacts.h"

namespace stance::collision {

// How a body moves over a step, by t from 0 to 1: its origin is at p + t shift + t^2 bend, its
// orientation exp(t turn) R.
struct Flight {
  Mat3d R = Mat3d::identity();
  Vec3d p{}, shift{}, bend{};  // m
  Vec3d turn{};                // rad, world axes

  Mat3d orientation(double t) const;
  Vec3d position(double t) const { return madd(t * t, bend, madd(t, shift, p)); }
};

// Looks for the first time at which the two lie about `slack` (m) deep in each other, or a little
// deeper than at the start; false if there is none. Then `points` holds the pair's contacts at that
// time that are about so deep; those with a mesh or height field by surface_impact.h. Changes the
// poses of the pair in `scratch`.
bool find_impact(const CollisionModel& model, GeometryPair pair, const Flight& a, const Flight& b,
                 double slack, CollisionScratch& scratch, ContactBuffer& points, double& time);

// Whether the pair ends the step on the other side of each other: the normal of the deepest point
// there is against n_W; of a mesh or height field whether the middle of the other one came through.
bool ends_beyond(const CollisionModel& model, GeometryPair pair, const Flight& a, const Flight& b,
                 const Vec3d& n_W, CollisionScratch& scratch, ContactBuffer& points);

}  // namespace stance::collision
