#include "stance/sim/penetration.h"

#include <algorithm>

#include "stance/collision/find_contacts.h"

namespace stance::sim {

double calc_penetration(const World& w, const State& x) {
  dynamics::Kinematics<double> kin(w.model);
  update_kinematics(w.model, std::span<const double>(x.q), kin);
  std::vector<Vec3d> p_WB(w.model.nbody);
  for (int i = 1; i < w.model.nbody; ++i) p_WB[i] = kin.p_WO[w.model.tree[i]] + kin.p_OB[i];
  collision::CollisionScratch scratch(w.shapes);
  collision::ContactBuffer points(w.contact.capacity);
  for (;;) {
    find_contacts(w.shapes, kin.R_WB, p_WB, 0.0, scratch, points);
    if (points.lacking() == 0) break;
    points.make_room(points.size() + points.lacking());
  }
  double deepest = 0.0;
  for (const collision::ContactPoint& point : points.points())
    deepest = std::max(deepest, -point.gap);
  return deepest;
}

}  // namespace stance::sim
