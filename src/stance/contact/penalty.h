#pragma once

// Penalty laws: contact impulses h f of a group from gaps and velocities at the start of the step.

#include <span>

#include "stance/contact/contact_system.h"
#include "stance/contact/law_status.h"

namespace stance::contact {

// Stands where the solver stands for the other laws, options.law saying which: work.problem and
// work.p are made, all points of the group touch, and p becomes the answer. Joint limits, dry
// friction, mimics and loops of the group stay what they are and are solved with the contact forces
// given, or with penalty_fbl together. Classical forces are given by a formula, which leaves
// nothing to converge but those others.
[[nodiscard]] LawStatus solve_penalty(const ContactOptions& options,
                                      const solver::SolveOptions& how, std::span<const int> members,
                                      double h, ContactScratch& scratch, GroupWork& work);

}  // namespace stance::contact
