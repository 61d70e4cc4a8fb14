#include "stance/contact/joint_rows.h"

#include <algorithm>
#include <cmath>

namespace stance::contact {

using model::Model;

JointRowSources::JointRowSources(const Model& model) {
  for (int k = 0; k < model.nv; ++k) {
    if (model.joint_nv(model.dof_body[k]) == 1 &&
        (std::isfinite(model.lower[k]) || std::isfinite(model.upper[k])))
      limited.push_back(k);
    if (model.friction[k] > 0.0) rubbing.push_back(k);
  }
}

void find_joint_rows(const Model& model, const JointRowSources& sources, std::span<const double> q,
                     std::span<const double> v, std::span<const double> v_free, double h,
                     double margin, const WarmStart& warm, std::vector<JointRow>& rows) {
  rows.clear();
  const auto add = [&](JointRowKind kind, int index, int k1, double c1, double p) -> JointRow& {
    JointRow& row = rows.emplace_back();
    row.kind = kind, row.index = index, row.k1 = k1, row.c1 = c1, row.p = p;
    row.u_before = c1 * v[k1], row.u_free = c1 * v_free[k1];
    return row;
  };
  for (const int k : sources.limited) {
    const double angle = q[model.q_start[model.dof_body[k]]];
    const double slowest = h * std::min(v[k], v_free[k]), fastest = h * std::max(v[k], v_free[k]);
    // the impulse of a limit pushes away from it: the sign tells which of the two it was
    if (angle - model.lower[k] + slowest < margin)
      add(JointRowKind::kLimit, k, k, 1.0, std::max(warm.limit[k], 0.0)).gap =
          angle - model.lower[k];
    if (model.upper[k] - angle - fastest < margin)
      add(JointRowKind::kLimit, k, k, -1.0, std::max(-warm.limit[k], 0.0)).gap =
          model.upper[k] - angle;
  }
  for (const int k : sources.rubbing)
    add(JointRowKind::kFriction, k, k, 1.0, warm.friction[k]).bound = h * model.friction[k];
  for (int m = 0; m < static_cast<int>(model.mimics.size()); ++m) {
    const model::Mimic& mimic = model.mimics[m];
    const int follower = model.v_start[mimic.follower], leader = model.v_start[mimic.leader];
    JointRow& row = add(JointRowKind::kMimic, m, follower, 1.0, warm.mimic[m]);
    row.k2 = leader, row.c2 = -mimic.ratio;
    row.u_before += row.c2 * v[leader], row.u_free += row.c2 * v_free[leader];
    row.gap = q[model.q_start[mimic.follower]] -
              (mimic.ratio * q[model.q_start[mimic.leader]] + mimic.offset);
  }
}

solver::Block make_block(const JointRow& row) {
  solver::Block block;
  block.rows = 1;
  switch (row.kind) {
    case JointRowKind::kLimit: block.law = solver::Law::kUnilateral; break;
    case JointRowKind::kFriction: block.law = solver::Law::kBox; break;
    case JointRowKind::kMimic: block.law = solver::Law::kBilateral; break;
  }
  block.bound = row.bound;
  return block;
}

double calc_shift(const JointRow& row, double h) {
  return row.kind == JointRowKind::kLimit ? std::max(row.gap, 0.0) / h : 0.0;
}

}  // namespace stance::contact
