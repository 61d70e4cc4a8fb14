#pragma once

// Contacts along which nothing can move: a link that overlaps the one it turns on, along the axis.
//
// No impulse changes the velocity along such a normal; its row of W is zero but for rounding, and
// whatever rounding leaves in u_free, divided by what it leaves in W, would be an impulse of any
// size, whose friction then holds the joint. An axis that is upright but for the digits of a file
// (1.5708 for a quarter turn) gives W a lever of microradians: impulses of 1e9 N, and turns by any
// angle to take back a micrometre of overlap. Such points are no constraints. They are left out,
// and reported by the pairs they belong to.
//
// A point counts as immobile where no coordinate moves it along its normal by more than 1e-4 of
// what the same coordinate moves it, or the far end of its body, in any direction. What is left out
// closes that slowly: a joint that turns by 1 rad/s brings a body of 0.1 m nearer by 1e-5 m/s.

#include "stance/contact/contact_system.h"

namespace stance::contact {

// Leaves them out of scratch.points and scratch.contacts, with their pairs in scratch.immobile.
// True if there are any: groups have to be found again. Only contacts between bodies of one tree,
// or of trees that do not float, are looked at: others can always move.
bool drop_immobile(const model::Model& model, const dynamics::Kinematics<double>& kin,
                   ContactScratch& scratch);

}  // namespace stance::contact
