#pragma once

// Everything that acts on links from outside in a step: contacts, loops, Input.

#include <utility>

#include "stance/sim/channel.h"

namespace stance::sim {

// A force and a torque at a point, world axes.
struct LinkWrench {
  int body = 0;
  model::FrameIndex link{};  // of the body; none: its first
  Vec3d p_W{}, force{}, torque{};
};

// Impulse of contact point k on its body a, over the step's h: force and torque.
inline LinkWrench calc_contact_force(const contact::ContactScratch& scratch, int k, double h) {
  const collision::ContactPoint& point = scratch.points[k];
  const contact::PointContact& c = scratch.contacts[k];
  const auto combine = [&](const Vec3d& p) {
    return (1.0 / h) * madd(p[0], point.n_W, madd(p[1], c.t1, p[2] * c.t2));
  };
  return {
      point.body_a, {}, point.p_W, combine(c.p), c.material.has_spin() ? combine(c.spin) : Vec3d()};
}

// The same at a point of another body, the other way.
inline LinkWrench make_opposite(const LinkWrench& w, int body, model::FrameIndex link,
                                const Vec3d& p_W) {
  return {body, link, p_W, -1.0 * w.force, -1.0 * w.torque};
}

// Calls f with what loops do, to the world too.
template <class F>
void for_each_loop_wrench(const StepView& view, F&& f) {
  for (const contact::LoopBlock& block : view.scratch.contact.loop_blocks) {
    Vec3d sum;
    for (int k = 0; k < block.rows; ++k) sum = madd(block.p[k] / view.h, block.directions[k], sum);
    const LoopLinks& links = view.world.loop_links[block.loop];
    LinkWrench on_a{block.body_a, links.a, block.p_a, sum, {}};
    if (block.is_turn) std::swap(on_a.force, on_a.torque);
    f(on_a);
    f(make_opposite(on_a, block.body_b, links.b, block.p_b));
  }
}

// Calls f with everything, on the world too. `geometry_link` has the link of every geometry.
template <class F>
void for_each_wrench(const StepView& view, std::span<const model::FrameIndex> geometry_link,
                     F&& f) {
  const contact::ContactScratch& s = view.scratch.contact;
  for (int k = 0; k < s.points.size(); ++k) {
    const collision::ContactPoint& point = s.points[k];
    LinkWrench on_a = calc_contact_force(s, k, view.h);
    on_a.link = geometry_link[point.geometry_a];
    f(on_a);
    f(make_opposite(on_a, point.body_b, geometry_link[point.geometry_b], point.p_W));
  }
  for_each_loop_wrench(view, f);
  for (const PointWrench& given : view.scratch.pushes)
    f(LinkWrench{given.body, given.link,
                 view.scratch.frame.kin().calc_position(view.world.model, given.body, given.p_BP),
                 given.force, given.torque});
}

}  // namespace stance::sim
