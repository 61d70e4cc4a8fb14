#include "stance/sim/fall.h"

#include <algorithm>
#include <cmath>

namespace stance::sim {

Vec3d find_up(const World& world) {
  const double g = norm(world.gravity);
  return g > 0.0 ? (-1.0 / g) * world.gravity : Vec3d(0.0, 0.0, 0.0);
}

namespace {

using Kin = dynamics::Kinematics<double>;

// Lowest point along `up` of the shapes of a tree.
double find_lowest(const World& world, const Kin& kin, int tree, const Vec3d& up) {
  const model::Model& model = world.model;
  double lowest = model::kInfinity;
  for (int k = 0; k < world.shapes.size(); ++k) {
    const collision::Placement& at = world.shapes.placements[k];
    if (at.body == 0 || model.tree[at.body] != tree) continue;
    const kernel::Mat3d R_WG = kin.R_WB[at.body] * at.R_BG;
    const Vec3d p_WG = kin.calc_position(model, model::BodyIndex(at.body), at.p_BG);
    const collision::Convex& shape = world.shapes.convex[k];
    const Vec3d down = transpose(R_WG) * (-1.0 * up);
    const Vec3d p_W = p_WG + R_WG * find_core_support(shape, down).p;
    lowest = std::min(lowest, dot(up, p_W) - shape.rounding);
  }
  return lowest;
}

}  // namespace

FallWatch::FallWatch(const World& world, const State& start, model::BodyIndex base)
    : tree_(world.model.tree[base]), up_(find_up(world)) {
  const model::Model& model = world.model;
  Scratch scratch(world);
  const Kin& kin = scratch.start.kin();
  scratch.start.update(model, start.q, start.v);
  for (int i = 1; i < model.nbody; ++i) {
    if (model.tree[i] != tree_) continue;
    mass_ += model.mass[i];
    if (trunk_ == 0 || model.mass[i] > model.mass[trunk_]) trunk_ = i;
  }
  up_B_ = transpose(kin.R_WB[trunk_]) * up_;
  ground_ = find_lowest(world, kin, tree_, up_);
  height_ = calc_height(calc_com(world, scratch));
}

Vec3d FallWatch::calc_com(const World& world, const Scratch& scratch) const {
  const model::Model& model = world.model;
  Vec3d a, b;  // side by side: one would wait for each term
  const auto add = [&](int i, Vec3d& to) {
    if (model.tree[i] == tree_) to = madd(model.mass[i], scratch.start.inertias().p_OC[i], to);
  };
  int i = model.tree_root[tree_];
  for (; i + 1 < model.nbody; i += 2) add(i, a), add(i + 1, b);
  if (i < model.nbody) add(i, a);
  return scratch.start.kin().p_WO[tree_] + (1.0 / mass_) * (a + b);
}

bool FallWatch::is_down(const Kin& kin, const Vec3d& com) const {
  if (dot(up_, up_) == 0.0) return false;
  const double upright = dot(up_, kin.R_WB[trunk_] * up_B_);
  return upright < std::cos(kTilt) || calc_height(com) < 0.5 * height_;
}

}  // namespace stance::sim
