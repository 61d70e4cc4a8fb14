#pragma once

// Event-driven motion for small systems (A6): smooth motion between events by Runge and Kutta's
// method of fourth order with contact forces at the acceleration level, and events found on the way
// in time: impacts, contacts that open, begin to slide or come to stick. More precise than step(),
// and dearer the more contacts there are (R30); the two agree as the step of step() goes to 0.
//
// The exact law only; joint limits, dry friction of joints, torsional and rolling friction are not
// looked at, and worlds with loops or mimic joints are refused.

#include "stance/dynamics/integrators.h"
#include "stance/sim/world.h"

namespace stance::sim {

struct EventOptions {
  double step = 1e-3;             // s, longest step between events
  double time_tolerance = 1e-12;  // s, of events
  double rest_speed = 1e-6;       // m/s: slower bounces become rest (Zeno)
  double tolerance = 1e-12;       // of the contact forces' residual
  int max_events = 100000;        // of one advance()
};

enum class EventKind { kImpact, kOpen, kSlide, kStick };

struct Event {
  EventKind kind = EventKind::kImpact;
  double time = 0.0;          // s
  std::uint64_t contact = 0;  // id of the contact point
  double speed = 0.0;         // impacts: approach, m/s
};

struct EventReport {
  std::uint32_t status = kStepFine;  // bits of StepStatus
  bool too_many_events = false;      // stopped there; state.time says when
  bool is_refused = false;           // the world has loops or mimic joints; nothing was done
  double residual = 0.0;             // worst of the contact problems
  std::vector<Event> events;
};

// How a closed contact moves.
struct ContactMode {
  std::uint64_t id = 0;
  bool slides = false;
  bool has_friction = true;  // without, it always slides
  Vec3d direction;           // world axes: where it slides when it is too slow to say
};

struct EventScratch {
  explicit EventScratch(const World& world);

  Scratch main, look;  // for accelerations, and for a glance at contacts
  dynamics::IntegratorWork integrator;
  std::vector<contact::Material> materials;  // without spin
  contact::WarmStart cold;                   // no impulses to start from
  std::vector<ContactMode> closed;
  std::vector<double> q, v, q_start, v_start, v_zero, q_near, move, free;
  solver::ContactProblem problem;
  solver::NodeMotions motions;
  solver::Solver solver;

  // a contact as it is seen at some q and v
  struct Seen {
    std::uint64_t id = 0;
    double gap = 0.0;
    Vec3d n, u;  // normal, relative velocity, world axes
  };
  std::vector<Seen> seen, ahead, behind;

  // of the closed contacts after the last accelerations: force and relative acceleration
  struct Felt {
    std::uint64_t id = 0;
    double normal_force = 0.0, normal_acceleration = 0.0;
    Vec3d slip, friction;  // tangential acceleration and force, world axes
  };
  std::vector<Felt> felt;
  double residual = 0.0;
};

// Moves x on by `duration` seconds, 0 or more. Never throws; allocates. With kBadDuration (which
// options can be the reason of too) or kNotFinite x is as before.
[[nodiscard]] EventReport advance(const World& world, const Input& input, double duration,
                                  const EventOptions& options, State& x, EventScratch& scratch);

}  // namespace stance::sim
