#pragma once

// Constraints on single coordinates: joint limits, dry friction, mimic joints. Each is one row of
// the group's problem, solved in the same loop as contacts.

#include <span>
#include <vector>

#include "stance/contact/contact_state.h"
#include "stance/model/model.h"
#include "stance/solver/contact_problem.h"

namespace stance::contact {

enum class JointRowKind { kLimit, kFriction, kMimic };

// u = c1 v[k1] + c2 v[k2], and what it must obey.
struct JointRow {
  JointRowKind kind = JointRowKind::kLimit;
  int index = 0;         // coordinate, or mimic
  int k1 = -1, k2 = -1;  // coordinates; k2 is -1 but for mimics
  double c1 = 1.0, c2 = 0.0;
  double gap = 0.0;    // limit: what is left, negative beyond it; mimic: the error; rad or m
  double bound = 0.0;  // friction: N m s or N s
  double u_before = 0.0, u_free = 0.0, u = 0.0;
  double p = 0.0;  // impulse
};

// What does not change.
struct JointRowSources {
  explicit JointRowSources(const model::Model& model);

  std::vector<int> limited, rubbing;  // coordinates with a limit, with dry friction
};

// The rows of this step: every friction and mimic, and limits that could be reached in it (within
// `margin`).
void find_joint_rows(const model::Model& model, const JointRowSources& sources,
                     std::span<const double> q, std::span<const double> v,
                     std::span<const double> v_free, double h, double margin, const WarmStart& warm,
                     std::vector<JointRow>& rows);

// The law of a row, and u_free with the gap that a limit leaves.
solver::Block make_block(const JointRow& row);
double calc_shift(const JointRow& row, double h);

}  // namespace stance::contact
