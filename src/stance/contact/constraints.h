#pragma once

// The kinds of constraints of a step, and the one place that tells them apart by number: points
// first, then joint rows, then blocks of loops. A kind that is added here and not treated somewhere
// does not compile there.

#include <algorithm>
#include <span>

#include "stance/contact/contact_system.h"

namespace stance::contact {

// Numbers within ContactScratch: of points and contacts, joint_rows, loop_blocks.
struct PointNumber {
  int i;
};
struct JointRowNumber {
  int i;
};
struct LoopBlockNumber {
  int i;
};

// One function for every kind, made of lambdas.
template <class... Case>
struct Cases : Case... {
  using Case::operator()...;
};
template <class... Case>
Cases(Case...) -> Cases<Case...>;

// Numbers of all constraints run from 0 to here; those of a kind are what is left less its first.
struct Numbering {
  explicit Numbering(const ContactScratch& s)
      : rows(s.points.size()),
        loops(rows + static_cast<int>(s.joint_rows.size())),
        end(loops + static_cast<int>(s.loop_blocks.size())) {}

  // Calls the case of constraint i.
  template <class Visit>
  decltype(auto) visit(int i, Visit&& visit) const {
    if (i < rows) return visit(PointNumber{i});
    if (i < loops) return visit(JointRowNumber{i - rows});
    return visit(LoopBlockNumber{i - loops});
  }

  int rows, loops, end;  // first joint row, first block of a loop, one past the last
};

// Those of a group, in their order.
template <class Visit>
void visit_constraints(const ContactScratch& s, std::span<const int> members, Visit&& visit) {
  const Numbering numbering(s);
  for (const int i : members) numbering.visit(i, visit);
}

// All of them, in their order.
template <class Visit>
void visit_constraints(const ContactScratch& s, Visit&& visit) {
  const Numbering numbering(s);
  for (int i = 0; i < numbering.rows; ++i) visit(PointNumber{i});
  for (int i = numbering.rows; i < numbering.loops; ++i) visit(JointRowNumber{i - numbering.rows});
  for (int i = numbering.loops; i < numbering.end; ++i) visit(LoopBlockNumber{i - numbering.loops});
}

// The points of a group stand before its other constraints.
inline std::span<const int> find_points(const ContactScratch& s, std::span<const int> members) {
  const auto end = std::lower_bound(members.begin(), members.end(), s.points.size());
  return members.first(static_cast<std::size_t>(end - members.begin()));
}

// Whether a point only holds things apart that would come through each other (missed.h): those
// stand behind the others.
inline bool is_held(const ContactScratch& s, PointNumber at) {
  return at.i >= s.points.size() - s.held;
}

// What a constraint acts on: bodies, 0 being the world or none, or coordinates, -1 being none.
struct Ends {
  int body_a = 0, body_b = 0;
  int k1 = -1, k2 = -1;
};

inline Ends find_ends(const ContactScratch& s, PointNumber at) {
  return {s.points[at.i].body_a, s.points[at.i].body_b};
}
inline Ends find_ends(const ContactScratch& s, JointRowNumber at) {
  return {.k1 = s.joint_rows[at.i].k1, .k2 = s.joint_rows[at.i].k2};
}
inline Ends find_ends(const ContactScratch& s, LoopBlockNumber at) {
  return {s.loop_blocks[at.i].body_a, s.loop_blocks[at.i].body_b};
}

}  // namespace stance::contact
