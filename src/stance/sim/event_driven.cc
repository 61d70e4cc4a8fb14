#include "stance/sim/event_driven.h"

#include <algorithm>
#include <cmath>

#include "stance/sim/event_contacts.h"

namespace stance::sim {
namespace {

using Doubles = std::span<const double>;

constexpr double kTouch = 1e-9;          // m: a gap that counts as closed
constexpr double kReverse = 1e-10;       // m/s: sliding backwards beyond rounding
constexpr double kAway = 1e-7;           // m/s^2: acceleration that is not rounding
constexpr double kAtBound = 1.0 - 1e-6;  // of friction's bound: below it nothing begins to slide

// From event to event.
struct Mover : EventContacts {
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
    const Keep keep = [&](std::uint64_t id) {
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
    const auto take = [&](int i, const Vec3d&, const Vec3d& shifted) {
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
    };
    solve({keep, calc_q, never, take});
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
  const Mover mover{{world, input, options, s}};
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
