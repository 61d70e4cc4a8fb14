#include "stance/contact/penalty.h"

#include <algorithm>

#include "stance/contact/penalty_classical.h"

namespace stance::contact {

using collision::ContactPoint;
using dynamics::Kinematics;
using model::Model;

namespace {

constexpr double kCut = 1e-12;  // part of an impulse: a cut that is not rounding

// Velocities of the points at the start of the step, in their own frames.
void calc_velocities_before(const Model& model, const Kinematics<double>& kin,
                            std::span<const Motion<double>> before, const ContactScratch& s,
                            std::vector<Vec3d>& u) {
  u.clear();
  for (int i = 0; i < s.points.size(); ++i) {
    const ContactPoint& point = s.points[i];
    Vec3d v;
    const auto add = [&](int body, double sign) {
      if (body == 0) return;
      const Vec3d r = point.p_W - kin.p_WO[model.tree[body]];
      v = madd(sign, before[body].lin + cross(before[body].ang, r), v);
    };
    add(point.body_a, 1.0), add(point.body_b, -1.0);
    u.push_back({dot(point.n_W, v), dot(s.contacts[i].t1, v), dot(s.contacts[i].t2, v)});
  }
}

// Forces at the start of the step.
void push_classically(const ContactOptions& options, double h, std::span<const int> members,
                      const PenaltyScratch& penalty, ContactScratch& s) {
  for (std::size_t k = 0; k < members.size(); ++k) {
    const int i = members[k];
    PointContact& contact = s.contacts[i];
    const Vec3d& u = penalty.u_before[i];
    const double normal = calc_normal_force(options.law, options.penalty, s.points[i].gap, u[0]);
    const double limit = contact.material.friction * std::max(normal, 0.0);
    Vec3d stretch(0.0, dot(contact.t1, contact.stretch), dot(contact.t2, contact.stretch));
    const Vec3d friction = calc_friction(options.penalty, limit, u, stretch);
    s.p[k] = h * Vec3d(normal, friction[1], friction[2]);
    contact.stretch = madd(stretch[1], contact.t1, stretch[2] * contact.t2);
  }
}

// Over the step the points move away from their anchors.
void move_anchors(double h, std::span<const int> members, ContactScratch& s) {
  for (const int i : members) {
    PointContact& contact = s.contacts[i];
    contact.stretch =
        madd(h * contact.u[1], contact.t1, madd(h * contact.u[2], contact.t2, contact.stretch));
  }
}

// The exact law's problem for what the velocities are short of the wanted ones. It starts from the
// impulses of the last step where there are any, so that what is left of it at rest goes on falling
// from step to step; else from the cut ones.
solver::SolveStatus saturate_consistently(const ContactOptions& options,
                                          std::span<const int> members, PenaltyScratch& penalty,
                                          ContactScratch& s) {
  const bool is_warm =
      std::any_of(members.begin(), members.end(), [&](int i) { return s.contacts[i].p[0] > 0.0; });
  for (std::size_t k = 0; is_warm && k < s.p.size(); ++k) s.p[k] = s.contacts[members[k]].p;
  std::swap(s.problem.q, penalty.q);
  for (std::size_t k = 0; k < s.p.size(); ++k) s.problem.q[k] = -penalty.change[k];
  s.sweeps.start(s.problem);
  solver::SolveOptions how;
  how.tolerance = options.tolerance;
  how.max_sweeps = options.max_sweeps;
  how.accelerate = options.accelerate;
  const solver::SolveStatus status = s.solver.solve(s.sweeps, how, s.p);
  std::swap(s.problem.q, penalty.q);
  return status;
}

// W p = v+ - v*, the same as Lambda F = a_d - a_free times h; true unless it did not converge.
bool push_by_linearisation(const ContactOptions& options, double h, std::span<const int> members,
                           PenaltyScratch& penalty, ContactScratch& s, int& sweeps) {
  penalty.change.clear();
  for (const int i : members)
    penalty.change.push_back(
        calc_wanted_velocity(options.penalty, h, s.points[i].gap, penalty.u_before[i]) -
        s.contacts[i].u_free);
  make_explicit(s.problem, penalty.dense);
  penalty.minimum_norm.solve(penalty.dense.W, penalty.change, s.p);
  bool is_cut = false;
  for (std::size_t k = 0; k < s.p.size(); ++k) {
    const Vec3d p = saturate(s.problem.blocks[k].mu, s.p[k]);
    is_cut = is_cut || norm(p - s.p[k]) > kCut * norm(s.p[k]);
    s.p[k] = p;
  }
  if (!is_cut || options.penalty.saturation == Saturation::kOnce) return true;
  penalty.q.resize(s.p.size());
  const solver::SolveStatus status = saturate_consistently(options, members, penalty, s);
  sweeps = std::max(sweeps, status.sweeps);
  return status.is_converged;
}

// What came of it, graded against the exact law.
void grade(std::span<const int> members, ContactScratch& s, ContactReport& report) {
  s.sweeps.start(s.problem);
  s.sweeps.place(s.p);
  const solver::Residual residual = s.sweeps.grade(s.p);
  report.complementarity = std::max(report.complementarity, residual.complementarity);
  report.cone_violation = std::max(report.cone_violation, residual.cone_violation);
  report.dissipation = std::max(report.dissipation, residual.dissipation);
  if (residual.relative > report.residual) {
    report.residual = residual.relative;
    report.worst_contact = members[residual.worst_block];
  }
  for (std::size_t k = 0; k < members.size(); ++k) {
    PointContact& contact = s.contacts[members[k]];
    const Vec3d shift = s.problem.q[k] - contact.u_free;
    contact.p = s.p[k];
    contact.u = s.sweeps.swept_velocity(static_cast<int>(k)) - shift;
    report.work += 0.5 * dot(contact.p, contact.u + contact.u_free);
    report.penetration = std::max(report.penetration, -s.points[members[k]].gap);
  }
}

}  // namespace

ContactReport push(const Model& model, const Kinematics<double>& kin,
                   std::span<const Motion<double>> before, const ContactOptions& options, double h,
                   const WarmStart& warm, ContactScratch& s, PenaltyScratch& penalty) {
  ContactReport report;
  report.points = s.points.size();
  report.groups = s.groups.size();
  report.overflow = s.points.overflow();
  recall(warm, s);
  std::fill(s.impulses.begin(), s.impulses.end(), Force<double>{});
  calc_velocities_before(model, kin, before, s, penalty.u_before);

  for (int g = 0; g < s.groups.size(); ++g) {
    const std::span<const int> members = s.groups.contacts(g);
    make_group_problem(model, kin, members, h, s);
    s.p.assign(members.size(), Vec3d());
    if (options.law == ContactLaw::kPenaltyFbl) {
      if (!push_by_linearisation(options, h, members, penalty, s, report.sweeps))
        report.is_converged = false;
      grade(members, s, report);
    } else {
      push_classically(options, h, members, penalty, s);
      grade(members, s, report);
      move_anchors(h, members, s);
    }
    finish_group(s.p, s);
  }
  return report;
}

}  // namespace stance::contact
