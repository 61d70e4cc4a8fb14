#include "stance/sim/free_velocity.h"

#include <algorithm>
#include <cmath>

#include "stance/contact/constraints.h"

namespace stance::sim {
namespace {

using Doubles = std::span<const double>;
using kernel::Force;
using kernel::Motion;

// Angles of a step beyond which an extrapolated mean would let gyroscopic motions grow.
constexpr double kFastTurn = 0.01;
// Gyroscopic forces of slower turns are below rounding.
constexpr double kNoTurn = 1e-8;
constexpr int kMostLoose = 40, kMostFast = 6, kMostBounces = 10;
// A jump of a row's velocity that is more than h times this is an impact, m/s^2 or rad/s^2.
constexpr double kImpact = 20.0;

// ---- loose bodies -------------------------------------------------------------------------------

// Force that a body alone in its tree needs to move on as it does, at O: gravity's and gyroscopic.
Force<double> calc_loose_force(const model::Model& model, const Vec3d& gravity,
                               const dynamics::Inertias<double>& inertias, int i,
                               const Motion<double>& V) {
  const Vec3d& c = inertias.p_OC[i];
  const Vec3d v_C = V.lin + cross(V.ang, c);
  const Vec3d f = model.mass[i] * (cross(V.lin, V.ang) + cross(V.ang, v_C) - gravity);
  const Vec3d L = inertias.I_C[i] * V.ang;
  return {cross(V.ang, L) + cross(c, f), f};
}

// Finds the mean of the velocities before and after of a loose body, which is in the forces that
// change one to the other. The energy of its turning is then kept to rounding.
void refine_loose(const World& w, double h, const State& x, int i, Scratch& s) {
  const model::Model& model = w.model;
  const dynamics::Kinematics<double>& kin = s.frame.kin();
  const int first = model.v_start[i];
  for (int pass = 0; pass < kMostLoose; ++pass) {
    Motion<double> V;
    for (int k = first; k < first + 6; ++k) {
      s.v_mean[k] = 0.5 * (x.v[k] + s.v_free[k] + x.pushed[k]);
      V = madd(s.v_mean[k], kin.S[k], V);
    }
    s.mean.V[i] = V;
    s.mean.c[i].lin = cross(V.lin, V.ang);
    if (h * h * dot(V.ang, V.ang) < kNoTurn * kNoTurn) return;
    Force<double> F = calc_loose_force(model, w.gravity, s.frame.inertias(), i, V);
    for (int k = first; k < first + 6; ++k)
      F = nmadd(s.tau[k], Force<double>{kin.S[k].ang, kin.S[k].lin}, F);
    const Motion<double> A = s.art.root_inverse[model.tree[i]] * Force<double>{-F.ang, -F.lin};
    double change = 0.0, size = 0.0;
    for (int k = first; k < first + 6; ++k) {
      const double v = x.v[k] + h * dot(A, Force<double>{kin.S[k].ang, kin.S[k].lin});
      change = std::max(change, std::abs(v - s.v_free[k])), size = std::max(size, std::abs(v));
      s.v_free[k] = v;
    }
    if (!(change > 1e-15 * size)) return;
  }
}

// ---- robots -------------------------------------------------------------------------------------

void solve_free(const World& w, double h, const State& x, Scratch& s) {
  const model::Model& model = w.model;
  const dynamics::Kinematics<double>& kin = s.frame.kin();
  calc_forward_dynamics(model, w.gravity, kin, s.frame.inertias(), s.mean, s.art, Doubles(s.tau),
                        std::span<const Force<double>>(), s.forward, std::span<double>(s.vdot));
  for (int k = 0; k < model.nv; ++k) s.v_free[k] = x.v[k] + h * s.vdot[k];
}

// Whether some body of a robot turns so fast that the mean must be found, not extrapolated.
bool turns_fast(const World& w, double h, const Scratch& s) {
  const model::Model& model = w.model;
  const double most = kFastTurn / h;
  std::size_t loose = 0;
  for (int i = 1; i < model.nbody; ++i) {
    if (loose < s.loose.size() && s.loose[loose] == i) {
      ++loose;
      continue;
    }
    const Vec3d& turn = s.mean.V[i].ang;
    if (dot(turn, turn) > most * most) return true;
  }
  return false;
}

}  // namespace

std::vector<int> find_loose(const model::Model& model) {
  std::vector<int> out;
  for (int i = 1; i < model.nbody; ++i)
    if (dynamics::is_free_root(model, i) &&
        std::count(model.tree.begin(), model.tree.end(), model.tree[i]) == 1)
      out.push_back(i);
  return out;
}

void update_frame(const World& w, double h, const State& x, Scratch& s) {
  const model::Model& model = w.model;
  if (w.integrator == Integrator::kEuler) {
    s.q_frame = x.q, s.v_mean = x.v;
    s.frame.update(model, x.q, x.v);
    s.mean = s.frame.vel();
    return;
  }
  const double lead = calc_lead(w, h);
  for (int k = 0; k < model.nv; ++k) s.vdot[k] = lead * x.v[k];
  model::integrate(model, x.q.data(), s.vdot.data(), s.q_frame.data());
  s.frame.update(model, s.q_frame, x.v);
  for (int k = 0; k < model.nv; ++k) s.v_mean[k] = x.v[k] + 0.5 * x.gain[k];
  update_velocities(model, s.frame.kin(), Doubles(s.v_mean), s.mean);
}

void calc_free_velocity(const World& w, double h, const State& x, bool is_mean_known, Scratch& s) {
  const model::Model& model = w.model;
  const dynamics::Kinematics<double>& kin = s.frame.kin();
  update_articulated(model, kin, s.frame.inertias(), Doubles(s.diagonal),
                     std::span<const dynamics::AddedInertia<double>>(s.added), s.art);
  solve_free(w, h, x, s);
  if (!is_mean_known) {
    if (w.integrator == Integrator::kMidpoint && turns_fast(w, h, s)) {
      for (int pass = 0; pass < kMostFast; ++pass) {
        double change = 0.0, size = 0.0;
        for (int k = 0; k < model.nv; ++k) {
          const double mean = 0.5 * (x.v[k] + s.v_free[k] + x.pushed[k]);
          change = std::max(change, std::abs(mean - s.v_mean[k]));
          size = std::max(size, std::abs(mean)), s.v_mean[k] = mean;
        }
        if (!(change > 1e-14 * size)) break;
        update_velocities(model, kin, Doubles(s.v_mean), s.mean);
        solve_free(w, h, x, s);
      }
    }
    for (const int i : s.loose) refine_loose(w, h, x, i, s);
  }
  update_velocities(model, kin, Doubles(s.v_free), s.free);
}

bool revise_mean(const World& w, const State& x, const StepReport& report, Scratch& s) {
  if (report.contact.bounces == 0 || w.integrator != Integrator::kMidpoint) return false;
  double change = 0.0, size = 0.0;
  for (int k = 0; k < w.model.nv; ++k) {
    const double mean = 0.5 * (x.v[k] + s.v_next[k]);
    change = std::max(change, std::abs(mean - s.v_mean[k])), size = std::max(size, std::abs(mean));
    s.v_mean[k] = mean;
  }
  if (!(change > 1e-13 * size) || report.passes >= kMostBounces) return false;
  update_velocities(w.model, s.frame.kin(), Doubles(s.v_mean), s.mean);
  return true;
}

void expect_gain(const World& w, double h, State& x, Scratch& s) {
  if (w.integrator == Integrator::kEuler) return;
  const model::Model& model = w.model;
  for (int k = 0; k < model.nv; ++k)
    x.gain[k] = s.v_next[k] - s.v_start[k], x.pushed[k] = s.v_next[k] - s.v_free[k];
  const contact::ContactScratch& c = s.contact;
  const double jump = kImpact * h;
  const auto is_impact =
      contact::Cases{[&](contact::PointNumber at) {
                       const contact::PointContact& contact = c.contacts[at.i];
                       return contact.p[0] > 0.0 && contact.u[0] - contact.u_before[0] > jump;
                     },
                     [&](contact::JointRowNumber at) {
                       const contact::JointRow& row = c.joint_rows[at.i];
                       return row.kind == contact::JointRowKind::kLimit && row.p > 0.0 &&
                              row.u - row.u_before > jump;
                     },
                     [](contact::LoopBlockNumber) { return false; }};
  const contact::Numbering numbering(c);
  std::fill(s.part_of_way.begin(), s.part_of_way.end(), 1.0);
  bool is_any = false;
  for (int g = 0; g < c.groups.size(); ++g) {
    const std::span<const int> members = c.groups.members(g);
    if (std::none_of(members.begin(), members.end(),
                     [&](int i) { return numbering.visit(i, is_impact); }))
      continue;
    is_any = true;
    for (const int i : members)
      for (const int tree : {c.trees[i].a, c.trees[i].b})
        if (tree >= 0) s.part_of_way[tree] = 0.0;
  }
  if (!is_any) return;
  for (int k = 0; k < model.nv; ++k)
    if (s.part_of_way[model.tree[model.dof_body[k]]] == 0.0) x.gain[k] = x.pushed[k] = 0.0;
}

}  // namespace stance::sim
