#include "stance/sim/step.h"

#include <algorithm>
#include <cmath>

#include "stance/dynamics/centroidal.h"

namespace stance::sim {
namespace {

using Doubles = std::span<const double>;

// tau and the diagonal of the joints' implicit springs and dampers:
// (M + h D + h^2 K) vdot = tau + K (target - q - h v) - D v - bias
void calc_drive(const model::Model& model, const Input& in, double h, const State& x, Scratch& s) {
  const auto at = [](Doubles values, int k) { return values.empty() ? 0.0 : values[k]; };
  for (int k = 0; k < model.nv; ++k) {
    const double d = model.damping[k] + at(in.damping, k), stiffness = at(in.stiffness, k);
    s.diagonal[k] = h * d + h * h * stiffness;
    s.tau[k] = at(in.tau, k) - d * x.v[k];
    if (stiffness == 0.0) continue;
    const int i = model.dof_body[k];
    const double q = x.q[model.q_start[i] + k - model.v_start[i]];
    s.tau[k] += stiffness * (at(in.target, k) - q - h * x.v[k]);
  }
}

// v* = v + h (M + h D + h^2 K)^-1 (tau - bias), and the bodies' velocities before and with it
void calc_free_velocity(const World& w, double h, const State& x, Scratch& s) {
  const model::Model& model = w.model;
  update_velocities(model, s.kin, Doubles(x.v), s.before);
  update_inertias(model, s.kin, s.inertias);
  update_articulated(model, s.kin, s.inertias, Doubles(s.diagonal), s.art);
  calc_forward_dynamics(model, w.gravity, s.kin, s.inertias, s.before, s.art, Doubles(s.tau),
                        std::span<const kernel::Force<double>>(), s.forward,
                        std::span<double>(s.vdot));
  for (int k = 0; k < model.nv; ++k) s.v_free[k] = x.v[k] + h * s.vdot[k];
  update_velocities(model, s.kin, Doubles(s.v_free), s.free);
}

// How far away a contact may become one within the step; for penalty laws it must touch already.
double calc_margin(const World& w, double h, const Scratch& s) {
  if (is_penalty(w.contact.law)) return w.contact.margin;
  double fastest = 0.0;
  for (int i = 1; i < w.model.nbody; ++i) {
    const kernel::Motion<double>&a = s.before.V[i], &b = s.free.V[i];
    fastest = std::max({fastest, dot(a.lin, a.lin), dot(b.lin, b.lin)});
  }
  return w.contact.margin + 2.0 * h * std::sqrt(fastest);
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

// Books what the step did to the energy. The change of kinetic energy is the impulse of every force
// times the mean of the velocities before and after; drives act with what they have at the end.
void book_energy(const World& w, const Input& in, double h, const contact::ContactReport& contact,
                 State& x, const Scratch& s) {
  const auto at = [](Doubles values, int k) { return values.empty() ? 0.0 : values[k]; };
  double input = 0.0, joints = 0.0;
  for (int k = 0; k < w.model.nv; ++k) {
    const double after = s.v_next[k], mean = 0.5 * h * (x.v[k] + after);
    joints -= w.model.damping[k] * after * mean;
    double force = at(in.tau, k) - at(in.damping, k) * after;
    if (const double stiffness = at(in.stiffness, k); stiffness != 0.0) {
      const int i = w.model.dof_body[k];
      const double q = x.q[w.model.q_start[i] + k - w.model.v_start[i]];
      force += stiffness * (at(in.target, k) - q - h * after);
    }
    input += force * mean;
  }
  x.energy.contact += contact.contact_energy;
  x.energy.joints += joints + contact.joint_energy;
  x.energy.input += input;
}

// True when a velocity or the way of the step is not finite; names the body.
bool refuses(const World& w, const Scratch& s, StepReport& report) {
  double sum = 0.0;
  for (int k = 0; k < w.model.nv; ++k) sum += std::abs(s.v_next[k]) + std::abs(s.move[k]);
  if (std::isfinite(sum)) return false;
  report.status |= kNotFinite;
  for (int k = w.model.nv - 1; k >= 0; --k)
    if (!std::isfinite(s.v_next[k] + s.move[k])) report.bad_body = w.model.dof_body[k];
  return true;
}

}  // namespace

StepReport step(const World& w, const Input& in, double h, State& x, Scratch& s) {
  const model::Model& model = w.model;
  StepReport report;

  // where things are, and what would happen without contact
  update_kinematics(model, Doubles(x.q), s.kin);
  calc_drive(model, in, h, x, s);
  calc_free_velocity(w, h, x, s);
  report.kinetic = calc_kinetic_energy(model, s.inertias, s.before, Doubles(x.v));
  report.potential = calc_potential_energy(model, w.gravity, s.kin, s.inertias);
  report.energy_error = calc_energy_error(report.kinetic + report.potential, x.energy);
  s.v_next = s.move = s.v_free;
  if (refuses(w, s, report)) return report;

  // what contact adds: impulses in the friction cones, v+ = v* + M^-1 J^T p
  contact::find(model, w.shapes, s.kin, calc_margin(w, h, s), s.contact);
  contact::assemble(model, w.materials, w.loops, s.kin, s.art,
                    {x.q, x.v, s.v_free, s.before.V, s.free.V}, w.contact, h, x.warm, s.contact);
  report.contact = contact::solve(model, s.kin, w.contact, h, s.contact);
  apply_impulses(w, s, s.v_next);
  if (!report.contact.is_converged) report.status |= kNotConverged;
  if (report.contact.overflow) report.status |= kContactOverflow;

  // move, or refuse to: q+ = q (+) h v+, and a displacement against penetration
  s.move = s.v_next;
  if (contact::needs_correction(w.contact, s.contact)) {
    contact::correct(model, s.kin, w.contact, h, s.contact);
    apply_impulses(w, s, s.move);
  }
  if (refuses(w, s, report)) return report;
  book_energy(w, in, h, report.contact, x, s);
  for (double& move : s.move) move *= h;
  model::integrate(model, x.q.data(), s.move.data(), x.q.data());
  x.v = s.v_next;
  contact::remember(s.contact, x.warm);
  x.time += h;
  return report;
}

}  // namespace stance::sim
