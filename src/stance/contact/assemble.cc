// Constraints of a step: their frames and velocities, their groups, and how what they act on
// responds.

#include <algorithm>
#include <cmath>

#include "stance/contact/constraints.h"
#include "stance/contact/flat_contact.h"
#include "stance/contact/immobile.h"
#include "stance/contact/missed.h"
#include "stance/contact/tangents.h"
#include "stance/contact/warm_start.h"

namespace stance::contact {

using collision::ContactPoint;
using dynamics::Kinematics;
using model::Model;

namespace {

// Velocity of a body's point at r from O.
Vec3d calc_speed(const Motion<double>& V, const Vec3d& r) { return V.lin + cross(V.ang, r); }

// Relative velocity of two bodies, before and without impulses.
struct RelativeMotion {
  Vec3d then, now;
};

RelativeMotion calc_slip(const Model& model, const Kinematics<double>& kin,
                         const StepMotion& motion, int body_a, int body_b, const Vec3d& p_a,
                         const Vec3d& p_b) {
  RelativeMotion at;
  if (body_a != 0) {
    const Vec3d r = p_a - kin.p_WO[model.tree[body_a]];
    at.then = calc_speed(motion.before[body_a], r), at.now = calc_speed(motion.free[body_a], r);
  }
  if (body_b != 0) {
    const Vec3d r = p_b - kin.p_WO[model.tree[body_b]];
    at.then -= calc_speed(motion.before[body_b], r), at.now -= calc_speed(motion.free[body_b], r);
  }
  return at;
}

RelativeMotion calc_spin(const StepMotion& motion, int body_a, int body_b) {
  RelativeMotion at;
  if (body_a != 0) at.then = motion.before[body_a].ang, at.now = motion.free[body_a].ang;
  if (body_b != 0) at.then -= motion.before[body_b].ang, at.now -= motion.free[body_b].ang;
  return at;
}

// Acceleration of a contact's point on one of its bodies while v stays as it is: B of paper R,
// equation 16. `out` points from the body to the other one. A corner turns with its body; on a
// round surface the point stays where the surface is nearest to the other body.
Vec3d calc_bias(const Model& model, const Kinematics<double>& kin, const StepMotion& motion,
                int body, const Round& round, const ContactPoint& point, const Vec3d& out) {
  const Vec3d r = point.p_W - kin.p_WO[model.tree[body]];
  Vec3d carrier = r;
  if (round.radius > 0.0) {
    Vec3d radial = out;
    if (round.has_axis) {
      const Vec3d axis = kin.R_WB[body] * round.axis_B;
      radial = nmadd(dot(axis, out), axis, out);
    }
    const double size = norm(radial);
    // the contact's point lies half the gap outside of the surface
    if (size > 1e-9) carrier = nmadd(round.radius / size, radial, nmadd(0.5 * point.gap, out, r));
  }
  const Motion<double>&V = motion.before[body], &A = motion.bias[body];
  return A.lin + cross2(A.ang, r, V.ang, V.lin + cross(V.ang, carrier));
}

// Components along three directions.
Vec3d resolve(const Vec3d directions[3], const Vec3d& x) {
  return {dot(directions[0], x), dot(directions[1], x), dot(directions[2], x)};
}

// Whether two points have the same materials and tangents.
bool is_like(const ContactPoint& a, const ContactPoint& b) {
  return a.geometry_a == b.geometry_a && a.geometry_b == b.geometry_b && a.n_W[0] == b.n_W[0] &&
         a.n_W[1] == b.n_W[1] && a.n_W[2] == b.n_W[2];
}

// Frames, materials, velocities of the points that can close within the step; the others go.
void assemble_points(const Model& model, const MaterialTable& materials,
                     const Kinematics<double>& kin, const StepMotion& motion,
                     const ContactOptions& options, double h, ContactScratch& s) {
  s.contacts.clear(), s.spare.clear();
  const std::span<ContactPoint> points = s.points.points();
  prepare_flat_contacts(calc_band(options.slop, h), points, s.faces, s.room);
  const ContactPoint* last = nullptr;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const ContactPoint& point = points[k];
    const RelativeMotion slip =
        calc_slip(model, kin, motion, point.body_a, point.body_b, point.p_W, point.p_W);
    const double approach = std::min(dot(point.n_W, slip.then), dot(point.n_W, slip.now));
    if (is_penalty(options.law)
            ? point.gap > 0.0
            : point.gap + h * approach > options.margin || is_passing(point, options, *s.search)) {
      if (!is_penalty(options.law)) s.spare.push_back(point);
      continue;
    }
    ContactPoint& kept = points[s.contacts.size()];
    if (&kept != &point) kept = point;
    PointContact& contact = s.contacts.emplace_back();
    contact.room = s.room[k];
    if (last != nullptr && is_like(*last, kept)) {
      const PointContact& other = *(&contact - 1);
      contact.t1 = other.t1, contact.t2 = other.t2, contact.material = other.material;
    } else {
      calc_tangents(kept.n_W, contact.t1, contact.t2);
      contact.material =
          materials.pair(s.material_of[kept.geometry_a], s.material_of[kept.geometry_b]);
      if (is_penalty(options.law))  // these have no law for spin
        contact.material.torsion_friction = contact.material.rolling_friction = 0.0;
    }
    last = &kept;
    const Vec3d directions[3] = {kept.n_W, contact.t1, contact.t2};
    contact.u_before = resolve(directions, slip.then);
    contact.u_free = resolve(directions, slip.now);
    if (options.law == ContactLaw::kPenaltyFbl) {
      Vec3d bias{};
      if (kept.body_a != 0)
        bias = calc_bias(model, kin, motion, kept.body_a, s.round_of[kept.geometry_a], kept,
                         -kept.n_W);
      if (kept.body_b != 0)
        bias -=
            calc_bias(model, kin, motion, kept.body_b, s.round_of[kept.geometry_b], kept, kept.n_W);
      contact.bias = resolve(directions, bias);
    }
    if (!contact.material.has_spin()) continue;
    const RelativeMotion spin = calc_spin(motion, kept.body_a, kept.body_b);
    contact.w_before = resolve(directions, spin.then);
    contact.w_free = resolve(directions, spin.now);
  }
  s.points.shrink(static_cast<int>(s.contacts.size()));
}

void assemble_loops(const Model& model, std::span<const Loop> loops, const Kinematics<double>& kin,
                    const StepMotion& motion, ContactScratch& s) {
  find_loop_blocks(model, loops, kin, s.loop_blocks);
  for (LoopBlock& block : s.loop_blocks) {
    const RelativeMotion at = block.is_turn ? calc_spin(motion, block.body_a, block.body_b)
                                            : calc_slip(model, kin, motion, block.body_a,
                                                        block.body_b, block.p_a, block.p_b);
    block.u_before = resolve(block.directions, at.then);
    block.u_free = resolve(block.directions, at.now);
  }
}

void find_groups(const Model& model, ContactScratch& s) {
  s.trees.clear();
  const auto tree_of = [&](int body, int k) {
    if (k >= 0) return model.tree[model.dof_body[k]];
    return body == 0 ? -1 : model.tree[body];
  };
  visit_constraints(s, [&](auto at) {
    const Ends ends = find_ends(s, at);
    s.trees.push_back({tree_of(ends.body_a, ends.k1), tree_of(ends.body_b, ends.k2)});
  });
  s.groups.update(s.trees);
}

// Omega of the bodies and columns of the coordinates that something acts on.
void update_responses(const Model& model, const Kinematics<double>& kin,
                      const dynamics::Articulated<double>& art, ContactScratch& s) {
  for (const dynamics::ContactPoint& old : s.body_points) s.number_of[old.body] = -1;
  s.body_points.clear(), s.coordinates.clear();
  const auto add_body = [&](int body) {
    if (body == 0 || s.number_of[body] >= 0) return;
    s.number_of[body] = 0;
    s.body_points.push_back({model::BodyIndex(body), {}});
  };
  const auto add_coordinate = [&](int k) {
    if (k >= 0) s.coordinates.push_back(k);
  };
  visit_constraints(s, [&](auto at) {
    const Ends ends = find_ends(s, at);
    add_body(ends.body_a), add_body(ends.body_b);
    add_coordinate(ends.k1), add_coordinate(ends.k2);
  });
  s.bodies.set(model, s.body_points);
  for (int k = 0; k < s.bodies.num_bodies(); ++k) s.number_of[s.bodies.bodies()[k]] = k;
  update_points(model, kin, s.bodies, s.omega);
  update_omega(dynamics::DelassusMethod::kSkeleton, model, kin, art, s.bodies, s.omega);

  std::sort(s.coordinates.begin(), s.coordinates.end());
  s.coordinates.erase(std::unique(s.coordinates.begin(), s.coordinates.end()), s.coordinates.end());
  s.response.set(model, s.coordinates);
  s.response.update(model, kin, art);
}

// Contact points of bodies at s.p_WB, all of them.
void find_all(const collision::CollisionModel& shapes, const Kinematics<double>& kin,
              std::span<const collision::Reach> reach, double margin, ContactScratch& s) {
  for (;;) {
    find_contacts(shapes, kin.R_WB, s.p_WB, reach, margin, s.collision, s.points);
    if (s.points.lacking() == 0 || s.points.capacity() >= s.most_points) return;
    const int wanted = s.points.size() + s.points.lacking();
    make_room(std::min(wanted + wanted / 2, s.most_points), s);
  }
}

}  // namespace

void find(const Model& model, const collision::CollisionModel& shapes,
          const Kinematics<double>& kin, double margin, ContactScratch& s) {
  for (int i = 1; i < model.nbody; ++i) s.p_WB[i] = kin.p_WO[model.tree[i]] + kin.p_OB[i];
  find_all(shapes, kin, {}, margin, s);
  s.search->passing.clear();
}

void find(const Model& model, const collision::CollisionModel& shapes,
          const Kinematics<double>& kin, std::span<const Motion<double>> before,
          std::span<const Motion<double>> free, double margin, double h, ContactScratch& s) {
  for (int i = 1; i < model.nbody; ++i) {
    s.p_WB[i] = kin.p_WO[model.tree[i]] + kin.p_OB[i];
    const Vec3d v = calc_speed(before[i], kin.p_OB[i]), v_free = calc_speed(free[i], kin.p_OB[i]);
    const Vec3d &w = before[i].ang, &w_free = free[i].ang;
    s.reach[i] = {h * std::sqrt(std::max(dot(v, v), dot(v_free, v_free))),
                  h * std::sqrt(std::max(dot(w, w), dot(w_free, w_free)))};
  }
  find_all(shapes, kin, s.reach, margin, s);
  find_passing(model, shapes, kin, before, free, margin, h, s);
}

void assemble(const Model& model, const MaterialTable& materials, std::span<const Loop> loops,
              const Kinematics<double>& kin, const dynamics::Articulated<double>& art,
              const StepMotion& motion, const ContactOptions& options, double h,
              const WarmStart& warm, ContactScratch& s) {
  assemble_points(model, materials, kin, motion, options, h, s);
  find_joint_rows(model, s.sources, motion.q, motion.v, motion.v_free, h, options.margin, warm,
                  s.joint_rows);
  assemble_loops(model, loops, kin, motion, s);
  take_warm_start(warm, s);
  update_groups(model, kin, art, s);
  if (!is_penalty(options.law) && drop_immobile(model, kin, s)) find_groups(model, s);
}

void update_groups(const Model& model, const Kinematics<double>& kin,
                   const dynamics::Articulated<double>& art, ContactScratch& s) {
  find_groups(model, s);
  update_responses(model, kin, art, s);
}

// It is made before anything has moved, and only where there are more points than ever before.
void make_room(int count, ContactScratch& s) {
  const int more = count - s.points.capacity();
  s.points.make_room(count);
  s.contacts.reserve(count), s.room.reserve(count), s.immobile.reserve(count);
  s.trees.reserve(s.trees.capacity() + more);
  s.groups.make_room(static_cast<int>(s.trees.capacity()));
}

}  // namespace stance::contact
