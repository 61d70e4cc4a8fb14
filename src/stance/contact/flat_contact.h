#pragma once

// Points of two flat faces, made fit for a problem that has a solution within reach.
//
// Impulses of four points on two faces are not unique: some combination of them moves nothing. If
// what is asked of their velocities is not one rigid motion's, be it by a nanometre over the step,
// impulses must wander along that combination until some point opens, and a solver that goes from
// point to point takes thousands of sweeps for it. So what is asked is made a rigid motion's:
// - the points, midway between two slightly tilted faces, are brought to one level, lest closing
//   about the edge that touches asks for a tangential velocity;
// - gaps are measured from a plane below all of them, so that all points may close together;
// - among several such contacts, gaps smaller than a band count as closed, and the plane goes
//   through what touches: contacts that are closed ask for nothing, however they are linked.

#include <span>
#include <vector>

#include "stance/collision/contact_point.h"
#include "stance/contact/parallel_faces.h"

namespace stance::contact {

// By how much a point may close before impulses resist, m, never negative.
struct Room {
  double alone = 0.0;   // where nothing but these two geometries touches
  double linked = 0.0;  // among others
};

// The band over a step of h seconds: so much less than what gravity closes in it that motions still
// converge with h.
double calc_band(double slop, double h);

// Levels the points and finds their room. Points of two geometries stand together. `room` keeps its
// memory.
void prepare_flat_contacts(double band, std::span<collision::ContactPoint> points,
                           ParallelFaces& faces, std::vector<Room>& room);

}  // namespace stance::contact
