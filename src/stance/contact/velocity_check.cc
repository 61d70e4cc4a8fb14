#include "stance/contact/velocity_check.h"

#include <algorithm>
#include <cmath>

#include "stance/contact/constraints.h"

namespace stance::contact {

using dynamics::Kinematics;
using model::Model;

namespace {

// What the bodies say, row by row, against what was solved for.
struct VelocityCheck {
  const Model& model;
  const Kinematics<double>& kin;
  std::span<const Motion<double>> V;
  std::span<const double> v;
  const ContactScratch& s;
  VelocityError result{};

  // Of a's point against b's; the world stands still.
  Vec3d calc_slip(int body_a, int body_b, const Vec3d& p_a, const Vec3d& p_b) const {
    const auto velocity = [&](int body, const Vec3d& p_W) {
      if (body == 0) return Vec3d();
      return V[body].lin + cross(V[body].ang, p_W - kin.p_WO[model.tree[body]]);
    };
    return velocity(body_a, p_a) - velocity(body_b, p_b);
  }
  Vec3d calc_spin(int body_a, int body_b) const {
    const Vec3d spin_a = body_a == 0 ? Vec3d() : V[body_a].ang;
    return body_b == 0 ? spin_a : spin_a - V[body_b].ang;
  }
  void compare(double by_bodies, double solved) {
    const double error = std::abs(by_bodies - solved);
    if (!(error <= result.worst)) result.worst = error;
    result.fastest = std::max(result.fastest, std::abs(solved));
  }

  void operator()(PointNumber at) {
    const collision::ContactPoint& point = s.points[at.i];
    const PointContact& contact = s.contacts[at.i];
    const Vec3d directions[3] = {point.n_W, contact.t1, contact.t2};
    const Vec3d slip = calc_slip(point.body_a, point.body_b, point.p_W, point.p_W);
    for (int k = 0; k < 3; ++k) compare(dot(directions[k], slip) + contact.turn[k], contact.u[k]);
    if (!contact.material.has_spin()) return;
    const Vec3d spin = calc_spin(point.body_a, point.body_b);
    for (int k = 0; k < 3; ++k) compare(dot(directions[k], spin), contact.w[k]);
  }
  void operator()(JointRowNumber at) {
    const JointRow& row = s.joint_rows[at.i];
    compare(row.c1 * v[row.k1] + (row.k2 >= 0 ? row.c2 * v[row.k2] : 0.0), row.u);
  }
  void operator()(LoopBlockNumber at) {
    const LoopBlock& block = s.loop_blocks[at.i];
    const Vec3d x = block.is_turn ? calc_spin(block.body_a, block.body_b)
                                  : calc_slip(block.body_a, block.body_b, block.p_a, block.p_b);
    for (int k = 0; k < block.rows; ++k)
      compare(dot(block.directions[k], x) + block.turn[k], block.u[k]);
  }
};

}  // namespace

VelocityError calc_velocity_error(const Model& model, const Kinematics<double>& kin,
                                  std::span<const Motion<double>> V, std::span<const double> v,
                                  const ContactScratch& s) {
  VelocityCheck check{model, kin, V, v, s};
  visit_constraints(s, check);
  return check.result;
}

}  // namespace stance::contact
