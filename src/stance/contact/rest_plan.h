#pragma once

// When the impulses of a group that comes to rest are made exact (README.md). Small, and asked for
// every group in every step: inline.

#include <algorithm>
#include <span>

#include "stance/contact/contact_system.h"
#include "stance/solver/solve.h"

namespace stance::contact {

// The plan of a group is that of the tree that waits longest.
inline RestPlan find_rest_plan(std::span<const int> members, const ContactScratch& s) {
  RestPlan plan;
  const auto add = [&](int tree) {
    if (tree < 0) return;
    const RestPlan& own = s.rest[tree];
    plan.is_halfway = plan.is_halfway || own.is_halfway;
    plan.wait = std::max(plan.wait, own.wait), plan.span = std::max(plan.span, own.span);
  };
  for (const int i : members) add(s.trees[i].a), add(s.trees[i].b);
  return plan;
}

inline void set_rest_plan(std::span<const int> members, const RestPlan& plan, ContactScratch& s) {
  const auto set = [&](int tree) {
    if (tree >= 0) s.rest[tree] = plan;
  };
  for (const int i : members) set(s.trees[i].a), set(s.trees[i].b);
}

// Impulses of what comes to rest are made exact in two steps, one after the other (body_still.cc).
inline void follow(const RestPlan& plan, solver::SolveOptions& how) {
  // of the tolerance: impulses so good serve once more, and so good right after they were made
  // exact once
  constexpr double kSettled = 1e-4, kStill = 1e-6;
  how.hold_still = plan.is_halfway || plan.wait == 0;
  how.settled = plan.is_halfway ? kStill : kSettled;
}

// What it costs is made up for by as many steps at least. Where it does not last, since forces
// still change, each try comes twice as late as the last; where it fails, much later.
inline RestPlan update(const RestPlan& plan, const solver::SolveStatus& status) {
  constexpr int kLongest = 512, kFailed = 8;
  RestPlan next = plan;
  next.wait = std::max(plan.wait - 1, 0);
  next.is_halfway = false;
  if (status.start != solver::StartGrade::kNear) {
    next.span = std::max(plan.span - 1, RestPlan::kShortest);
  } else if (plan.wait == 0 && !plan.is_halfway) {
    next.is_halfway = status.still_steps > 0 && status.sweeps == 0;
    next.wait = std::max(plan.span, (next.is_halfway ? 1 : kFailed) * status.still_steps);
    next.span = std::min(2 * plan.span, kLongest);
  }
  return next;
}

}  // namespace stance::contact
