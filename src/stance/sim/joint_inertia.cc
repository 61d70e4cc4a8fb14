#include "stance/sim/joint_inertia.h"

#include <algorithm>

namespace stance::sim {
namespace {

constexpr double kStanding = 1e-3;  // m: as near as this to the world stands on it

// Bodies that touch the world.
std::vector<char> find_standing(const World& world, const Scratch& scratch) {
  std::vector<char> stands(world.model.nbody, 0);
  for (const collision::ContactPoint& point : scratch.contact.points.points()) {
    if (point.body_a == 0) stands[point.body_b] = 1;
    if (point.body_b == 0) stands[point.body_a] = 1;
  }
  return stands;
}

}  // namespace

std::vector<double> calc_carried_inertias(const World& world, const State& state) {
  const model::Model& model = world.model;
  Scratch scratch(world);
  scratch.start.update(model, state.q, state.v);
  contact::find(model, world.shapes, scratch.start.kin(), kStanding, scratch.contact);
  const std::vector<char> stands = find_standing(world, scratch);

  std::vector<double> inertias(model.nv, 0.0);
  for (int joint = 1; joint < model.nbody; ++joint) {
    if (model.joint_nv(joint) != 1) continue;
    const kernel::Mat3d& R_WJ = scratch.start.kin().R_WB[joint];
    const Vec3d axis = R_WJ * model.axis[joint];
    const Vec3d origin =
        scratch.start.kin().calc_position(model, model::BodyIndex(joint), Vec3d(0.0, 0.0, 0.0));
    const bool is_slide = model.joint_type[joint] == model::JointType::kPrismatic;
    double hanging = 0.0, rest = 0.0;
    bool hanging_stands = false, rest_stands = false;
    std::vector<char> hangs(model.nbody, 0);
    for (int i = 1; i < model.nbody; ++i) {
      if (model.tree[i] != model.tree[joint]) continue;
      hangs[i] = i == joint || hangs[model.parent[i]];
      // about the axis: a.(R I R^T) a + m |a x r|^2
      const Vec3d a_B = transpose(scratch.start.kin().R_WB[i]) * axis;
      const Vec3d r =
          scratch.start.kin().calc_position(model, model::BodyIndex(i), model.com[i]) - origin;
      const Vec3d lever = cross(axis, r);
      const double moved =
          is_slide ? model.mass[i]
                   : dot(a_B, model.inertia[i] * a_B) + model.mass[i] * dot(lever, lever);
      (hangs[i] ? hanging : rest) += moved;
      if (stands[i]) (hangs[i] ? hanging_stands : rest_stands) = true;
    }
    const int root = model.tree_root[model.tree[joint]];
    const bool is_free = model.joint_type[root] == model::JointType::kFree;
    const int k = model.v_start[joint];
    const double stood_on = rest_stands ? std::max(hanging, rest) : rest;
    inertias[k] = (is_free && hanging_stands ? stood_on : hanging) + model.rotor_inertia[k];
  }
  return inertias;
}

}  // namespace stance::sim
