#include "stance/haptics/probe_world.h"

#include "stance/dynamics/jacobian.h"

namespace stance::haptics {

ProbeWorld::ProbeWorld(const sim::World& world)
    : world_(&world),
      p_WB_(world.model.nbody),
      poses_(world.shapes),
      maker_(world.model),
      frame_of_(world.model.nbody),
      forward_(world.model),
      answers_(world.model),
      wrenches_(world.model.nbody),
      none_(world.model.nv),
      answer_(world.model.nv) {
  // the frame by which a body can be named: one that coincides with it, else its first
  for (int k = 0; k < static_cast<int>(world.model.frames.size()); ++k) {
    const model::FrameIndex f(k);
    const model::Frame& frame = world.model.frames[f];
    model::FrameIndex& best = frame_of_[frame.body];
    const bool coincides = norm(frame.p_BF) == 0.0;
    if (!best.valid() || (coincides && norm(world.model.frames[best].p_BF) != 0.0)) best = f;
  }
}

void ProbeWorld::update(const sim::StepView& view) {
  h_ = view.h;
  bodies_ = &view.scratch.end;
  for (int b = 0; b < model().nbody; ++b)
    p_WB_[b] = kin().calc_position(model(), model::BodyIndex(b), Vec3d());
  update_poses(shapes(), kin().R_WB, p_WB_, poses_);
}

Vec3d ProbeWorld::calc_velocity(model::BodyIndex body, const Vec3d& p_B) const {
  return calc_point_velocity(kin(), bodies_->vel(), body, p_B);
}

Vec3d ProbeWorld::calc_point(model::BodyIndex body, const Vec3d& p_W) const {
  return transpose_mul(kin().R_WB[body], p_W - p_WB_[body]);
}

double ProbeWorld::calc_mobility(model::BodyIndex body, const Vec3d& p_B, const Vec3d& n) {
  const Vec3d r = kin().p_OB[body] + kin().R_WB[body] * p_B;
  wrenches_[body] = kernel::Force<double>{cross(r, n), n};
  apply_inverse_mass(
      model(), kin(), bodies_->find_articulated(model()), std::span<const double>(none_),
      std::span<const kernel::Force<double>>(wrenches_), forward_, std::span<double>(answer_));
  wrenches_[body] = {};
  update_velocities(model(), kin(), std::span<const double>(answer_), answers_);
  return dot(n, calc_point_velocity(kin(), answers_, body, p_B));
}

}  // namespace stance::haptics
