#include "stance/contact/contact_system.h"

#include <algorithm>
#include <cmath>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "stance/contact/flat_contact.h"
#include "stance/contact/lcp.h"
#include "stance/contact/penalty.h"
#include "stance/contact/tangents.h"

namespace stance::contact {

using collision::ContactPoint;
using dynamics::Kinematics;
using model::Model;

// Threads that solve groups side by side. A group's answer depends on nothing that another group or
// an earlier problem left behind, so it does not matter who solves it.
struct ThreadTeam {
  explicit ThreadTeam(int threads) : arena(threads) {}
  tbb::task_arena arena;
};

namespace {

constexpr double kDeep = 2.0;      // slops: what is worth taking back, down to one
constexpr double kSettled = 1e-4;  // of the tolerance: impulses so good serve once more,
constexpr double kStill = 1e-6;    // and so good right after they were made exact once
constexpr double kSideWork =
    2000.0;  // sweeps times constraints, about 0.1 ms: worth a second thread

// Velocity of a body's point at r from O.
Vec3d calc_speed(const Motion<double>& V, const Vec3d& r) { return V.lin + cross(V.ang, r); }

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
  for (LoopBlock& block : s.loop_blocks) block.p = warm.loop[2 * block.loop + block.is_turn];
  std::copy(warm.rest.begin(), warm.rest.end(), s.rest.begin());
}

Round calc_round(const collision::Geometry& geometry) {
  using collision::ShapeKind;
  const ShapeKind kind = geometry.shape.kind;
  if (kind == ShapeKind::kSphere || kind == ShapeKind::kCapsule) return {geometry.shape.radius};
  if (kind == ShapeKind::kCylinder) return {geometry.shape.radius, true, geometry.R_BG.c[2]};
  return {};
}

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
  s.contacts.clear();
  const std::span<ContactPoint> points = s.points.points();
  prepare_flat_contacts(calc_band(options.slop, h), points, s.room);
  const ContactPoint* last = nullptr;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const ContactPoint& point = points[k];
    const RelativeMotion slip =
        calc_slip(model, kin, motion, point.body_a, point.body_b, point.p_W, point.p_W);
    const double approach = std::min(dot(point.n_W, slip.then), dot(point.n_W, slip.now));
    if (is_penalty(options.law) ? point.gap > 0.0 : point.gap + h * approach > options.margin)
      continue;
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
  const auto tree_of = [&](int body) { return body == 0 ? -1 : model.tree[body]; };
  const auto tree_at = [&](int k) { return k < 0 ? -1 : model.tree[model.dof_body[k]]; };
  for (const ContactPoint& point : s.points.points())
    s.trees.push_back({tree_of(point.body_a), tree_of(point.body_b)});
  for (const JointRow& row : s.joint_rows) s.trees.push_back({tree_at(row.k1), tree_at(row.k2)});
  for (const LoopBlock& block : s.loop_blocks)
    s.trees.push_back({tree_of(block.body_a), tree_of(block.body_b)});
  s.groups.update(s.trees);
}

// Omega of the bodies and columns of the coordinates that something acts on.
void update_responses(const Model& model, const Kinematics<double>& kin,
                      const dynamics::Articulated<double>& art, ContactScratch& s) {
  for (const dynamics::ContactPoint& old : s.body_points) s.number_of[old.body] = -1;
  s.body_points.clear();
  const auto add = [&](int body) {
    if (body == 0 || s.number_of[body] >= 0) return;
    s.number_of[body] = 0;
    s.body_points.push_back({model::BodyIndex(body), {}});
  };
  for (const ContactPoint& point : s.points.points()) add(point.body_a), add(point.body_b);
  for (const LoopBlock& block : s.loop_blocks) add(block.body_a), add(block.body_b);
  s.bodies.set(model, s.body_points);
  for (int k = 0; k < s.bodies.num_bodies(); ++k) s.number_of[s.bodies.bodies()[k]] = k;
  update_points(model, kin, s.bodies, s.omega);
  update_omega(dynamics::DelassusMethod::kSkeleton, model, kin, art, s.bodies, s.omega);

  s.coordinates.clear();
  for (const JointRow& row : s.joint_rows) {
    s.coordinates.push_back(row.k1);
    if (row.k2 >= 0) s.coordinates.push_back(row.k2);
  }
  std::sort(s.coordinates.begin(), s.coordinates.end());
  s.coordinates.erase(std::unique(s.coordinates.begin(), s.coordinates.end()), s.coordinates.end());
  s.response.set(model, s.coordinates);
  s.response.update(model, kin, art);
}

// Runs task(group, work) for all groups; side by side where there are threads, and where the last
// step says that they have something to do.
template <class Task>
void for_each_group(ContactScratch& s, Task&& task) {
  const int n = s.groups.size();
  if (!s.team || n < 2 || s.side_work < kSideWork) {
    for (int g = 0; g < n; ++g) task(g, *s.work[0]);
    return;
  }
  s.team->arena.execute([&] {
    tbb::parallel_for(
        0, n, [&](int g) { task(g, *s.work[tbb::this_task_arena::current_thread_index()]); });
  });
}

// ---- rest ---------------------------------------------------------------------------------------

// The plan of a group is that of the tree that waits longest.
RestPlan find_rest_plan(std::span<const int> members, const ContactScratch& s) {
  RestPlan plan;
  const auto add = [&](int tree) {
    if (tree < 0) return;
    const RestPlan& own = s.rest[tree];
    plan.is_halfway = plan.is_halfway || own.is_halfway;
    plan.wait = std::max(plan.wait, own.wait), plan.span = std::max(plan.span, own.span);
  };
  for (const int i : members) add(s.trees[i].a), add(s.trees[i].b);
  return plan;
}

void set_rest_plan(std::span<const int> members, const RestPlan& plan, ContactScratch& s) {
  const auto set = [&](int tree) {
    if (tree >= 0) s.rest[tree] = plan;
  };
  for (const int i : members) set(s.trees[i].a), set(s.trees[i].b);
}

// Impulses of what comes to rest are made exact in two steps, one after the other (body_still.cc).
void follow(const RestPlan& plan, solver::SolveOptions& how) {
  how.hold_still = plan.is_halfway || plan.wait == 0;
  how.settled = plan.is_halfway ? kStill : kSettled;
}

// What it costs is made up for by as many steps at least. Where it does not last, since forces
// still change, each try comes twice as late as the last; where it fails, much later.
RestPlan update(const RestPlan& plan, const solver::SolveStatus& status) {
  constexpr int kLongest = 512, kFailed = 8;
  RestPlan next = plan;
  next.wait = std::max(plan.wait - 1, 0);
  next.is_halfway = false;
  if (status.start != solver::StartGrade::kNear) {
    next.span = std::max(plan.span - 1, RestPlan::kShortest);
  } else if (plan.wait == 0 && !plan.is_halfway) {
    next.is_halfway = status.still_steps > 0 && status.sweeps == 0;
    next.wait = std::max(plan.span, (next.is_halfway ? 1 : kFailed) * status.still_steps);
    next.span = std::min(2 * plan.span, kLongest);
  }
  return next;
}

// Impulses of a group's problem by the law.
solver::SolveStatus solve_group(const ContactOptions& options, const solver::SolveOptions& how,
                                std::span<const int> members, double h, ContactScratch& s,
                                GroupWork& work) {
  if (is_penalty(options.law)) return solve_penalty(options, how, members, h, s, work);
  work.sweeps.start(work.problem);
  if (options.law == ContactLaw::kLcp)
    return solve_lcp(work.problem, options.facets, work.sweeps, work.p);
  return work.solver.solve(work.sweeps, how, work.p);
}

// Takes the answer of a group apart: impulses, velocities, energy.
void take_answer(std::span<const int> members, const GroupWork& work, ContactReport& report,
                 int worst_block, ContactScratch& s) {
  const int points = s.points.size(), rows = points + static_cast<int>(s.joint_rows.size());
  int b = 0;
  for (const int i : members) {
    if (i < points) {
      // a spin block stands behind the contact it belongs to
      if (worst_block >= b) report.worst_contact = i;
      PointContact& contact = s.contacts[i];
      const Vec3d shift = work.problem.q[b] - contact.u_free;
      contact.p = work.p[b];
      contact.u = work.sweeps.swept_velocity(b++) - shift;
      report.work += 0.5 * dot(contact.p, contact.u + contact.u_free);
      report.contact_energy += 0.5 * dot(contact.p, contact.u + contact.u_before);
      if (!contact.material.has_spin()) continue;
      contact.spin = work.p[b];
      contact.w = work.sweeps.swept_velocity(b++);
      report.work += 0.5 * dot(contact.spin, contact.w + contact.w_free);
      report.contact_energy += 0.5 * dot(contact.spin, contact.w + contact.w_before);
    } else if (i < rows) {
      JointRow& row = s.joint_rows[i - points];
      const double shift = work.problem.q[b][0] - row.u_free;
      row.p = work.p[b][0];
      row.u = work.sweeps.swept_velocity(b++)[0] - shift;
      report.work += 0.5 * row.p * (row.u + row.u_free);
      report.joint_energy += 0.5 * row.p * (row.u + row.u_before);
      if (row.kind == JointRowKind::kMimic)
        report.loop_error = std::max(report.loop_error, std::abs(row.gap));
    } else {
      LoopBlock& block = s.loop_blocks[i - rows];
      block.p = work.p[b];
      block.u = work.sweeps.swept_velocity(b++);
      report.work += 0.5 * dot(block.p, block.u + block.u_free);
      report.joint_energy += 0.5 * dot(block.p, block.u + block.u_before);
      report.loop_error = std::max(report.loop_error, norm(block.error));
    }
  }
}

// The report of all groups from those of each, in their order.
void add_report(const ContactReport& group, ContactReport& report) {
  const auto raise = [](double& worst, double value) { worst = std::max(worst, value); };
  report.sweeps = std::max(report.sweeps, group.sweeps);
  report.is_converged = report.is_converged && group.is_converged;
  if (!(group.residual <= report.residual))
    report.residual = group.residual, report.worst_contact = group.worst_contact;
  raise(report.complementarity, group.complementarity);
  raise(report.cone_violation, group.cone_violation);
  raise(report.dissipation, group.dissipation);
  raise(report.loop_error, group.loop_error);
  report.work += group.work;
  report.contact_energy += group.contact_energy, report.joint_energy += group.joint_energy;
}

// What a second thread could have done meanwhile.
void update_side_work(ContactScratch& s) {
  if (!s.team) return;
  s.side_by_side += s.groups.size() > 1 && s.side_work >= kSideWork;
  double sum = 0.0, longest = 0.0;
  for (int g = 0; g < s.groups.size(); ++g) {
    const double work = static_cast<double>(s.groups.members(g).size()) * s.reports[g].sweeps;
    sum += work, longest = std::max(longest, work);
  }
  s.side_work = sum - longest;
}

void clear_impulses(ContactScratch& s) {
  std::fill(s.impulses.begin(), s.impulses.end(), Force<double>{});
  std::fill(s.joint_impulses.begin(), s.joint_impulses.end(), 0.0);
}

// Whether a constraint is so far off that its group is worth a correction.
bool is_off(const ContactOptions& options, const ContactScratch& s, int i) {
  const int points = s.points.size(), rows = points + static_cast<int>(s.joint_rows.size());
  const double limit = kDeep * options.slop;
  if (i < points) return !is_penalty(options.law) && s.points[i].gap < -limit;
  if (i >= rows) return norm(s.loop_blocks[i - rows].error) > options.slop;
  const JointRow& row = s.joint_rows[i - points];
  if (row.kind == JointRowKind::kMimic) return std::abs(row.gap) > options.slop;
  return row.kind == JointRowKind::kLimit && row.gap < -limit;
}

}  // namespace

ContactScratch::ContactScratch(const Model& model, const collision::CollisionModel& shapes,
                               std::span<const Loop> loops, const ContactOptions& options)
    : p_WB(model.nbody),
      reach(model.nbody),
      collision(shapes),
      points(options.capacity),
      sources(model),
      groups(model, options.capacity),
      bodies(model),
      omega(model),
      number_of(model.nbody, -1),
      response(model),
      impulses(model.nbody),
      joint_impulses(model.nv) {
  rest.resize(model.ntree);
  const std::size_t rows =
      2 * sources.limited.size() + sources.rubbing.size() + model.mimics.size();
  for (const collision::Geometry& geometry : shapes.geometries) {
    material_of.push_back(geometry.material);
    round_of.push_back(calc_round(geometry));
  }
  contacts.reserve(options.capacity), room.reserve(options.capacity);
  joint_rows.reserve(rows), coordinates.reserve(2 * rows);
  loop_blocks.reserve(2 * loops.size());
  trees.reserve(options.capacity + rows + 2 * loops.size());
  body_points.reserve(model.nbody);
  reports.reserve(model.ntree);
  const int threads = std::max(options.threads, 1);
  for (int k = 0; k < threads; ++k) work.push_back(std::make_unique<GroupWork>(model));
  if (threads > 1) team = std::make_unique<ThreadTeam>(threads);
}

ContactScratch::~ContactScratch() = default;

void find(const Model& model, const collision::CollisionModel& shapes,
          const Kinematics<double>& kin, double margin, ContactScratch& s) {
  for (int i = 1; i < model.nbody; ++i) s.p_WB[i] = kin.p_WO[model.tree[i]] + kin.p_OB[i];
  find_contacts(shapes, kin.R_WB, s.p_WB, margin, s.collision, s.points);
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
  find_contacts(shapes, kin.R_WB, s.p_WB, s.reach, margin, s.collision, s.points);
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
  find_groups(model, s);
  update_responses(model, kin, art, s);
}

ContactReport solve(const Model& model, const Kinematics<double>& kin,
                    const ContactOptions& options, double h, ContactScratch& s) {
  clear_impulses(s);
  solver::SolveOptions how;
  how.tolerance = options.tolerance;
  how.max_sweeps = options.max_sweeps;
  how.accelerate = options.accelerate;
  how.settle = true;
  s.reports.assign(s.groups.size(), {});
  for_each_group(s, [&](int g, GroupWork& work) {
    const std::span<const int> members = s.groups.members(g);
    make_problem(Purpose::kVelocity, model, kin, options, members, h, s, work);
    const RestPlan plan = find_rest_plan(members, s);
    solver::SolveOptions group_how = how;
    follow(plan, group_how);
    const solver::SolveStatus status = solve_group(options, group_how, members, h, s, work);
    set_rest_plan(members, update(plan, status), s);
    ContactReport& report = s.reports[g];
    report.sweeps = status.sweeps + status.still_steps;
    report.is_converged = status.is_converged;
    report.residual = status.residual.relative;
    report.complementarity = status.residual.complementarity;
    report.cone_violation = status.residual.cone_violation;
    report.dissipation = status.residual.dissipation;
    add_impulses(Purpose::kVelocity, members, work, s);
    take_answer(members, work, report, status.residual.worst_block, s);
  });

  ContactReport report;
  report.points = s.points.size();
  report.groups = s.groups.size();
  report.overflow = s.points.overflow();
  for (const ContactPoint& point : s.points.points())
    report.penetration = std::max(report.penetration, -point.gap);
  for (const ContactReport& group : s.reports) add_report(group, report);
  update_side_work(s);
  return report;
}

void remember(const ContactScratch& s, WarmStart& warm) {
  const int n = s.points.size();
  warm.id.resize(n), warm.p.resize(n), warm.spin.resize(n), warm.stretch.resize(n);
  for (int i = 0; i < n; ++i) {
    warm.id[i] = s.points[i].id;
    warm.p[i] = s.contacts[i].p;
    warm.spin[i] = s.contacts[i].spin;
    warm.stretch[i] = s.contacts[i].stretch;
  }
  if (!s.sources.limited.empty()) std::fill(warm.limit.begin(), warm.limit.end(), 0.0);
  for (const JointRow& row : s.joint_rows) {
    switch (row.kind) {
      case JointRowKind::kLimit: warm.limit[row.index] += row.c1 * row.p; break;
      case JointRowKind::kFriction: warm.friction[row.index] = row.p; break;
      case JointRowKind::kMimic: warm.mimic[row.index] = row.p; break;
    }
  }
  for (const LoopBlock& block : s.loop_blocks) warm.loop[2 * block.loop + block.is_turn] = block.p;
  std::copy(s.rest.begin(), s.rest.end(), warm.rest.begin());
}

bool needs_correction(const ContactOptions& options, const ContactScratch& s) {
  for (int i = 0, n = static_cast<int>(s.trees.size()); i < n; ++i)
    if (is_off(options, s, i)) return true;
  return false;
}

void correct(const Model& model, const Kinematics<double>& kin, const ContactOptions& options,
             double h, ContactScratch& s) {
  clear_impulses(s);
  solver::SolveOptions how;
  how.tolerance = 1e-4;
  how.max_sweeps = 100;
  how.use_newton = false;
  for_each_group(s, [&](int g, GroupWork& work) {
    const std::span<const int> members = s.groups.members(g);
    if (std::none_of(members.begin(), members.end(), [&](int i) { return is_off(options, s, i); }))
      return;
    make_problem(Purpose::kDisplacement, model, kin, options, members, h, s, work);
    work.sweeps.start(work.problem);
    (void)work.solver.solve(work.sweeps, how, work.p);
    add_impulses(Purpose::kDisplacement, members, work, s);
  });
}

}  // namespace stance::contact
