#include "stance/sim/event_driven.h"

#include <algorithm>
#include <cmath>

namespace stance::sim {
namespace {

using contact::Purpose;
using Doubles = std::span<const double>;
using Seen = EventScratch::Seen;
using Felt = EventScratch::Felt;

constexpr double kTouch = 1e-9;       // m: a gap that counts as closed
constexpr double kSlow = 1e-9;        // m/s: sliding that is not worth a direction
constexpr double kReverse = 1e-10;    // m/s: sliding backwards beyond rounding
constexpr double kAway = 1e-7;        // m/s^2: acceleration that is not rounding
constexpr double kReturn = 20.0;      // 1/s: how fast drift of a closed contact is taken back
constexpr double kDifference = 1e-5;  // s: for the rate of velocities at fixed v

struct Mover {
  const World& w;
  const Input& in;
  const EventOptions& options;
  EventScratch& s;

  const model::Model& model() const { return w.model; }

  // ---- contacts as they are ---------------------------------------------------------------------

  void look(Doubles q, Doubles v, std::vector<Seen>& out) const {
    Scratch& l = s.look;
    update_kinematics(model(), q, l.kin);
    update_velocities(model(), l.kin, v, l.before);
    contact::find(model(), w.shapes, l.kin, w.contact.margin, l.contact);
    out.clear();
    for (const collision::ContactPoint& point : l.contact.points.points()) {
      Seen seen{point.id, point.gap, point.n_W, {}};
      const auto add = [&](int body, double sign) {
        if (body == 0) return;
        const Vec3d r = point.p_W - l.kin.p_WO[model().tree[body]];
        seen.u = madd(sign, l.before.V[body].lin + cross(l.before.V[body].ang, r), seen.u);
      };
      add(point.body_a, 1.0), add(point.body_b, -1.0);
      out.push_back(seen);
    }
  }

  ContactMode* find_closed(std::uint64_t id) const {
    for (ContactMode& mode : s.closed)
      if (mode.id == id) return &mode;
    return nullptr;
  }
  static const Seen* find_seen(const std::vector<Seen>& list, std::uint64_t id) {
    for (const Seen& seen : list)
      if (seen.id == id) return &seen;
    return nullptr;
  }

  // ---- accelerations ----------------------------------------------------------------------------

  // vdot of the free system at q and v.
  void calc_free(Doubles q, Doubles v, std::span<double> vdot) const {
    Scratch& m = s.main;
    const auto at = [](Doubles values, int k) { return values.empty() ? 0.0 : values[k]; };
    for (int k = 0; k < model().nv; ++k) {
      m.tau[k] = at(in.tau, k) - (model().damping[k] + at(in.damping, k)) * v[k];
      if (const double stiffness = at(in.stiffness, k); stiffness != 0.0) {
        const int i = model().dof_body[k];
        m.tau[k] += stiffness * (at(in.target, k) - q[model().q_start[i] + k - model().v_start[i]]);
      }
    }
    update_kinematics(model(), q, m.kin);
    update_velocities(model(), m.kin, v, m.before);
    update_inertias(model(), m.kin, m.inertias);
    update_articulated(model(), m.kin, m.inertias, Doubles(), m.art);
    calc_forward_dynamics(model(), w.gravity, m.kin, m.inertias, m.before, m.art, Doubles(m.tau),
                          std::span<const kernel::Force<double>>(), m.forward, vdot);
  }

  // Contacts that `keep` wants, assembled for `free` in the place of free velocities.
  template <class Keep>
  void assemble(Doubles q, Doubles v, Doubles free, Keep&& keep) const {
    Scratch& m = s.main;
    contact::find(model(), w.shapes, m.kin, w.contact.margin, m.contact);
    const std::span<collision::ContactPoint> points = m.contact.points.points();
    int n = 0;
    for (const collision::ContactPoint& point : points)
      if (keep(point.id)) points[n++] = point;
    m.contact.points.shrink(n);
    update_velocities(model(), m.kin, free, m.free);
    contact::ContactOptions all = w.contact;
    all.law = contact::ContactLaw::kExact;
    all.margin = 1e9;
    contact::assemble(model(), s.materials, {}, m.kin, m.art, {q, v, free, m.before.V, m.free.V},
                      all, 0.0, s.cold, m.contact);
  }

  // Solves the groups with q by `calc_q(point index)` and the force directions of sliding contacts;
  // leaves the impulses in s.main.contact and hands every point's answer (p, W p + q) to `take`.
  template <class CalcQ, class Direction, class Take>
  void solve(CalcQ&& calc_q, Direction&& direction, Take&& take) const {
    contact::ContactScratch& c = s.main.contact;
    contact::GroupWork& work = *c.work[0];
    std::fill(c.impulses.begin(), c.impulses.end(), kernel::Force<double>{});
    std::fill(c.joint_impulses.begin(), c.joint_impulses.end(), 0.0);
    solver::SolveOptions how;
    how.tolerance = options.tolerance;
    how.max_sweeps = 20000;
    for (int g = 0; g < c.groups.size(); ++g) {
      const std::span<const int> members = c.groups.members(g);
      contact::make_problem(Purpose::kVelocity, model(), s.main.kin, w.contact, members, 1.0, c,
                            work);
      for (std::size_t k = 0; k < members.size(); ++k) work.problem.q[k] = calc_q(members[k]);
      make_explicit(work.problem, s.motions, s.problem);
      const solver::ContactProblem full = s.problem;
      std::vector<Vec3d> along(members.size());
      for (std::size_t k = 0; k < members.size(); ++k)
        if (direction(members[k], along[k])) slide(static_cast<int>(k), along[k]);
      std::vector<Vec3d> p(members.size());
      const solver::SolveStatus status = s.solver.solve(s.problem, how, p);
      s.residual = std::max(s.residual, status.residual.relative);
      for (std::size_t k = 0; k < members.size(); ++k)
        work.p[k] = norm(along[k]) > 0.0 ? p[k][0] * along[k] : p[k];
      contact::add_impulses(Purpose::kVelocity, members, work, c);
      std::vector<Vec3d> u(members.size());
      calc_velocities(full, work.p, u);
      for (std::size_t k = 0; k < members.size(); ++k) take(members[k], work.p[k], u[k]);
    }
  }

  // Block k of s.problem becomes one row: the force along `along`, its answer along the normal.
  void slide(int k, const Vec3d& along) const {
    solver::ContactProblem& problem = s.problem;
    const int n = problem.num_blocks();
    problem.blocks[k].law = solver::Law::kUnilateral;
    problem.blocks[k].rows = 1;
    problem.q[k] = {problem.q[k][0], 0.0, 0.0};
    for (int i = 0; i < n; ++i) {
      kernel::Mat3d& column = problem.W.block[static_cast<std::size_t>(i) * n + k];
      column.c[0] = column * along;
      column.c[1] = column.c[2] = {};
    }
    for (int j = 0; j < n; ++j) {
      kernel::Mat3d& row = problem.W.block[static_cast<std::size_t>(k) * n + j];
      for (Vec3d& c : row.c) c = {c[0], 0.0, 0.0};
    }
  }

  // vdot with the forces of closed contacts; leaves what they feel in s.felt.
  void accelerate(Doubles q, Doubles v, std::span<double> vdot) const {
    calc_free(q, v, vdot);
    s.felt.clear();
    if (s.closed.empty()) return;

    // rates of the contacts' velocities at fixed v
    for (const double sign : {1.0, -1.0}) {
      for (int k = 0; k < model().nv; ++k) s.move[k] = sign * kDifference * v[k];
      model::integrate(model(), q.data(), s.move.data(), s.q_near.data());
      look(s.q_near, v, sign > 0.0 ? s.ahead : s.behind);
    }
    std::copy(vdot.begin(), vdot.end(), s.free.begin());
    assemble(q, v, Doubles(s.free), [&](std::uint64_t id) { return find_closed(id) != nullptr; });
    const contact::ContactScratch& c = s.main.contact;

    const auto calc_q = [&](int i) {
      const collision::ContactPoint& point = c.points[i];
      const contact::PointContact& contact = c.contacts[i];
      const Seen *ahead = find_seen(s.ahead, point.id), *behind = find_seen(s.behind, point.id);
      Vec3d rate;
      if (ahead && behind) {
        const Vec3d du = (0.5 / kDifference) * (ahead->u - behind->u);
        const double dn = dot(ahead->n, ahead->u) - dot(behind->n, behind->u);
        rate = {dn * 0.5 / kDifference, dot(contact.t1, du), dot(contact.t2, du)};
      }
      // and drift goes: gap'' + 2 a gap' + a^2 gap >= 0
      rate = madd(2.0 * kReturn, contact.u_before, rate);
      rate.set(0, rate[0] + kReturn * kReturn * point.gap);
      return contact.u_free + rate;
    };
    const auto direction = [&](int i, Vec3d& along) {
      const ContactMode& mode = *find_closed(c.points[i].id);
      if (!mode.slides) return false;
      const contact::PointContact& contact = c.contacts[i];
      along = {1.0, 0.0, 0.0};
      if (contact.material.friction == 0.0) return true;
      Vec3d slip(0.0, contact.u_before[1], contact.u_before[2]);
      const Vec3d start(0.0, dot(contact.t1, mode.direction), dot(contact.t2, mode.direction));
      // beyond a stop friction goes on as before, so that the stop is a clean zero to look for
      if (dot(slip, start) < kSlow) slip = start;
      along = nmadd(contact.material.friction / norm(slip), slip, along);
      return true;
    };
    solve(calc_q, direction, [&](int i, const Vec3d& f, const Vec3d& a) {
      const contact::PointContact& contact = c.contacts[i];
      s.felt.push_back({c.points[i].id, f[0], a[0], madd(a[1], contact.t1, a[2] * contact.t2),
                        madd(f[1], contact.t1, f[2] * contact.t2)});
    });
    apply(vdot);
  }

  // v += M^-1 (sum of J^T impulses), for velocities and accelerations alike
  void apply(std::span<double> v) const {
    Scratch& m = s.main;
    if (m.contact.groups.size() == 0) return;
    apply_inverse_mass(model(), m.kin, m.art, Doubles(m.contact.joint_impulses),
                       std::span<const kernel::Force<double>>(m.contact.impulses), m.forward,
                       std::span<double>(m.vdot));
    for (int k = 0; k < model().nv; ++k) v[k] += m.vdot[k];
  }

  // ---- events -----------------------------------------------------------------------------------

  // Moves q and v on by h from where they were saved.
  void move(double h) const {
    std::copy(s.q_start.begin(), s.q_start.end(), s.q.begin());
    std::copy(s.v_start.begin(), s.v_start.end(), s.v.begin());
    step_rk4(
        model(), h, [&](Doubles q, Doubles v, std::span<double> vdot) { accelerate(q, v, vdot); },
        std::span<double>(s.q), std::span<double>(s.v), s.integrator);
  }

  // What has happened since the start of the step.
  void find_events(double time, std::vector<Event>& events) const {
    events.clear();
    look(s.q, s.v, s.seen);
    for (const Seen& seen : s.seen) {
      const double rate = dot(seen.n, seen.u);
      const ContactMode* mode = find_closed(seen.id);
      if (!mode) {
        if (seen.gap < 0.0 && rate < 0.0)
          events.push_back({EventKind::kImpact, time, seen.id, -rate});
      } else if (mode->slides) {
        if (mode->has_friction && dot(seen.u, mode->direction) < -kReverse)
          events.push_back({EventKind::kStick, time, seen.id, 0.0});
      }
    }
    if (s.closed.empty()) return;
    accelerate(s.q, s.v, s.v_zero);
    for (const Felt& felt : s.felt) {
      if (felt.normal_force <= 0.0 && felt.normal_acceleration > kAway)
        events.push_back({EventKind::kOpen, time, felt.id, 0.0});
      else if (!find_closed(felt.id)->slides && norm(felt.slip) > kAway)
        events.push_back({EventKind::kSlide, time, felt.id, 0.0});
    }
  }

  // The longest part of h before the first event, and the events just behind it.
  double bisect(double h, double time, std::vector<Event>& events) const {
    double low = 0.0, high = h;
    std::vector<Event> trial;
    while (high - low > options.time_tolerance) {
      const double middle = 0.5 * (low + high);
      if (middle <= low || middle >= high) break;
      move(middle);
      find_events(time + middle, trial);
      if (trial.empty())
        low = middle;
      else
        high = middle, events = trial;
    }
    for (Event& event : events) event.time = time + low;
    return low;
  }

  // Velocities jump so that no contact that touches closes any further (Newton's law, Coulomb's
  // cone); those that then rest are closed.
  void collide() const {
    calc_free(s.q, s.v, s.v_zero);
    look(s.q, s.v, s.seen);
    assemble(s.q, s.v, Doubles(s.v), [&](std::uint64_t id) {
      const Seen* seen = find_seen(s.seen, id);
      return seen && (seen->gap < kTouch || find_closed(id));
    });
    const contact::ContactScratch& c = s.main.contact;
    s.closed.clear();
    const auto calc_q = [&](int i) {
      const contact::PointContact& contact = c.contacts[i];
      const double hit = std::min(contact.u_before[0], 0.0);
      const double bounce = contact.material.restitution * hit;
      return contact.u_before + Vec3d(-bounce > options.rest_speed ? bounce : 0.0, 0.0, 0.0);
    };
    const auto never = [](int, Vec3d&) { return false; };
    solve(calc_q, never, [&](int i, const Vec3d&, const Vec3d& shifted) {
      const contact::PointContact& contact = c.contacts[i];
      const Vec3d u = shifted + (contact.u_before - calc_q(i));
      // one that was too deep is on its way back
      if (u[0] > kSlow + 2.0 * kReturn * std::max(-c.points[i].gap, 0.0)) return;
      const Vec3d slip = madd(u[1], contact.t1, u[2] * contact.t2);
      const bool has_friction = contact.material.friction > 0.0;
      ContactMode mode{c.points[i].id, !has_friction, has_friction, {}};
      if (norm(slip) > kSlow) mode.slides = true, mode.direction = (1.0 / norm(slip)) * slip;
      s.closed.push_back(mode);
    });
    apply(std::span<double>(s.v));
  }

  void handle(const std::vector<Event>& events) const {
    bool hits = false;
    for (const Event& event : events) {
      ContactMode* mode = find_closed(event.contact);
      switch (event.kind) {
        case EventKind::kImpact: hits = true; break;
        case EventKind::kStick:
          if (mode) mode->slides = false;
          break;
        case EventKind::kOpen:
          if (mode) s.closed.erase(s.closed.begin() + (mode - s.closed.data()));
          break;
        case EventKind::kSlide:
          for (const Felt& felt : s.felt)
            if (felt.id == event.contact && mode)
              mode->slides = true, mode->direction = (-1.0 / norm(felt.friction)) * felt.friction;
          break;
      }
    }
    if (hits) collide();
  }

  // Directions of sliding at the start of a step, for the test whether they turn back.
  void note_directions() const {
    look(s.q_start, s.v_start, s.seen);
    for (const Seen& seen : s.seen) {
      ContactMode* mode = find_closed(seen.id);
      if (!mode || !mode->slides) continue;
      const Vec3d slip = nmadd(dot(seen.n, seen.u), seen.n, seen.u);
      if (norm(slip) > kSlow) mode->direction = (1.0 / norm(slip)) * slip;
    }
  }
};

// Times that the loop below can end with.
bool are_times(double start, double duration, const EventOptions& options) {
  return std::isfinite(start) && (duration == 0.0 || is_step(duration)) && is_step(options.step) &&
         is_step(options.time_tolerance);
}

bool is_finite(Doubles values) {
  double sum = 0.0;
  for (const double value : values) sum += std::abs(value);
  return std::isfinite(sum);
}

}  // namespace

EventScratch::EventScratch(const World& world)
    : main(world),
      look(world),
      integrator(world.model),
      materials(world.materials),
      cold(State(world).warm),
      q(world.model.nq),
      v(world.model.nv),
      q_start(world.model.nq),
      v_start(world.model.nv),
      v_zero(world.model.nv),
      q_near(world.model.nq),
      move(world.model.nv),
      free(world.model.nv) {
  for (contact::Material& material : materials)
    material.torsion_friction = material.rolling_friction = 0.0;
  main.contact.sources.limited.clear(), main.contact.sources.rubbing.clear();
}

EventReport advance(const World& world, const Input& input, double duration,
                    const EventOptions& options, State& x, EventScratch& s) {
  const Mover mover{world, input, options, s};
  EventReport report;
  report.is_refused = !world.loops.empty() || !world.model.mimics.empty();
  if (!are_times(x.time, duration, options)) report.status |= kBadDuration;
  if (report.is_refused || report.status != kStepFine) return report;
  s.residual = 0.0;
  std::copy(x.q.begin(), x.q.end(), s.q.begin());
  std::copy(x.v.begin(), x.v.end(), s.v.begin());
  s.closed.clear();
  mover.collide();  // what touches at the start

  // time since the start: it moves on however large the clock's own is
  double elapsed = 0.0;
  std::vector<Event> events;
  while (duration - elapsed > options.time_tolerance && is_finite(s.v)) {
    const double time = x.time + elapsed;
    std::copy(s.q.begin(), s.q.end(), s.q_start.begin());
    std::copy(s.v.begin(), s.v.end(), s.v_start.begin());
    mover.note_directions();
    double h = std::min(options.step, duration - elapsed);
    mover.move(h);
    mover.find_events(time + h, events);
    if (!events.empty()) {
      h = mover.bisect(h, time, events);
      mover.move(h);
      // what the contacts feel just behind the event decides where they slide
      if (s.closed.size() > 0) mover.accelerate(s.q, s.v, s.v_zero);
      mover.handle(events);
      report.events.insert(report.events.end(), events.begin(), events.end());
    }
    elapsed += h;
    if (static_cast<int>(report.events.size()) > options.max_events) {
      report.too_many_events = true;
      break;
    }
  }

  report.residual = s.residual;
  if (!(s.residual <= 1e-8)) report.status |= kNotConverged;
  if (!is_finite(s.q) || !is_finite(s.v)) {
    report.status |= kNotFinite;
    return report;
  }
  std::copy(s.q.begin(), s.q.end(), x.q.begin());
  std::copy(s.v.begin(), s.v.end(), x.v.begin());
  x.time += elapsed;
  return report;
}

}  // namespace stance::sim
