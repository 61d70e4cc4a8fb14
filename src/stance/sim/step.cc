#include "stance/sim/step.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "stance/contact/velocity_check.h"
#include "stance/dynamics/centroidal.h"
#include "stance/dynamics/jacobian.h"
#include "stance/sim/displace.h"
#include "stance/sim/drives.h"

namespace stance::sim {
namespace {

using Doubles = std::span<const double>;

// v* = v + h (M + h D + h^2 K)^-1 (tau - bias), D and K of joints and of hands; and the bodies'
// velocities with it
void calc_free_velocity(const World& w, double h, const State& x, Scratch& s) {
  const model::Model& model = w.model;
  const dynamics::Bodies& b = s.start;
  update_articulated(model, b.kin(), b.inertias(), Doubles(s.diagonal),
                     std::span<const dynamics::AddedInertia<double>>(s.added), s.art);
  calc_forward_dynamics(model, w.gravity, b.kin(), b.inertias(), b.vel(), s.art, Doubles(s.tau),
                        std::span<const kernel::Force<double>>(), s.forward,
                        std::span<double>(s.vdot));
  for (int k = 0; k < model.nv; ++k) s.v_free[k] = x.v[k] + h * s.vdot[k];
  update_velocities(model, b.kin(), Doubles(s.v_free), s.free);
}

// Kinetic and potential energy of bodies with velocities v, J.
double calc_energy(const World& w, const dynamics::Bodies& b, Doubles v, StepReport& report) {
  report.kinetic = calc_kinetic_energy(w.model, b.inertias(), b.vel(), v);
  report.potential = calc_potential_energy(w.model, w.gravity, b.kin(), b.inertias());
  return report.kinetic + report.potential;
}

// What there is before the first step.
void open_account(const World& w, State& x, const Scratch& s, StepReport& report) {
  if (x.energy.is_open) return;
  x.energy.start = calc_energy(w, s.start, x.v, report), x.energy.is_open = true;
}

// The energy that the bodies would have at the end without the displacement, J.
double calc_undisplaced_energy(const World& w, double h, const State& x, Scratch& s,
                               StepReport& report) {
  for (int k = 0; k < w.model.nv; ++k) s.vdot[k] = h * s.v_next[k];
  model::integrate(w.model, x.q.data(), s.vdot.data(), s.q_next.data());
  s.end.update(w.model, s.q_next, s.v_next);
  return calc_energy(w, s.end, s.v_next, report);
}

// Energy at the end, and what the integrator added to it so far. `undisplaced`: what it would be
// without the displacement, if there was one.
void close_account(const World& w, std::optional<double> undisplaced, State& x, const Scratch& s,
                   StepReport& report) {
  const double energy = calc_energy(w, s.end, x.v, report);
  EnergyAccount& a = x.energy;
  if (undisplaced) a.drift += energy - *undisplaced;
  report.energy_error = energy - (a.start + a.contact + a.joints + a.input + a.drift);
}

// Whether the bodies now move as the solver says.
bool check_velocities(const World& w, Scratch& s, StepReport& report) {
  if (s.contact.groups.size() == 0) return true;
  update_velocities(w.model, s.start.kin(), Doubles(s.v_next), s.after);
  const contact::VelocityError error =
      calc_velocity_error(w.model, s.start.kin(), s.after.V, s.v_next, s.contact);
  report.contact.velocity_error = error.worst;
  return error.is_rounding();
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

// The state at the end: coordinates, account of energy, what the next step starts from.
void move_on(const World& w, const Input& in, double h, const StepReport& report, State& x,
             Scratch& s) {
  book_drives(w.model, in, h, x, s);
  x.energy.contact += report.contact.contact_energy;
  x.energy.joints += report.contact.joint_energy;
  std::copy(s.q_next.begin(), s.q_next.end(), x.q.begin());
  std::copy(s.v_next.begin(), s.v_next.end(), x.v.begin());
  std::copy(s.at_limit.begin(), s.at_limit.end(), x.at_limit.begin());
  contact::remember(s.contact, x.warm);
  x.time += h;
}

// The state is as before, and so are the bodies.
StepReport refuse(const World& w, State& x, StepReport& report, Scratch& s) {
  s.end.update(w.model, x.q, x.v);
  close_account(w, {}, x, s, report);
  return report;
}

}  // namespace

StepReport step(const World& w, const Input& in, double h, State& x, Scratch& s) {
  const model::Model& model = w.model;
  const auto done = [&s](Stage stage) { end_lap(s.timer, stage); };
  StepReport report;
  start_laps(s.timer);

  // where things are, and how they move
  const dynamics::Bodies& bodies = update_start(w, x, s);
  s.v_start = x.v;
  if (w.contact.law == contact::ContactLaw::kPenaltyFbl)
    calc_accelerations(model, bodies.kin(), bodies.vel(), {}, s.bias);
  open_account(w, x, s, report), done(Stage::kStart);

  start_drives(w, in, h, x, s);
  do {
    // what would happen without contact
    calc_drives(model, in, h, x, s), done(Stage::kDrives);
    calc_free_velocity(w, h, x, s), done(Stage::kFreeVelocity);
    s.v_next = s.move = s.v_free;
    if (refuses(w, x.q, s.v_next, report)) return refuse(w, x, report, s);

    // what contact adds: impulses in the friction cones, v+ = v* + M^-1 J^T p
    contact::find(model, w.shapes, bodies.kin(), bodies.vel().V, s.free.V, w.contact.margin, h,
                  s.contact);
    done(Stage::kFindContacts);
    contact::assemble(model, w.materials, w.loops, bodies.kin(), s.art,
                      {x.q, x.v, s.v_free, bodies.vel().V, s.free.V, s.bias}, w.contact, h, x.warm,
                      s.contact);
    done(Stage::kAssemble);
    report.contact = contact::solve(model, bodies.kin(), w.contact, h, s.contact);
    done(Stage::kSolve);
    apply_impulses(w, s, s.v_next), done(Stage::kApply);
  } while (revise_limits(model, in, h, x, ++report.passes, s));
  report.velocities_agree = check_velocities(w, s, report);
  report.broken_drive = find_broken_drive(model, in, h, x, s);
  if (!report.velocities_agree || !report.contact.is_converged || report.broken_drive >= 0)
    report.status |= kNotConverged;
  if (report.contact.dropped > 0) report.status |= kContactOverflow;

  // a displacement against penetration, and against what would come through each other
  std::optional<double> undisplaced;
  if (displace(w, h, x, report, s))
    undisplaced = calc_undisplaced_energy(w, h, x, s, report), done(Stage::kCorrect);

  // move, or refuse to: q+ = q (+) h v+
  for (double& move : s.move) move *= h;
  model::integrate(model, x.q.data(), s.move.data(), s.q_next.data());
  if (refuses(w, s.q_next, s.v_next, report)) return refuse(w, x, report, s);
  move_on(w, in, h, report, x, s), done(Stage::kMove);

  // where things are now: what is measured, and what the next step begins with
  s.end.update(model, x.q, x.v);
  close_account(w, undisplaced, x, s, report), done(Stage::kKinematics);
  return report;
}

}  // namespace stance::sim
