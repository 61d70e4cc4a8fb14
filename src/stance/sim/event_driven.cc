#include "stance/sim/event_driven.h"

#include <algorithm>
#include <cmath>

namespace stance::sim {
namespace {

using contact::Purpose;
using Doubles = std::span<const double>;
using Seen = EventScratch::Seen;
using Felt = EventScratch::Felt;

constexpr double kTouch = 1e-9;          // m: a gap that counts as closed
constexpr double kSlow = 1e-9;           // m/s: sliding that is not worth a direction
constexpr double kReverse = 1e-10;       // m/s: sliding backwards beyond rounding
constexpr double kAway = 1e-7;           // m/s^2: acceleration that is not rounding
constexpr double kAtBound = 1.0 - 1e-6;  // of friction's bound: below it nothing begins to slide
constexpr double kReturn = 20.0;         // 1/s: how fast drift of a closed contact is taken back
constexpr double kDrift = 1e-10;         // m: drift that is left alone
constexpr double kDifference = 1e-5;     // s: for the rate of velocities at fixed v

// 2 a u + a^2 gap, which lets drift go; but for gaps within rounding: where an arm is wedged not
// all of them can be closed, and forces would grow without end against each other.
double calc_return(double u, double gap) {
  const double drift = std::copysign(std::max(std::abs(gap) - kDrift, 0.0), gap);
  return kReturn * (2.0 * u + kReturn * drift);
}

// True for ids of dry friction in a joint.
bool is_joint_friction(std::uint64_t id) {
  constexpr std::uint64_t kPart = ~std::uint64_t(0xffffffff);
  return (id & kPart) == make_joint_id(JointPart::kFriction, 0);
}

struct Mover {
  const World& w;
  const Input& in;
  const EventOptions& options;
  EventScratch& s;

  const model::Model& model() const { return w.model; }

  // ---- contacts as they are ---------------------------------------------------------------------

  void look(Doubles q, Doubles v, std::vector<Seen>& out) const {
    Scratch& m = s.main;
    m.start.update(model(), q, v);
    contact::find(model(), w.shapes, m.start.kin(), w.contact.margin, m.contact);
    out.clear();
    for (const collision::ContactPoint& point : m.contact.points.points()) {
      Seen seen{point.id, point.gap, point.n_W, {}};
      const auto add = [&](int body, double sign) {
        if (body == 0) return;
        const Vec3d r = point.p_W - m.start.kin().p_WO[model().tree[body]];
        seen.u =
            madd(sign, m.start.vel().V[body].lin + cross(m.start.vel().V[body].ang, r), seen.u);
      };
      add(point.body_a, 1.0), add(point.body_b, -1.0);
      out.push_back(seen);
    }
    for (const int k : s.joints.limited) {
      const double angle = q[model().q_start[model().dof_body[k]]];
      const Vec3d along(1.0, 0.0, 0.0), u(v[k], 0.0, 0.0);
      out.push_back({make_joint_id(JointPart::kLower, k), angle - model().lower[k], along, u});
      out.push_back({make_joint_id(JointPart::kUpper, k), model().upper[k] - angle, along, -u});
    }
    // dry friction is a contact that never opens, square to its coordinate
    for (const int k : s.joints.rubbing)
      out.push_back({make_joint_id(JointPart::kFriction, k), 0.0, {0, 1, 0}, {v[k], 0, 0}});
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

  // The joint row of a constraint of the problem at hand, or null for a contact point; its name.
  const contact::JointRow* find_row(int i) const {
    const int points = s.main.contact.points.size();
    return i < points ? nullptr : &s.main.contact.joint_rows[i - points];
  }
  static std::uint64_t name_of(const contact::JointRow& row) {
    if (row.kind == contact::JointRowKind::kFriction)
      return make_joint_id(JointPart::kFriction, row.index);
    return make_joint_id(row.c1 > 0.0 ? JointPart::kLower : JointPart::kUpper, row.index);
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
    for (const int k : s.joints.rubbing)
      if (const ContactMode* mode = find_closed(make_joint_id(JointPart::kFriction, k));
          mode && mode->slides)
        m.tau[k] -= model().friction[k] * mode->direction[0];
    m.start.update(model(), q, v);
    update_articulated(model(), m.start.kin(), m.start.inertias(), Doubles(), m.art);
    calc_forward_dynamics(model(), w.gravity, m.start.kin(), m.start.inertias(), m.start.vel(),
                          m.art, Doubles(m.tau), std::span<const kernel::Force<double>>(),
                          m.forward, vdot);
  }

  // Contacts and joint rows that `keep` wants, assembled for `free` in the place of free
  // velocities.
  template <class Keep>
  void assemble(Doubles q, Doubles v, Doubles free, Keep&& keep) const {
    Scratch& m = s.main;
    contact::find(model(), w.shapes, m.start.kin(), w.contact.margin, m.contact);
    const std::span<collision::ContactPoint> points = m.contact.points.points();
    int n = 0;
    for (const collision::ContactPoint& point : points)
      if (keep(point.id)) points[n++] = point;
    m.contact.points.shrink(n);
    contact::JointRowSources& acting = m.contact.sources;
    acting.limited.clear(), acting.rubbing.clear();
    for (const int k : s.joints.limited)
      if (keep(make_joint_id(JointPart::kLower, k)) || keep(make_joint_id(JointPart::kUpper, k)))
        acting.limited.push_back(k);
    for (const int k : s.joints.rubbing)
      if (keep(make_joint_id(JointPart::kFriction, k))) acting.rubbing.push_back(k);
    update_velocities(model(), m.start.kin(), free, m.free);
    contact::ContactOptions all = w.contact;
    all.margin = 1e9;
    contact::assemble(model(), w.materials, {}, m.start.kin(), m.art,
                      {q, v, free, m.start.vel().V, m.free.V}, all, 0.0, s.cold, m.contact);
  }

  // Solves the groups with q by `calc_q(point index)` and the force directions of sliding contacts;
  // leaves the impulses in s.main.contact and hands everyone's answer (p, W p + q) to `take`.
  template <class Keep, class CalcQ, class Direction, class Take>
  void solve(Keep&& keep, CalcQ&& calc_q, Direction&& direction, Take&& take) const {
    contact::ContactScratch& c = s.main.contact;
    contact::GroupWork& work = *c.work[0];
    std::fill(c.impulses.begin(), c.impulses.end(), kernel::Force<double>{});
    std::fill(c.joint_impulses.begin(), c.joint_impulses.end(), 0.0);
    solver::SolveOptions how;
    how.tolerance = options.tolerance;
    how.max_sweeps = 20000;
    for (int g = 0; g < c.groups.size(); ++g) {
      const std::span<const int> members = c.groups.members(g);
      contact::make_problem(Purpose::kVelocity, model(), s.main.start.kin(), w.contact, members,
                            1.0, c, work);
      for (std::size_t k = 0; k < members.size(); ++k) {
        work.problem.q[k] = calc_q(members[k]);
        const contact::JointRow* row = find_row(members[k]);
        if (!row) continue;
        solver::Block& block = work.problem.blocks[k];
        if (row->kind == contact::JointRowKind::kFriction)
          block.bound = model().friction[row->index];
        else if (!keep(name_of(*row)))  // the other end of a range
          block.law = solver::Law::kBox, block.bound = 0.0;
      }
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
    Scratch& m = s.main;
    s.felt.clear();
    if (s.closed.empty()) return calc_free(q, v, vdot);

    // rates of the contacts' velocities at fixed v
    for (const double sign : {1.0, -1.0}) {
      for (int k = 0; k < model().nv; ++k) m.move[k] = sign * kDifference * v[k];
      model::integrate(model(), q.data(), m.move.data(), m.q_next.data());
      look(m.q_next, v, sign > 0.0 ? s.ahead : s.behind);
    }
    calc_free(q, v, vdot);
    std::copy(vdot.begin(), vdot.end(), m.v_free.begin());
    // joint friction that slides is among the torques
    const auto keep = [&](std::uint64_t id) {
      const ContactMode* mode = find_closed(id);
      return mode && !(mode->slides && is_joint_friction(id));
    };
    assemble(q, v, Doubles(m.v_free), keep);
    const contact::ContactScratch& c = m.contact;

    // accelerations without the forces, and drift goes: gap'' + 2 a gap' + a^2 gap >= 0
    const auto calc_q = [&](int i) {
      if (const contact::JointRow* row = find_row(i))
        return Vec3d(row->u_free + calc_return(row->u_before, row->gap), 0.0, 0.0);
      const collision::ContactPoint& point = c.points[i];
      const contact::PointContact& contact = c.contacts[i];
      const Seen *ahead = find_seen(s.ahead, point.id), *behind = find_seen(s.behind, point.id);
      Vec3d rate;
      if (ahead && behind) {
        const Vec3d du = (0.5 / kDifference) * (ahead->u - behind->u);
        const double dn = dot(ahead->n, ahead->u) - dot(behind->n, behind->u);
        rate = {dn * 0.5 / kDifference, dot(contact.t1, du), dot(contact.t2, du)};
      }
      const Vec3d& u = contact.u_before;
      rate += {calc_return(u[0], point.gap), calc_return(u[1], 0.0), calc_return(u[2], 0.0)};
      return contact.u_free + rate;
    };
    const auto direction = [&](int i, Vec3d& along) {
      if (find_row(i)) return false;
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
    solve(keep, calc_q, direction, [&](int i, const Vec3d& f, const Vec3d& a) {
      if (const contact::JointRow* row = find_row(i)) {
        const std::uint64_t id = name_of(*row);
        if (is_joint_friction(id))
          s.felt.push_back(
              {id, 0.0, 0.0, {a[0], 0.0, 0.0}, {f[0], 0.0, 0.0}, model().friction[row->index]});
        else if (keep(id))
          s.felt.push_back({id, f[0], a[0], {}, {}, 0.0});
        return;
      }
      const contact::PointContact& contact = c.contacts[i];
      s.felt.push_back({c.points[i].id, f[0], a[0], madd(a[1], contact.t1, a[2] * contact.t2),
                        madd(f[1], contact.t1, f[2] * contact.t2),
                        contact.material.friction * f[0]});
    });
    apply(vdot);
  }

  // v += M^-1 (sum of J^T impulses), for velocities and accelerations alike
  void apply(std::span<double> v) const {
    Scratch& m = s.main;
    if (m.contact.groups.size() == 0) return;
    apply_inverse_mass(model(), m.start.kin(), m.art, Doubles(m.contact.joint_impulses),
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
  void find_events(double time, std::vector<MotionEvent>& events) const {
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
    accelerate(s.q, s.v, s.main.v_next);
    for (const Felt& felt : s.felt) {
      if (felt.normal_force <= 0.0 && felt.normal_acceleration > kAway)
        events.push_back({EventKind::kOpen, time, felt.id, 0.0});
      else if (!find_closed(felt.id)->slides && norm(felt.slip) > kAway &&
               norm(felt.friction) >= kAtBound * felt.bound)
        events.push_back({EventKind::kSlide, time, felt.id, 0.0});
    }
  }

  // The longest part of h before the first event, and the events just behind it.
  double bisect(double h, double time, std::vector<MotionEvent>& events) const {
    double low = 0.0, high = h;
    std::vector<MotionEvent> trial;
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
    for (MotionEvent& event : events) event.time = time + low;
    return low;
  }

  // Velocities jump so that no contact that touches closes any further (Newton's law, Coulomb's
  // cone); those that then rest are closed. Dry friction of joints is a force, too weak to matter.
  void collide() const {
    look(s.q, s.v, s.seen);
    calc_free(s.q, s.v, s.main.v_next);
    const auto keep = [&](std::uint64_t id) {
      const Seen* seen = find_seen(s.seen, id);
      return seen && (seen->gap < kTouch || find_closed(id)) && !is_joint_friction(id);
    };
    assemble(s.q, s.v, Doubles(s.v), keep);
    const contact::ContactScratch& c = s.main.contact;
    const auto calc_q = [&](int i) {
      if (const contact::JointRow* row = find_row(i)) return Vec3d(row->u_before, 0.0, 0.0);
      const contact::PointContact& contact = c.contacts[i];
      const double hit = std::min(contact.u_before[0], 0.0);
      const double bounce = contact.material.restitution * hit;
      return contact.u_before + Vec3d(-bounce > options.rest_speed ? bounce : 0.0, 0.0, 0.0);
    };
    const auto never = [](int, Vec3d&) { return false; };
    // one that was too deep is on its way back
    const auto leaves = [](double u, double gap) {
      return u > kSlow + 2.0 * kReturn * std::max(-gap, 0.0);
    };
    std::vector<ContactMode> closed;
    solve(keep, calc_q, never, [&](int i, const Vec3d&, const Vec3d& shifted) {
      if (const contact::JointRow* row = find_row(i)) {
        const std::uint64_t id = name_of(*row);
        if (keep(id) && !leaves(shifted[0], row->gap)) closed.push_back({id, true, false, {}});
        return;
      }
      const contact::PointContact& contact = c.contacts[i];
      const Vec3d u = shifted + (contact.u_before - calc_q(i));
      if (leaves(u[0], c.points[i].gap)) return;
      const Vec3d slip = madd(u[1], contact.t1, u[2] * contact.t2);
      const bool has_friction = contact.material.friction > 0.0;
      ContactMode mode{c.points[i].id, !has_friction, has_friction, {}};
      if (norm(slip) > kSlow) mode.slides = true, mode.direction = (1.0 / norm(slip)) * slip;
      closed.push_back(mode);
    });
    apply(std::span<double>(s.v));
    for (const int k : s.joints.rubbing)
      closed.push_back({make_joint_id(JointPart::kFriction, k),
                        std::abs(s.v[k]) > kSlow,
                        true,
                        {std::copysign(1.0, s.v[k]), 0.0, 0.0}});
    s.closed = std::move(closed);
  }

  void handle(const std::vector<MotionEvent>& events) const {
    bool hits = false;
    for (const MotionEvent& event : events) {
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

// Why a world cannot be moved from event to event; nothing if it can.
std::string_view find_refusal(const World& world, const Input& input) {
  if (!input.limit.empty()) return "torque limits have no event-driven law: use step()";
  if (!input.wrenches.empty()) return "forces on bodies have no event-driven law: use step()";
  if (!world.loops.empty()) return "loops have no event-driven law: use step()";
  if (!world.model.mimics.empty()) return "mimic joints have no event-driven law: use step()";
  if (world.contact.law != contact::ContactLaw::kExact)
    return "only the exact contact law can be event-driven: use it, or step()";
  for (const contact::Material& material : world.materials.pairs())
    if (material.has_spin())
      return "torsional and rolling friction have no event-driven law: use step()";
  return {};
}

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
      integrator(world.model),
      joints(world.model),
      cold(State(world).warm),
      q(world.model.nq),
      v(world.model.nv),
      q_start(world.model.nq),
      v_start(world.model.nv) {}

EventReport advance(const World& world, const Input& input, double duration,
                    const EventOptions& options, State& x, EventScratch& s) {
  const Mover mover{world, input, options, s};
  EventReport report;
  report.refusal = find_refusal(world, input);
  if (!are_times(x.time, duration, options)) report.status |= kBadDuration;
  if (!report.refusal.empty() || report.status != kStepFine) return report;
  s.residual = 0.0;
  std::copy(x.q.begin(), x.q.end(), s.q.begin());
  std::copy(x.v.begin(), x.v.end(), s.v.begin());
  s.closed.clear();
  mover.collide();  // what touches at the start

  // time since the start: it moves on however large the clock's own is
  double elapsed = 0.0;
  std::vector<MotionEvent> events;
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
      if (s.closed.size() > 0) mover.accelerate(s.q, s.v, s.main.v_next);
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
