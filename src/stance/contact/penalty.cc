#include "stance/contact/penalty.h"

#include <algorithm>

#include "stance/contact/constraints.h"
#include "stance/contact/penalty_classical.h"
#include "stance/kernel/assert.h"

namespace stance::contact {

using solver::SolveStatus;

namespace {

constexpr double kCut = 1e-12;  // part of an impulse: a cut that is not rounding

// ---- springs and dampers ------------------------------------------------------------------------

// Forces at the start of the step.
void push_classically(const ContactOptions& options, double h, std::span<const int> points,
                      ContactScratch& s, GroupWork& work) {
  for (std::size_t k = 0; k < points.size(); ++k) {
    PointContact& contact = s.contacts[points[k]];
    const Vec3d& u = contact.u_before;
    const double normal =
        calc_normal_force(options.law, options.penalty, s.points[points[k]].gap, u[0]);
    const double limit = contact.material.friction * std::max(normal, 0.0);
    Vec3d stretch(0.0, dot(contact.t1, contact.stretch), dot(contact.t2, contact.stretch));
    const Vec3d friction = calc_friction(options.penalty, limit, u, stretch);
    work.p[k] = h * Vec3d(normal, friction[1], friction[2]);
    contact.stretch = madd(stretch[1], contact.t1, stretch[2] * contact.t2);
  }
}

// Over the step the points move away from their anchors.
void move_anchors(double h, std::span<const int> points, ContactScratch& s, const GroupWork& work) {
  for (std::size_t k = 0; k < points.size(); ++k) {
    PointContact& contact = s.contacts[points[k]];
    const Vec3d u = work.sweeps.swept_velocity(static_cast<int>(k));
    contact.stretch = madd(h * u[1], contact.t1, madd(h * u[2], contact.t2, contact.stretch));
  }
}

// Solves the blocks behind the contact points for the velocities that these leave them.
SolveStatus solve_rest(std::size_t num_points, const solver::SolveOptions& how, GroupWork& work) {
  STANCE_ASSERT(work.problem.C.is_empty());  // which would have to be taken apart with the blocks
  SolveStatus status;
  status.is_converged = true;
  const std::size_t n = work.p.size();
  if (num_points == n) return status;
  solver::BodyProblem& rest = work.penalty.rest;
  rest.clear();
  rest.nodes = work.problem.nodes, rest.response = work.problem.response;
  rest.sets = work.problem.sets, rest.num_coordinates = work.problem.num_coordinates;
  work.penalty.p.assign(work.p.begin(), work.p.end());
  std::fill(work.penalty.p.begin() + num_points, work.penalty.p.end(), Vec3d());
  work.sweeps.start(work.problem);
  work.sweeps.place(work.penalty.p);
  for (std::size_t b = num_points; b < n; ++b) {
    rest.blocks.push_back(work.problem.blocks[b]);
    rest.rows.push_back(work.problem.rows[b]);
    rest.q.push_back(work.sweeps.swept_velocity(static_cast<int>(b)));
  }
  work.penalty.sweeps.start(rest);
  return work.solver.solve(work.penalty.sweeps, how, std::span(work.p).subspan(num_points));
}

// ---- feedback linearisation ---------------------------------------------------------------------

// The exact law's problem for what the points' velocities are short of the wanted ones, other
// constraints as they are; starts from work.p.
SolveStatus solve_for_wanted(std::size_t num_points, const solver::SolveOptions& how,
                             GroupWork& work) {
  work.penalty.q.assign(work.problem.q.begin(), work.problem.q.end());
  for (std::size_t k = 0; k < num_points; ++k) work.problem.q[k] = -work.penalty.change[k];
  work.sweeps.start(work.problem);
  const SolveStatus status = work.solver.solve(work.sweeps, how, work.p);
  std::swap(work.problem.q, work.penalty.q);
  return status;
}

// W p = v+ - v*, the same as Lambda F = a_d - a_free times h, cut to what contact can do.
SolveStatus push_by_linearisation(const ContactOptions& options, const solver::SolveOptions& how,
                                  double h, std::span<const int> points, const ContactScratch& s,
                                  GroupWork& work) {
  PenaltyWork& penalty = work.penalty;
  penalty.change.clear();
  for (const int i : points) {
    // u is J v; as J changes along the step, the point moves at u + h/2 bias, and moved over the
    // last step at u - h/2 bias. The law is for what the point does.
    const PointContact& contact = s.contacts[i];
    const Vec3d turn = 0.5 * h * contact.bias;
    penalty.change.push_back(
        calc_wanted_velocity(options.penalty, h, s.points[i].gap, contact.u_before - turn) - turn -
        contact.u_free);
  }
  make_explicit(work.problem, penalty.motions, penalty.dense);
  penalty.p.resize(points.size());
  penalty.minimum_norm.solve(penalty.dense.W, penalty.change, penalty.p);
  SolveStatus status;
  status.residual.relative =
      calc_least_squares_error(penalty.dense.W, penalty.change, penalty.p, penalty.left);
  status.is_converged = status.residual.relative <= how.tolerance;
  bool is_cut = false;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Vec3d p = saturate(work.problem.blocks[k].mu, penalty.p[k]);
    is_cut = is_cut || norm(p - penalty.p[k]) > kCut * norm(penalty.p[k]);
    penalty.p[k] = p;
  }

  const bool is_alone = points.size() == work.p.size();
  // Sweeps start from the impulses of the last step where there are any, so that what is left of
  // the residual at rest goes on falling from step to step.
  const bool is_warm =
      std::any_of(work.p.begin(), work.p.end(), [](const Vec3d& p) { return norm(p) > 0.0; });
  const bool is_done = is_alone && (!is_cut || options.penalty.saturation == Saturation::kOnce);
  if (is_done || !is_warm) std::copy(penalty.p.begin(), penalty.p.end(), work.p.begin());
  return is_done ? status : solve_for_wanted(points.size(), how, work);
}

}  // namespace

LawStatus solve_penalty(const ContactOptions& options, const solver::SolveOptions& how,
                        std::span<const int> members, double h, ContactScratch& s,
                        GroupWork& work) {
  const std::span<const int> points = find_points(s, members);
  SolveStatus status;
  if (options.law == ContactLaw::kPenaltyFbl) {
    status = push_by_linearisation(options, how, h, points, s, work);
  } else {
    push_classically(options, h, points, s, work);
    status = solve_rest(points.size(), how, work);
  }
  // what came of it, by its own equations and against the exact law
  const double residual = status.residual.relative;
  work.sweeps.start(work.problem);
  work.sweeps.place(work.p);
  status.residual = work.sweeps.grade(work.p);
  if (options.law != ContactLaw::kPenaltyFbl) move_anchors(h, points, s, work);
  return {status, residual};
}

}  // namespace stance::contact
