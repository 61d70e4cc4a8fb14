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

// A contact that closed faster at the start of the step is an impact and not one that lasts: over
// half the step, m/s^2, besides what turning does.
constexpr double kLasts = 20.0;

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

// Where a contact's point goes, by one of its bodies: a corner turns with its body, on a round
// surface the point stays where the surface is nearest to the other body.
struct Path {
  Vec3d velocity;         // m/s
  double radius = 0.0;    // m; 0: a corner
  bool is_moving = true;  // not the world's
};

Path find_path(const Model& model, const Kinematics<double>& kin, const StepMotion& motion,
               int body, const Round& round, const ContactPoint& point, const Vec3d& out) {
  // a rim that lies flat touches with corners
  constexpr double kFlat = 0.02;
  Path path;
  path.is_moving = body != 0;
  const Motion<double> V = body == 0 ? Motion<double>() : motion.mean[body];
  const Vec3d r = body == 0 ? Vec3d() : point.p_W - kin.p_WO[model.tree[body]];
  path.velocity = V.lin + cross(V.ang, r);
  if (round.radius <= 0.0) return path;
  if (!round.has_axis) {
    path.radius = round.radius;
    // the contact's point lies half the gap outside of the surface
    path.velocity = nmadd(round.radius + 0.5 * point.gap, cross(V.ang, out), path.velocity);
    return path;
  }
  const Vec3d axis = kin.R_WB[body] * round.axis_B;
  const double along = dot(axis, out);
  const Vec3d radial = nmadd(along, axis, out);
  const double size = norm(radial);
  if (size < kFlat) return path;
  // the middle of the circle that the point is on, and how its lowest point goes round
  const Vec3d e = (1.0 / size) * radial, tilt = cross(V.ang, axis);
  const Vec3d turn = (-1.0 / size) * madd(dot(tilt, out), axis, along * tilt);
  path.radius = round.radius;
  path.velocity = nmadd(round.radius, cross(V.ang, e), path.velocity);
  path.velocity = nmadd(0.5 * point.gap, cross(V.ang, out), path.velocity);
  path.velocity = madd(round.radius, nmadd(dot(e, turn), e, turn), path.velocity);
  return path;
}

// Velocity of the place where two bodies touch: what is flat follows what is round or moves.
Vec3d join_paths(const Path& a, const Path& b) {
  if (a.radius > 0.0 && b.radius > 0.0)
    return (1.0 / (a.radius + b.radius)) * madd(b.radius, a.velocity, a.radius * b.velocity);
  if (a.radius > 0.0 || !b.is_moving) return a.velocity;
  if (b.radius > 0.0 || !a.is_moving) return b.velocity;
  return 0.5 * (a.velocity + b.velocity);
}

// Acceleration of a body where it touches, while v stays as it is and the place moves along its
// path: B of paper R, equation 16.
Vec3d calc_bias_along(const Model& model, const Kinematics<double>& kin, const StepMotion& motion,
                      int body, const Vec3d& p_W, const Vec3d& path) {
  if (body == 0) return {};
  const Vec3d r = p_W - kin.p_WO[model.tree[body]];
  const Motion<double>& A = motion.bias[body];
  return A.lin + cross2(A.ang, r, motion.mean[body].ang, path);
}

// Rate of a contact's velocity while v stays as it is.
Vec3d calc_bias(const Model& model, const Kinematics<double>& kin, const StepMotion& motion,
                const Round& round_a, const Round& round_b, const ContactPoint& point) {
  const Vec3d path =
      join_paths(find_path(model, kin, motion, point.body_a, round_a, point, -point.n_W),
                 find_path(model, kin, motion, point.body_b, round_b, point, point.n_W));
  return calc_bias_along(model, kin, motion, point.body_a, point.p_W, path) -
         calc_bias_along(model, kin, motion, point.body_b, point.p_W, path);
}

// The same of a point fixed to the body.
Vec3d calc_bias(const Model& model, const Kinematics<double>& kin, const StepMotion& motion,
                int body, const Vec3d& p_W) {
  if (body == 0) return {};
  const Vec3d r = p_W - kin.p_WO[model.tree[body]];
  const Motion<double>&V = motion.mean[body], &A = motion.bias[body];
  return A.lin + cross2(A.ang, r, V.ang, V.lin + cross(V.ang, r));
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
    if (!motion.bias.empty()) {
      const Vec3d bias = calc_bias(model, kin, motion, s.round_of[kept.geometry_a],
                                   s.round_of[kept.geometry_b], kept);
      contact.bias = resolve(directions, bias);
    }
    if (!contact.material.has_spin()) continue;
    const RelativeMotion spin = calc_spin(motion, kept.body_a, kept.body_b);
    contact.w_before = resolve(directions, spin.then);
    contact.w_free = resolve(directions, spin.now);
  }
  s.points.shrink(static_cast<int>(s.contacts.size()));
}

// Rate of a loop's rows while v stays as it is; their directions turn, too.
Vec3d calc_loop_bias(const Model& model, const Loop& loop, const Kinematics<double>& kin,
                     const StepMotion& motion, const LoopBlock& block) {
  const auto spin = [&](int body) { return body == 0 ? Vec3d() : motion.mean[body].ang; };
  if (block.is_turn) {
    const auto turn = [&](int body) { return body == 0 ? Vec3d() : motion.bias[body].ang; };
    Vec3d rate = turn(block.body_a) - turn(block.body_b);
    // the directions across a hinge's axis are fixed to b
    if (loop.kind == LoopKind::kHinge)
      rate += cross(spin(block.body_a) - spin(block.body_b), spin(block.body_b));
    return resolve(block.directions, rate);
  }
  const Vec3d rate = calc_bias(model, kin, motion, block.body_a, block.p_a) -
                     calc_bias(model, kin, motion, block.body_b, block.p_b);
  Vec3d out = resolve(block.directions, rate);
  if (loop.kind == LoopKind::kDistance) {
    const auto velocity = [&](int body, const Vec3d& p_W) {
      return body == 0 ? Vec3d() : calc_speed(motion.mean[body], p_W - kin.p_WO[model.tree[body]]);
    };
    const Vec3d slip = velocity(block.body_a, block.p_a) - velocity(block.body_b, block.p_b);
    const Vec3d across = nmadd(dot(block.directions[0], slip), block.directions[0], slip);
    if (const double length = norm(block.p_a - block.p_b); length > 1e-12)
      out += Vec3d(dot(across, across) / length, 0.0, 0.0);
  }
  return out;
}

void assemble_loops(const Model& model, std::span<const Loop> loops, const Kinematics<double>& kin,
                    const StepMotion& motion, const ContactOptions& options, double h,
                    ContactScratch& s) {
  find_loop_blocks(model, loops, kin, s.loop_blocks);
  for (LoopBlock& block : s.loop_blocks) {
    const RelativeMotion at = block.is_turn ? calc_spin(motion, block.body_a, block.body_b)
                                            : calc_slip(model, kin, motion, block.body_a,
                                                        block.body_b, block.p_a, block.p_b);
    block.u_before = resolve(block.directions, at.then);
    block.u_free = resolve(block.directions, at.now);
    if (motion.lead == 0.0) continue;
    block.turn = motion.lead * calc_loop_bias(model, loops[block.loop], kin, motion, block);
    // rows turn by no more than their rate says; what a step is off by, the next one takes back
    const double off = norm(block.error), most = std::min(off, options.slop);
    if (off > 0.0) block.drift = (most / (off * h)) * block.error;
  }
}

// Contacts that pressed in the last step and are closed last: their rows hold at the end of the
// step, where bodies have turned on. A new one must close its gap first.
void turn_points(double lead, ContactScratch& s) {
  if (lead == 0.0) return;
  for (PointContact& contact : s.contacts) {
    const Vec3d turn = lead * contact.bias;
    const double start = contact.u_before[0] - turn[0];
    if (contact.p[0] > 0.0 && start > -kLasts * lead - 2.0 * std::abs(turn[0])) contact.turn = turn;
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
  assemble_loops(model, loops, kin, motion, options, h, s);
  take_warm_start(warm, s);
  if (!is_penalty(options.law)) turn_points(motion.lead, s);
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
