#include "dynamics/operation_counts.h"

#include <utility>

#include "stance/kernel/assert.h"

namespace stance::bench {

using dynamics::DelassusMethod;
using kernel::Counted;
using model::Model;

namespace {

OperationCount take_count() { return std::exchange(Counted::count(), OperationCount()); }

// Joints between a body and its base.
int calc_depth(const Model& model, int body) {
  int depth = 0;
  for (; body != 0 && !dynamics::is_free_root(model, body); body = model.parent[body]) ++depth;
  return depth;
}

// Joints between two bodies of one tree.
int calc_distance(const Model& model, int i, int j) {
  int distance = 0;
  // parents have smaller numbers: the larger one climbs
  for (; i != j; ++distance) (i > j ? i : j) = model.parent[i > j ? i : j];
  return distance;
}

}  // namespace

MethodCounts count_operations(const Model& model, const std::vector<double>& q,
                              const std::vector<dynamics::ContactPoint>& points,
                              DelassusMethod method) {
  STANCE_DEMAND(method != DelassusMethod::kDirect);
  dynamics::Kinematics<Counted> kin(model);
  dynamics::Inertias<Counted> inertias(model);
  dynamics::Articulated<Counted> art(model);
  dynamics::ContactSet contacts(model);
  dynamics::Delassus<Counted> delassus(model);

  // the free pass, which does not count
  const std::vector<Counted> q_counted(q.begin(), q.end());
  dynamics::update_kinematics<Counted>(model, q_counted, kin);
  dynamics::update_inertias(model, kin, inertias);
  dynamics::update_articulated<Counted>(model, kin, inertias, {}, art);
  contacts.set(model, points);
  dynamics::update_points(model, kin, contacts, delassus);

  MethodCounts counts;
  take_count();
  if (method != DelassusMethod::kPerPoint) {
    dynamics::update_omega(method, model, kin, art, contacts, delassus);
    counts.omega = take_count();
  }
  dynamics::update_lambda(method, model, kin, art, contacts, delassus);
  counts.lambda = take_count();
  return counts;
}

PaperNumbers calc_paper_numbers(const Model& model, const dynamics::ContactSet& contacts) {
  PaperNumbers n;
  n.C = contacts.num_bodies();
  n.m = contacts.num_points();
  for (int body : contacts.visited()) n.b += dynamics::is_free_root(model, body) ? 0 : 1;
  for (const dynamics::ContactPoint& point : contacts.points())
    n.B_m += calc_depth(model, point.body);
  for (int j : contacts.bodies()) {
    n.B_C += calc_depth(model, j);
    for (int i : contacts.bodies())
      if (i < j && model.tree[i] == model.tree[j]) n.a_C += calc_distance(model, i, j);
  }
  return n;
}

bool has_formula(DelassusMethod method) {
  return method == DelassusMethod::kPerPoint || method == DelassusMethod::kChangKhatib ||
         method == DelassusMethod::kSixPerBody;
}

// Tables 1 to 3 of the paper: multiplications and divisions, then additions and subtractions.
OperationCount calc_paper_count(DelassusMethod method, const PaperNumbers& n) {
  const long long C = n.C, m = n.m, b = n.b, pairs = m * (m + 1) / 2;
  switch (method) {
    case DelassusMethod::kPerPoint:
      return {144 * m + 39 * b * m + 36 * n.B_m + 27 * pairs,
              99 * m + 36 * b * m + 21 * n.B_m + 27 * pairs};
    case DelassusMethod::kChangKhatib:
      return {286 + 153 * b + 72 * n.a_C + 54 * C * m + 27 * pairs,
              235 + 179 * b + 66 * n.a_C + 54 * C * m + 27 * pairs};
    case DelassusMethod::kSixPerBody:
      return {252 * C + 78 * C * b + 72 * n.B_C + 54 * C * m + 27 * pairs,
              180 * C + 72 * C * b + 42 * n.B_C + 54 * C * m + 27 * pairs};
    default: return {};
  }
}

}  // namespace stance::bench
