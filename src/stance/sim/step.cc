#include "stance/sim/step.h"

#include <algorithm>
#include <cmath>

#include "stance/dynamics/centroidal.h"
#include "stance/dynamics/jacobian.h"
#include "stance/sim/drives.h"

namespace stance::sim {
namespace {

using Doubles = std::span<const double>;

// v* = v + h (M + h D + h^2 K)^-1 (tau - bias), D and K of joints and of hands; and the bodies'
// velocities with it
void calc_free_velocity(const World& w, double h, const State& x, Scratch& s) {
  const model::Model& model = w.model;
  update_articulated(model, s.kin, s.inertias, Doubles(s.diagonal),
                     std::span<const dynamics::AddedInertia<double>>(s.added), s.art);
  calc_forward_dynamics(model, w.gravity, s.kin, s.inertias, s.before, s.art, Doubles(s.tau),
                        std::span<const kernel::Force<double>>(), s.forward,
                        std::span<double>(s.vdot));
  for (int k = 0; k < model.nv; ++k) s.v_free[k] = x.v[k] + h * s.vdot[k];
  update_velocities(model, s.kin, Doubles(s.v_free), s.free);
}

// v += M^-1 (sum of J^T impulses)
void apply_impulses(const World& w, Scratch& s, std::span<double> v) {
  if (s.contact.groups.size() == 0) return;
  apply_inverse_mass(w.model, s.kin, s.art, Doubles(s.contact.joint_impulses),
                     std::span<const kernel::Force<double>>(s.contact.impulses), s.forward,
                     std::span<double>(s.vdot));
  for (int k = 0; k < w.model.nv; ++k) v[k] += s.vdot[k];
}

// What the integrator added to the energy so far, J.
double calc_energy_error(double energy, EnergyAccount& account) {
  if (!account.is_open) account.start = energy, account.is_open = true;
  return energy - (account.start + account.contact + account.joints + account.input);
}

// True when a position or velocity is not finite, or so large that its square, or a float of the
// broad phase, is not; names the body.
bool refuses(const World& w, Doubles q, Doubles v, StepReport& report) {
  constexpr double kLargest = 1e30;
  const auto is_fine = [](double value) { return std::abs(value) < kLargest; };
  if (std::all_of(q.begin(), q.end(), is_fine) && std::all_of(v.begin(), v.end(), is_fine))
    return false;
  report.status |= kNotFinite;
  for (int i = w.model.nbody - 1; i > 0; --i) {
    const Doubles q_i = q.subspan(w.model.q_start[i], w.model.joint_nq(i));
    const Doubles v_i = v.subspan(w.model.v_start[i], w.model.joint_nv(i));
    if (!std::all_of(q_i.begin(), q_i.end(), is_fine) ||
        !std::all_of(v_i.begin(), v_i.end(), is_fine))
      report.bad_body = i;
  }
  return true;
}

}  // namespace

StepReport step(const World& w, const Input& in, double h, State& x, Scratch& s) {
  const model::Model& model = w.model;
  StepReport report;

  // where things are, and how they move
  s.v_start = x.v;
  update_kinematics(model, Doubles(x.q), s.kin);
  update_velocities(model, s.kin, Doubles(x.v), s.before);
  update_inertias(model, s.kin, s.inertias);
  if (w.contact.law == contact::ContactLaw::kPenaltyFbl)
    calc_accelerations(model, s.kin, s.before, {}, s.bias);
  report.kinetic = calc_kinetic_energy(model, s.inertias, s.before, Doubles(x.v));
  report.potential = calc_potential_energy(model, w.gravity, s.kin, s.inertias);
  report.energy_error = calc_energy_error(report.kinetic + report.potential, x.energy);

  start_drives(w, in, h, x, s);
  do {
    // what would happen without contact
    calc_drives(model, in, h, x, s);
    calc_free_velocity(w, h, x, s);
    s.v_next = s.move = s.v_free;
    if (refuses(w, x.q, s.v_next, report)) return report;

    // what contact adds: impulses in the friction cones, v+ = v* + M^-1 J^T p
    contact::find(model, w.shapes, s.kin, s.before.V, s.free.V, w.contact.margin, h, s.contact);
    contact::assemble(model, w.materials, w.loops, s.kin, s.art,
                      {x.q, x.v, s.v_free, s.before.V, s.free.V, s.bias}, w.contact, h, x.warm,
                      s.contact);
    report.contact = contact::solve(model, s.kin, w.contact, h, s.contact);
    apply_impulses(w, s, s.v_next);
  } while (revise_limits(model, in, h, x, ++report.passes, s));
  if (!report.contact.is_converged || breaks_law(model, in, h, x, s))
    report.status |= kNotConverged;
  if (report.contact.overflow) report.status |= kContactOverflow;

  // move, or refuse to: q+ = q (+) h v+, and a displacement against penetration
  s.move = s.v_next;
  if (contact::needs_correction(w.contact, s.contact)) {
    contact::correct(model, s.kin, w.contact, h, s.contact);
    apply_impulses(w, s, s.move);
  }
  for (double& move : s.move) move *= h;
  model::integrate(model, x.q.data(), s.move.data(), s.q_next.data());
  if (refuses(w, s.q_next, s.v_next, report)) return report;
  book_drives(model, in, h, x, s);
  x.energy.contact += report.contact.contact_energy;
  x.energy.joints += report.contact.joint_energy;
  std::copy(s.q_next.begin(), s.q_next.end(), x.q.begin());
  std::copy(s.v_next.begin(), s.v_next.end(), x.v.begin());
  std::copy(s.at_limit.begin(), s.at_limit.end(), x.at_limit.begin());
  contact::remember(s.contact, x.warm);
  x.time += h;
  return report;
}

}  // namespace stance::sim
