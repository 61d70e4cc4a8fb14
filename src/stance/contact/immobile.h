#pragma once

// Contacts along which nothing can move: a link that overlaps the one it turns on, along the axis.
//
// No impulse changes the velocity along such a normal; its row of W is zero but for rounding, and
// whatever rounding leaves in u_free, divided by what it leaves in W, would be an impulse of any
// size, whose friction then holds the joint. Such points are no constraints. They are left out, and
// reported by the pairs they belong to.

#include "stance/contact/contact_system.h"

namespace stance::contact {

// Leaves them out of scratch.points and scratch.contacts, with their pairs in scratch.immobile.
// True if there are any: groups have to be found again. Only contacts between bodies of one tree,
// or of trees that do not float, are looked at: others can always move.
bool drop_immobile(const model::Model& model, const dynamics::Kinematics<double>& kin,
                   ContactScratch& scratch);

}  // namespace stance::contact
