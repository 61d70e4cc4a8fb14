#include "stance/contact/contact_system.h"

#include <algorithm>
#include <cmath>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "stance/contact/constraints.h"
#include "stance/contact/law_status.h"
#include "stance/contact/lcp.h"
#include "stance/contact/missed.h"
#include "stance/contact/penalty.h"
#include "stance/contact/rest_plan.h"

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

constexpr double kDeep = 2.0;  // slops: what is worth taking back, down to one
constexpr double kSideWork =
    2000.0;  // sweeps times constraints, about 0.1 ms: worth a second thread

Round calc_round(const collision::Geometry& geometry) {
  using collision::ShapeKind;
  const ShapeKind kind = geometry.shape.kind;
  if (kind == ShapeKind::kSphere || kind == ShapeKind::kCapsule) return {geometry.shape.radius};
  if (kind == ShapeKind::kCylinder) return {geometry.shape.radius, true, geometry.R_BG.c[2]};
  return {};
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

// Impulses of a group's problem by the law.
LawStatus solve_group(const ContactOptions& options, const solver::SolveOptions& how,
                      std::span<const int> members, double h, ContactScratch& s, GroupWork& work) {
  if (is_penalty(options.law)) return solve_penalty(options, how, members, h, s, work);
  work.sweeps.start(work.problem);
  if (options.law == ContactLaw::kLcp)
    return solve_lcp(work.problem, options.facets, how.tolerance, work.sweeps, work.p);
  const solver::SolveStatus status = work.solver.solve(work.sweeps, how, work.p);
  return {status, status.residual.relative};
}

// Takes the answer of a group apart, constraint by constraint: impulses, velocities, energy.
struct AnswerTaker {
  const GroupWork& work;
  int worst_block;
  ContactReport& report;
  ContactScratch& s;
  int b = 0;  // the next block

  void operator()(PointNumber at) {
    // a spin block stands behind the contact it belongs to
    if (worst_block >= b) report.worst_contact = at.i;
    PointContact& contact = s.contacts[at.i];
    const Vec3d shift = work.problem.q[b] - contact.u_free;
    contact.p = work.p[b];
    contact.u = work.sweeps.swept_velocity(b++) - shift;
    report.work += 0.5 * dot(contact.p, contact.u + contact.u_free);
    report.contact_energy += 0.5 * dot(contact.p, contact.u + contact.u_before);
    if (!contact.material.has_spin()) return;
    contact.spin = work.p[b];
    contact.w = work.sweeps.swept_velocity(b++);
    report.work += 0.5 * dot(contact.spin, contact.w + contact.w_free);
    report.contact_energy += 0.5 * dot(contact.spin, contact.w + contact.w_before);
  }
  void operator()(JointRowNumber at) {
    JointRow& row = s.joint_rows[at.i];
    const double shift = work.problem.q[b][0] - row.u_free;
    row.p = work.p[b][0];
    row.u = work.sweeps.swept_velocity(b++)[0] - shift;
    report.work += 0.5 * row.p * (row.u + row.u_free);
    report.joint_energy += 0.5 * row.p * (row.u + row.u_before);
    if (row.kind == JointRowKind::kMimic)
      report.loop_error = std::max(report.loop_error, std::abs(row.gap));
  }
  void operator()(LoopBlockNumber at) {
    LoopBlock& block = s.loop_blocks[at.i];
    block.p = work.p[b];
    block.u = work.sweeps.swept_velocity(b++);
    report.work += 0.5 * dot(block.p, block.u + block.u_free);
    report.joint_energy += 0.5 * dot(block.p, block.u + block.u_before);
    report.loop_error = std::max(report.loop_error, norm(block.error));
  }
};

// The report of all groups from those of each, in their order.
void add_report(const ContactReport& group, ContactReport& report) {
  const auto raise = [](double& worst, double value) { worst = std::max(worst, value); };
  report.sweeps = std::max(report.sweeps, group.sweeps);
  report.total.add(group.total);
  report.is_converged = report.is_converged && group.is_converged;
  if (!(group.residual <= report.residual))
    report.residual = group.residual, report.worst_contact = group.worst_contact;
  raise(report.distance, group.distance);
  raise(report.complementarity, group.complementarity);
  raise(report.cone_violation, group.cone_violation);
  raise(report.dissipation, group.dissipation);
  raise(report.gap_velocity, group.gap_velocity);
  raise(report.impulse_error, group.impulse_error);
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
struct IsOff {
  const ContactOptions& options;
  const ContactScratch& s;
  double limit = kDeep * options.slop;

  bool operator()(PointNumber at) const {
    if (at.i >= s.points.size() - s.held) return true;
    return !is_penalty(options.law) && s.points[at.i].gap < -limit;
  }
  bool operator()(JointRowNumber at) const {
    const JointRow& row = s.joint_rows[at.i];
    if (row.kind == JointRowKind::kMimic) return std::abs(row.gap) > options.slop;
    return row.kind == JointRowKind::kLimit && row.gap < -limit;
  }
  bool operator()(LoopBlockNumber at) const {
    return norm(s.loop_blocks[at.i].error) > options.slop;
  }
};

// How far a block of a displacement is from what it should be, given its rows' displacements.
double calc_drift(const solver::Block& block, const Vec3d& p, const Vec3d& u) {
  switch (block.law) {
    case solver::Law::kContact:
    case solver::Law::kUnilateral: return p[0] > 0.0 ? std::abs(u[0]) : std::max(-u[0], 0.0);
    case solver::Law::kBilateral: {
      double worst = 0.0;
      for (int k = 0; k < block.rows; ++k) worst = std::max(worst, std::abs(u[k]));
      return worst;
    }
    case solver::Law::kSpin:
    case solver::Law::kBox: break;  // not of displacements
  }
  return 0.0;
}

// What is farthest from where its displacement should take it.
void find_worst_drift(std::span<const int> members, const ContactScratch& s, const GroupWork& work,
                      ContactReport& report) {
  int b = 0;
  double worst = 0.0;
  const auto is_worse = [&] {
    const double drift =
        calc_drift(work.problem.blocks[b], work.p[b], work.sweeps.swept_velocity(b));
    ++b;
    return drift > worst ? (worst = drift, true) : false;
  };
  const auto set = [&report](int first, int second, int coordinate) {
    report.drift_a = first, report.drift_b = second, report.drift_coordinate = coordinate;
  };
  const auto see_point = [&](PointNumber at) {
    if (is_worse()) set(s.points[at.i].geometry_a, s.points[at.i].geometry_b, -1);
  };
  const auto see_row = [&](JointRowNumber at) {
    const JointRow& row = s.joint_rows[at.i];
    if (row.kind != JointRowKind::kFriction && is_worse()) set(-1, -1, row.k1);
  };
  const auto see_loop = [&](LoopBlockNumber) {
    if (is_worse()) set(-1, -1, -1);
  };
  visit_constraints(s, members, Cases{see_point, see_row, see_loop});
}

// Rows that contradict each other, as a limit and a mimic joint can, have no displacement that
// serves them all: where the sweeps were cut off, some move by a thousand times what was asked for,
// and the state with them. One that leaves the worst row worse than it was is not taken.
bool is_of_use(const solver::SolveStatus& status, const GroupWork& work) {
  if (status.is_converged) return true;
  double before = 0.0, after = 0.0;
  for (int b = 0; b < work.problem.num_blocks(); ++b) {
    const solver::Block& block = work.problem.blocks[b];
    before = std::max(before, calc_drift(block, Vec3d(), work.problem.q[b]));
    after = std::max(after, calc_drift(block, work.p[b], work.sweeps.swept_velocity(b)));
  }
  return after <= before;
}

}  // namespace

ContactScratch::ContactScratch(const Model& model, const collision::CollisionModel& shapes,
                               std::span<const Loop> loops, const ContactOptions& options)
    : most_points(options.most_points),
      p_WB(model.nbody),
      reach(model.nbody),
      collision(shapes),
      points(std::min(options.capacity, options.most_points)),
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
  spare.reserve(1024), missed.reserve(64);
  search = std::make_unique<MissedSearch>(model, shapes);
  contacts.reserve(options.capacity), room.reserve(options.capacity);
  immobile.reserve(options.capacity);
  faces.reserve(model.nbody, options.capacity);
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
    const LawStatus answer = solve_group(options, group_how, members, h, s, work);
    const solver::SolveStatus& status = answer.solve;
    set_rest_plan(members, update(plan, status), s);
    ContactReport& report = s.reports[g];
    report.sweeps = status.sweeps + status.still_steps;
    report.total = status;
    report.is_converged = status.is_converged;
    report.residual = answer.residual;
    report.distance = status.residual.relative;
    report.complementarity = status.residual.complementarity;
    report.cone_violation = status.residual.cone_violation;
    report.dissipation = status.residual.dissipation;
    report.gap_velocity = status.residual.gap_velocity;
    report.impulse_error = status.residual.impulse_error;
    add_impulses(Purpose::kVelocity, members, work, s);
    visit_constraints(s, members, AnswerTaker{work, status.residual.worst_block, report, s});
  });

  ContactReport report;
  report.points = s.points.size();
  report.groups = s.groups.size();
  report.dropped = s.points.dropped();
  report.immobile = static_cast<int>(s.immobile.size());
  for (const ContactPoint& point : s.points.points())
    report.penetration = std::max(report.penetration, -point.gap);
  for (const ContactPoint& point : s.spare)
    report.penetration = std::max(report.penetration, -point.gap);
  for (const ContactReport& group : s.reports) add_report(group, report);
  update_side_work(s);
  return report;
}

bool needs_correction(const ContactOptions& options, const ContactScratch& s) {
  const Numbering numbering(s);
  const IsOff is_off{options, s};
  for (int i = 0; i < numbering.end; ++i)
    if (numbering.visit(i, is_off)) return true;
  return false;
}

void correct(const Model& model, const Kinematics<double>& kin, const ContactOptions& options,
             double h, ContactScratch& s, ContactReport& report) {
  clear_impulses(s);
  solver::SolveOptions how;
  how.tolerance = 1e-4;
  how.max_sweeps = std::min(options.max_sweeps, 500);
  const Numbering numbering(s);
  const IsOff is_off{options, s};
  report.is_drift_converged = true, report.drift_residual = 0.0;
  s.reports.assign(s.groups.size(), {});
  for_each_group(s, [&](int g, GroupWork& work) {
    const std::span<const int> members = s.groups.members(g);
    if (std::none_of(members.begin(), members.end(),
                     [&](int i) { return numbering.visit(i, is_off); }))
      return;
    make_problem(Purpose::kDisplacement, model, kin, options, members, h, s, work);
    work.sweeps.start(work.problem);
    const solver::SolveStatus status = work.solver.solve(work.sweeps, how, work.p);
    s.reports[g].is_drift_converged = status.is_converged;
    s.reports[g].drift_residual = status.residual.relative;
    if (!status.is_converged) find_worst_drift(members, s, work, s.reports[g]);
    if (!is_of_use(status, work)) return;
    add_impulses(Purpose::kDisplacement, members, work, s);
  });
  for (const ContactReport& group : s.reports) {
    report.is_drift_converged = report.is_drift_converged && group.is_drift_converged;
    if (!group.is_drift_converged && group.drift_residual > report.drift_residual)
      report.drift_a = group.drift_a, report.drift_b = group.drift_b,
      report.drift_coordinate = group.drift_coordinate;
    report.drift_residual = std::max(report.drift_residual, group.drift_residual);
  }
}

}  // namespace stance::contact
