#include "stance/contact/contact_system.h"

#include <algorithm>
#include <cmath>

#include "stance/contact/lcp.h"

namespace stance::contact {

using collision::ContactPoint;
using dynamics::Kinematics;
using kernel::Mat6;
using model::Model;
using solver::Block;
using solver::BodyProblem;
using solver::Law;

namespace {

constexpr double kDeep = 2.0;  // slops: what is worth taking back, down to one

// Two tangents that change as little as the normal does, except where it passes a diagonal.
void calc_tangents(const Vec3d& n, Vec3d& t1, Vec3d& t2) {
  const Vec3d axis = std::abs(n[0]) < 0.6 ? Vec3d(1.0, 0.0, 0.0) : Vec3d(0.0, 1.0, 0.0);
  const Vec3d across = cross(n, axis);
  t2 = (1.0 / norm(across)) * across;
  t1 = cross(t2, n);
}

// Velocity of a body's point at r from O.
Vec3d calc_speed(const Motion<double>& V, const Vec3d& r) { return V.lin + cross(V.ang, r); }

bool has_spin(const Material& material) {
  return material.torsion_friction > 0.0 || material.rolling_friction > 0.0;
}

// Bodies of the group, tree after tree, as nodes with their responses to each other.
void add_nodes(const Model& model, std::span<const int> members, ContactScratch& s) {
  s.group_bodies.clear();
  for (const int i : members)
    for (const int body : {s.points[i].body_a, s.points[i].body_b})
      if (body != 0 && s.node_of[body] < 0) {
        s.node_of[body] = 0;
        s.group_bodies.push_back(body);
      }
  std::sort(s.group_bodies.begin(), s.group_bodies.end(), [&](int a, int b) {
    return model.tree[a] != model.tree[b] ? model.tree[a] < model.tree[b] : a < b;
  });
  const int n = static_cast<int>(s.group_bodies.size());
  for (int first = 0, end; first < n; first = end) {
    end = first + 1;
    while (end < n && model.tree[s.group_bodies[end]] == model.tree[s.group_bodies[first]]) ++end;
    for (int j = first; j < end; ++j) {
      s.node_of[s.group_bodies[j]] = j;
      s.problem.nodes.push_back({first, end, static_cast<int>(s.problem.response.size())});
      const int number_j = s.number_of[s.group_bodies[j]];
      for (int k = first; k < end; ++k) {
        const int number_k = s.number_of[s.group_bodies[k]];
        const Mat6<double>& block =
            *s.omega.omega(s.bodies, std::min(number_j, number_k), std::max(number_j, number_k));
        s.problem.response.push_back(number_k <= number_j ? block : transpose(block));
      }
    }
  }
}

// Three directions as wrenches at the O of a body's tree: forces at the point, or pure torques.
void set_wrenches(const Model& model, const Kinematics<double>& kin, int body, const Vec3d& p_W,
                  const Vec3d directions[3], bool are_torques, Force<double>* f) {
  const Vec3d r = p_W - kin.p_WO[model.tree[body]];
  for (int k = 0; k < 3; ++k)
    f[k] = are_torques ? Force<double>{directions[k], {}}
                       : Force<double>{cross(r, directions[k]), directions[k]};
}

// The problem of one group, with free velocities from `free_velocity(contact index)`.
template <class FreeVelocity>
void make_problem(const Model& model, const Kinematics<double>& kin, std::span<const int> members,
                  bool with_spin, FreeVelocity&& free_velocity, ContactScratch& s) {
  s.problem.clear();
  add_nodes(model, members, s);
  for (const int i : members) {
    const ContactPoint& point = s.points[i];
    const PointContact& contact = s.contacts[i];
    const Vec3d directions[3] = {point.n_W, contact.t1, contact.t2};
    const int number = s.problem.num_blocks();
    for (const bool spin : {false, true}) {
      if (spin && !(with_spin && has_spin(contact.material))) continue;
      BodyProblem::Rows& rows = s.problem.rows.emplace_back();
      if (point.body_a != 0) {
        rows.a = s.node_of[point.body_a];
        set_wrenches(model, kin, point.body_a, point.p_W, directions, spin, rows.f_a);
      }
      if (point.body_b != 0) {
        rows.b = s.node_of[point.body_b];
        set_wrenches(model, kin, point.body_b, point.p_W, directions, spin, rows.f_b);
      }
      Block& block = s.problem.blocks.emplace_back();
      block.mu = spin ? contact.material.torsion_friction : contact.material.friction;
      if (spin) {
        block.law = Law::kSpin;
        block.mu_rolling = contact.material.rolling_friction;
        block.normal = number;
      }
      s.problem.q.push_back(free_velocity(i, spin));
    }
  }
}

void forget_nodes(ContactScratch& s) {
  for (const int body : s.group_bodies) s.node_of[body] = -1;
}

// Adds the impulses of the group to those of its bodies.
void add_impulses(std::span<const Vec3d> p, ContactScratch& s) {
  for (std::size_t i = 0; i < p.size(); ++i) {
    const BodyProblem::Rows& rows = s.problem.rows[i];
    for (int k = 0; k < 3; ++k) {
      if (rows.a >= 0) {
        Force<double>& sum = s.impulses[s.group_bodies[rows.a]];
        sum = madd(p[i][k], rows.f_a[k], sum);
      }
      if (rows.b >= 0) {
        Force<double>& sum = s.impulses[s.group_bodies[rows.b]];
        sum = nmadd(p[i][k], rows.f_b[k], sum);
      }
    }
  }
}

// Where the last step had this contact, most often at the same place in the list.
int find_warm(const WarmStart& warm, std::uint64_t id, int hint) {
  const int n = static_cast<int>(warm.id.size());
  for (int k = hint; k < n && k < hint + 8; ++k)
    if (warm.id[k] == id) return k;
  for (int k = 0; k < n; ++k)
    if (warm.id[k] == id) return k;
  return -1;
}

void take_warm_start(const WarmStart& warm, ContactScratch& s) {
  int hint = 0;
  for (int i = 0; i < s.points.size(); ++i) {
    const int k = find_warm(warm, s.points[i].id, hint);
    s.contacts[i].p = k >= 0 ? warm.p[k] : Vec3d();
    s.contacts[i].spin = k >= 0 ? warm.spin[k] : Vec3d();
    s.contacts[i].stretch = k >= 0 ? warm.stretch[k] : Vec3d();
    if (k >= 0) hint = k + 1;
  }
}

// What the normal velocity must not fall below, as a shift of u_free: the gap that is left, or the
// bounce of one that will be closed within the step.
double calc_shift(const ContactPoint& point, const PointContact& contact, double h) {
  const bool hits = contact.u_before < 0.0 && point.gap + h * contact.u_before <= 0.0;
  if (contact.material.restitution > 0.0 && hits)
    return contact.material.restitution * contact.u_before;
  return std::max(point.gap, 0.0) / h;
}

}  // namespace

ContactScratch::ContactScratch(const Model& model, const collision::CollisionModel& shapes,
                               const ContactOptions& options)
    : p_WB(model.nbody),
      collision(shapes),
      points(options.capacity),
      groups(model, options.capacity),
      bodies(model),
      omega(model),
      number_of(model.nbody, -1),
      node_of(model.nbody, -1),
      impulses(model.nbody) {
  contacts.reserve(options.capacity);
  body_points.reserve(model.nbody);
  group_bodies.reserve(model.nbody);
}

void find(const Model& model, const collision::CollisionModel& shapes,
          const Kinematics<double>& kin, double margin, ContactScratch& s) {
  for (int i = 1; i < model.nbody; ++i) s.p_WB[i] = kin.p_WO[model.tree[i]] + kin.p_OB[i];
  find_contacts(shapes, kin.R_WB, s.p_WB, margin, s.collision, s.points);
}

void assemble(const Model& model, const collision::CollisionModel& shapes,
              std::span<const Material> materials, const Kinematics<double>& kin,
              const dynamics::Articulated<double>& art, std::span<const Motion<double>> before,
              std::span<const Motion<double>> free, const ContactOptions& options, double h,
              ContactScratch& s) {
  // frames, materials, velocities of the points that can close within the step
  s.contacts.clear();
  const std::span<ContactPoint> points = s.points.points();
  for (const ContactPoint& point : points) {
    Vec3d then, now, turn;
    if (point.body_a != 0) {
      const Vec3d r = point.p_W - kin.p_WO[model.tree[point.body_a]];
      then += calc_speed(before[point.body_a], r), now += calc_speed(free[point.body_a], r);
      turn += free[point.body_a].ang;
    }
    if (point.body_b != 0) {
      const Vec3d r = point.p_W - kin.p_WO[model.tree[point.body_b]];
      then -= calc_speed(before[point.body_b], r), now -= calc_speed(free[point.body_b], r);
      turn -= free[point.body_b].ang;
    }
    const double approach = std::min(dot(point.n_W, then), dot(point.n_W, now));
    if (is_penalty(options.law) ? point.gap > 0.0 : point.gap + h * approach > options.margin)
      continue;
    points[s.contacts.size()] = point;
    PointContact& contact = s.contacts.emplace_back();
    calc_tangents(point.n_W, contact.t1, contact.t2);
    contact.material = combine(materials[shapes.geometries[point.geometry_a].material],
                               materials[shapes.geometries[point.geometry_b].material]);
    contact.u_before = dot(point.n_W, then);
    contact.u_free = {dot(point.n_W, now), dot(contact.t1, now), dot(contact.t2, now)};
    contact.w_free = {dot(point.n_W, turn), dot(contact.t1, turn), dot(contact.t2, turn)};
  }
  s.points.shrink(static_cast<int>(s.contacts.size()));
  s.groups.update(model, s.points.points());

  // Omega of the bodies that touch
  for (const dynamics::ContactPoint& old : s.body_points) s.number_of[old.body] = -1;
  s.body_points.clear();
  for (const ContactPoint& point : s.points.points())
    for (const int body : {point.body_a, point.body_b})
      if (body != 0 && s.number_of[body] < 0) {
        s.number_of[body] = 0;
        s.body_points.push_back({model::BodyIndex(body), {}});
      }
  s.bodies.set(model, s.body_points);
  for (int k = 0; k < s.bodies.num_bodies(); ++k) s.number_of[s.bodies.bodies()[k]] = k;
  update_points(model, kin, s.bodies, s.omega);
  update_omega(dynamics::DelassusMethod::kSkeleton, model, kin, art, s.bodies, s.omega);
}

ContactReport solve(const Model& model, const Kinematics<double>& kin,
                    const ContactOptions& options, double h, const WarmStart& warm,
                    ContactScratch& s) {
  ContactReport report;
  report.points = s.points.size();
  report.groups = s.groups.size();
  report.overflow = s.points.overflow();
  for (const ContactPoint& point : s.points.points())
    report.penetration = std::max(report.penetration, -point.gap);
  take_warm_start(warm, s);
  std::fill(s.impulses.begin(), s.impulses.end(), Force<double>{});
  solver::SolveOptions how;
  how.tolerance = options.tolerance;
  how.max_sweeps = options.max_sweeps;
  how.accelerate = options.accelerate;

  for (int g = 0; g < s.groups.size(); ++g) {
    const std::span<const int> members = s.groups.contacts(g);
    make_problem(
        model, kin, members, true,
        [&](int i, bool spin) {
          const PointContact& contact = s.contacts[i];
          if (spin) return contact.w_free;
          return contact.u_free + Vec3d(calc_shift(s.points[i], contact, h), 0.0, 0.0);
        },
        s);
    s.p.clear();
    for (const int i : members) {
      s.p.push_back(s.contacts[i].p);
      if (has_spin(s.contacts[i].material)) s.p.push_back(s.contacts[i].spin);
    }
    s.sweeps.start(s.problem);
    const solver::SolveStatus status = options.law == ContactLaw::kLcp
                                           ? solve_lcp(s.problem, options.facets, s.sweeps, s.p)
                                           : s.solver.solve(s.sweeps, how, s.p);

    report.sweeps = std::max(report.sweeps, status.sweeps);
    report.is_converged = report.is_converged && status.is_converged;
    report.complementarity = std::max(report.complementarity, status.residual.complementarity);
    report.cone_violation = std::max(report.cone_violation, status.residual.cone_violation);
    report.dissipation = std::max(report.dissipation, status.residual.dissipation);
    const bool is_worst = !(status.residual.relative <= report.residual);
    if (is_worst) report.residual = status.residual.relative;

    add_impulses(s.p, s);
    int row = 0;
    for (const int i : members) {
      PointContact& contact = s.contacts[i];
      const Vec3d shift = s.problem.q[row] - contact.u_free;
      contact.p = s.p[row];
      contact.u = s.sweeps.swept_velocity(row) - shift;
      report.work += 0.5 * dot(contact.p, contact.u + contact.u_free);
      // a spin block stands behind the contact it belongs to
      if (is_worst && status.residual.worst_block >= row) report.worst_contact = i;
      ++row;
      if (!has_spin(contact.material)) continue;
      contact.spin = s.p[row];
      report.work += 0.5 * dot(contact.spin, s.sweeps.swept_velocity(row) + contact.w_free);
      ++row;
    }
    forget_nodes(s);
  }
  return report;
}

void recall(const WarmStart& warm, ContactScratch& s) { take_warm_start(warm, s); }

void make_group_problem(const Model& model, const Kinematics<double>& kin,
                        std::span<const int> members, double h, ContactScratch& s) {
  make_problem(
      model, kin, members, false,
      [&](int i, bool) {
        const PointContact& contact = s.contacts[i];
        return contact.u_free + Vec3d(calc_shift(s.points[i], contact, h), 0.0, 0.0);
      },
      s);
}

void finish_group(std::span<const Vec3d> p, ContactScratch& s) {
  add_impulses(p, s);
  forget_nodes(s);
}

void remember(const ContactScratch& s, WarmStart& warm) {
  warm.id.clear(), warm.p.clear(), warm.spin.clear(), warm.stretch.clear();
  for (int i = 0; i < s.points.size(); ++i) {
    warm.id.push_back(s.points[i].id);
    warm.p.push_back(s.contacts[i].p);
    warm.spin.push_back(s.contacts[i].spin);
    warm.stretch.push_back(s.contacts[i].stretch);
  }
}

bool needs_correction(const ContactOptions& options, const ContactScratch& s) {
  if (is_penalty(options.law)) return false;
  for (const ContactPoint& point : s.points.points())
    if (point.gap < -kDeep * options.slop) return true;
  return false;
}

void correct(const Model& model, const Kinematics<double>& kin, const ContactOptions& options,
             double h, ContactScratch& s) {
  std::fill(s.impulses.begin(), s.impulses.end(), Force<double>{});
  solver::SolveOptions how;
  how.tolerance = 1e-4;
  how.max_sweeps = 100;
  how.use_newton = false;
  for (int g = 0; g < s.groups.size(); ++g) {
    const std::span<const int> members = s.groups.contacts(g);
    const bool is_deep = std::any_of(members.begin(), members.end(), [&](int i) {
      return s.points[i].gap < -kDeep * options.slop;
    });
    if (!is_deep) continue;
    make_problem(
        model, kin, members, false,
        [&](int i, bool) {
          const double gap = s.points[i].gap;
          const double bias =
              gap < 0.0 ? options.correction * std::min(gap + options.slop, 0.0) : gap;
          return Vec3d(std::max(s.contacts[i].u[0], 0.0) + bias / h, 0.0, 0.0);
        },
        s);
    s.p.assign(members.size(), Vec3d());
    s.sweeps.start(s.problem);
    (void)s.solver.solve(s.sweeps, how, s.p);
    add_impulses(s.p, s);
    forget_nodes(s);
  }
}

}  // namespace stance::contact
