#include "stance/sim/displace.h"

#include <algorithm>
#include <cmath>

#include "stance/contact/missed.h"
#include "stance/sim/free_velocity.h"

namespace stance::sim {
namespace {

using Doubles = std::span<const double>;

// By rows of the displacement; then by keeping back whole trees; then it is given up.
constexpr int kHoldPasses = 4, kPasses = 12;
// Of the way to where two things touch, when trees are kept back.
constexpr double kShort = 0.9;

// Whether a displacement, s.vdot h, is one: finite, and if it is against drift alone, no coordinate
// turns things by more than a radian. Where the way out is that far, rows of the start pose say
// nothing about its end. What holds fast things apart may go far.
bool is_sane(const World& w, double h, const Scratch& s) {
  for (int k = 0; k < w.model.nv; ++k) {
    const bool turns = norm(s.frame.kin().S[k].ang) > 0.0;
    const double most = turns && s.contact.held == 0 ? 1.0 : kLargest;
    if (!(h * std::abs(s.vdot[k]) <= most)) return false;
  }
  return true;
}

// v_next and a displacement, by the solve of it; v_next alone if that makes no sense.
void correct(const World& w, double h, StepReport& report, Scratch& s) {
  contact::correct(w.model, s.frame.kin(), w.contact, h, s.contact, report.contact);
  s.move = s.v_next;
  if (s.contact.groups.size() == 0) return;
  apply_impulses(w, s, s.move);
  if (is_sane(w, h, s)) return;
  s.move = s.v_next;
  report.contact.is_drift_converged = false;
  report.contact.drift_residual = std::max(report.contact.drift_residual, 1.0);
}

// Bodies go only as far as to what they would meet.
void keep_back(const World& w, Scratch& s) {
  const model::Model& model = w.model;
  std::fill(s.part_of_way.begin(), s.part_of_way.end(), 1.0);
  for (const auto& meeting : s.contact.search->meetings) {
    for (const int k : {meeting.pair.a, meeting.pair.b}) {
      const int body = w.shapes.placements[k].body;
      if (body == 0) continue;
      double& part = s.part_of_way[model.tree[body]];
      part = std::min(part, kShort * meeting.time);
    }
  }
  for (int k = 0; k < model.nv; ++k) s.move[k] *= s.part_of_way[model.tree[model.dof_body[k]]];
}

// Looks where the way leads; true when things would come through each other.
bool finds_meetings(const World& w, double h, int pass, Scratch& s) {
  const model::Model& model = w.model;
  update_velocities(model, s.frame.kin(), Doubles(s.move), s.moving);
  if (!contact::may_miss(model, s.frame.kin(), s.moving.V, w.contact, pass == 0, h, s.contact))
    return false;
  for (int k = 0; k < model.nv; ++k) s.vdot[k] = h * s.move[k];
  model::integrate(model, s.q_frame.data(), s.vdot.data(), s.q_next.data());
  s.end.update(model, s.q_next, s.move);
  if (!contact::find_meetings(model, w.shapes, s.frame.kin(), s.end.kin(), s.moving.V, w.contact, h,
                              s.contact))
    return false;
  return !is_penalty(w.contact.law) || keep_crossings(w.shapes, s.contact);
}

}  // namespace

void apply_impulses(const World& w, Scratch& s, std::span<double> v) {
  if (s.contact.groups.size() == 0) return;
  apply_inverse_mass(w.model, s.frame.kin(), s.art, Doubles(s.contact.joint_impulses),
                     std::span<const kernel::Force<double>>(s.contact.impulses), s.forward,
                     std::span<double>(s.vdot));
  for (int k = 0; k < w.model.nv; ++k) v[k] += s.vdot[k];
}

bool displace(const World& w, double h, StepReport& report, Scratch& s) {
  const model::Model& model = w.model;
  const dynamics::Kinematics<double>& kin = s.frame.kin();
  s.move = s.v_next;
  s.contact.missed.clear();
  // the step will be refused: nothing to look for
  const auto is_fine = [](double v) { return std::abs(v) < kLargest; };
  if (!std::all_of(s.v_next.begin(), s.v_next.end(), is_fine)) return false;
  bool is_any = contact::needs_correction(w.contact, s.contact);
  if (is_any) correct(w, h, report, s);

  // what the new velocities bring together stays apart
  int pass = 0;
  const int most = is_penalty(w.contact.law) ? 0 : kPasses;
  bool is_left = false;
  for (; (is_left = finds_meetings(w, h, pass, s)) && pass < most; ++pass) {
    is_any = true;
    if (pass >= kHoldPasses) {
      keep_back(w, s);
      continue;
    }
    if (pass == 0) update_velocities(model, kin, Doubles(s.v_next), s.after);
    hold_meetings(model, kin, s.art, s.moving.V, s.after.V, h, s.contact);
    correct(w, h, report, s);
  }
  if (!report.contact.is_drift_converged) report.status |= kDriftNotConverged;
  if (is_left)
    for (const auto& meeting : s.contact.search->meetings) s.contact.missed.push_back(meeting.pair);
  report.contact.missed = static_cast<int>(s.contact.missed.size());
  if (report.contact.missed > 0) report.status |= kContactMissed;
  release_meetings(model, kin, s.art, s.contact);
  return is_any;
}

void keep_way(const World& w, double h, const State& x, Scratch& s) {
  const double lead = calc_lead(w, h);
  if (lead == 0.0) return;
  const model::Model& model = w.model;
  const dynamics::Kinematics<double>& kin = s.start.kin();
  const std::span<const kernel::Motion<double>> V = s.start.vel().V;

  // those that are near and close
  contact::find(model, w.shapes, kin, V, V, w.contact.margin, lead, s.contact);
  std::fill(s.part_of_way.begin(), s.part_of_way.end(), 1.0);
  const auto keep = [&](int body, double part) {
    if (body == 0) return;
    double& least = s.part_of_way[model.tree[body]];
    least = std::min(least, part);
  };
  for (const collision::ContactPoint& point : s.contact.points.points()) {
    if (is_passing(point, w.contact, *s.contact.search)) continue;
    const auto velocity = [&](int body) {
      if (body == 0) return Vec3d();
      return V[body].lin + cross(V[body].ang, point.p_W - kin.p_WO[model.tree[body]]);
    };
    const double way = -lead * dot(point.n_W, velocity(point.body_a) - velocity(point.body_b));
    if (way <= std::max(point.gap, 0.0)) continue;
    const double part = std::max(point.gap, 0.0) / way;
    keep(point.body_a, part), keep(point.body_b, part);
  }
  for (int k = 0; k < model.nv; ++k)
    s.vdot[k] = lead * s.part_of_way[model.tree[model.dof_body[k]]] * x.v[k];
  model::integrate(model, x.q.data(), s.vdot.data(), s.q_frame.data());
  s.frame.update(model, s.q_frame, x.v);
  update_velocities(model, s.frame.kin(), Doubles(s.v_mean), s.mean);
}

}  // namespace stance::sim
