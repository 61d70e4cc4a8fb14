#include "stance/sim/step.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "stance/contact/velocity_check.h"
#include "stance/dynamics/centroidal.h"
#include "stance/dynamics/jacobian.h"
#include "stance/sim/displace.h"
#include "stance/sim/drives.h"
#include "stance/sim/free_velocity.h"

namespace stance::sim {
namespace {

using Doubles = std::span<const double>;

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

// q+ = q' (+) (h `way` - lead v+): from the frame on the rest of the way to the next one.
void move(const World& w, double h, Doubles way, Scratch& s) {
  const double lead = calc_lead(w, h);
  for (int k = 0; k < w.model.nv; ++k) s.vdot[k] = h * way[k] - lead * s.v_next[k];
  model::integrate(w.model, s.q_frame.data(), s.vdot.data(), s.q_next.data());
}

// The energy that the bodies would have at the end without the displacement, J.
double calc_undisplaced_energy(const World& w, double h, Scratch& s, StepReport& report) {
  move(w, h, s.v_next, s);
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
  update_velocities(w.model, s.frame.kin(), Doubles(s.v_next), s.after);
  const contact::VelocityError error =
      calc_velocity_error(w.model, s.frame.kin(), s.after.V, s.v_next, s.contact);
  report.contact.velocity_error = error.worst;
  return error.is_rounding();
}

// True when a position or velocity is not finite, or so large that its square, or a float of the
// broad phase, is not; names the body.
bool refuses(const World& w, Doubles q, Doubles v, StepReport& report) {
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
  const double lead = calc_lead(w, h);
  for (int k = 0; k < w.model.nv; ++k)
    s.move[k] = h * s.move[k] + lead * (s.v_start[k] - s.v_next[k]);
  expect_gain(w, h, x, s);
  x.is_way_clear = true;
  x.energy.contact += report.contact.contact_energy;
  x.energy.joints += report.contact.joint_energy;
  std::copy(s.q_next.begin(), s.q_next.end(), x.q.begin());
  std::copy(s.v_next.begin(), s.v_next.end(), x.v.begin());
  std::copy(s.at_limit.begin(), s.at_limit.end(), x.at_limit.begin());
  contact::remember(s.contact, x.warm);
  x.time += h;
}

// The motion that rows are made of, and how it goes on where they need it.
contact::StepMotion find_motion(const World& w, double h, const State& x, Scratch& s) {
  contact::StepMotion motion{s.q_frame, x.v, s.v_free, s.frame.vel().V, s.free.V};
  const double lead = calc_lead(w, h);
  if (w.contact.law == contact::ContactLaw::kPenaltyFbl ||
      (lead > 0.0 && (s.contact.points.size() > 0 || !w.loops.empty()))) {
    calc_accelerations(w.model, s.frame.kin(), s.mean, {}, s.bias);
    motion.mean = s.mean.V, motion.bias = s.bias, motion.lead = h - lead;
    if (lead == 0.0) motion.lead = 0.0;
  }
  return motion;
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

  // where things are, how they move, and where forces will act: half a step ahead
  update_start(w, x, s);
  s.v_start = x.v;
  open_account(w, x, s, report);
  update_frame(w, h, x, s);
  if (refuses(w, s.q_frame, x.v, report)) return refuse(w, x, report, s);
  if (!x.is_way_clear) keep_way(w, h, x, s);
  const dynamics::Kinematics<double>& kin = s.frame.kin();
  const dynamics::Velocities<double>& before = s.frame.vel();
  done(Stage::kStart);

  bool is_mean_known = false;
  start_drives(w, in, h, x, s);
  do {
    // what would happen without contact
    calc_drives(w, in, h, x, s), done(Stage::kDrives);
    calc_free_velocity(w, h, x, is_mean_known, s), done(Stage::kFreeVelocity);
    s.v_next = s.move = s.v_free;
    if (refuses(w, s.q_frame, s.v_next, report)) return refuse(w, x, report, s);

    // what contact adds: impulses in the friction cones, v+ = v* + M^-1 J^T p
    contact::find(model, w.shapes, kin, before.V, s.free.V, w.contact.margin, h, s.contact);
    done(Stage::kFindContacts);
    contact::assemble(model, w.materials, w.loops, kin, s.art, find_motion(w, h, x, s), w.contact,
                      h, x.warm, s.contact);
    done(Stage::kAssemble);
    report.contact = contact::solve(model, kin, w.contact, h, s.contact);
    done(Stage::kSolve);
    apply_impulses(w, s, s.v_next), done(Stage::kApply);
    ++report.passes;
    is_mean_known = revise_mean(w, x, report, s);
  } while (revise_limits(model, in, h, x, report.passes, s) || is_mean_known);
  report.velocities_agree = check_velocities(w, s, report);
  report.broken_drive = find_broken_drive(model, in, h, x, s);
  if (!report.velocities_agree || !report.contact.is_converged || report.broken_drive >= 0)
    report.status |= kNotConverged;
  if (report.contact.dropped > 0) report.status |= kContactOverflow;

  // a displacement against penetration, and against what would come through each other
  std::optional<double> undisplaced;
  if (displace(w, h, report, s))
    undisplaced = calc_undisplaced_energy(w, h, s, report), done(Stage::kCorrect);

  // move, or refuse to
  move(w, h, s.move, s);
  if (refuses(w, s.q_next, s.v_next, report)) return refuse(w, x, report, s);
  move_on(w, in, h, report, x, s), done(Stage::kMove);

  // where things are now: what is measured, and what the next step begins with
  s.end.update(model, x.q, x.v);
  close_account(w, undisplaced, x, s, report), done(Stage::kKinematics);
  return report;
}

}  // namespace stance::sim
