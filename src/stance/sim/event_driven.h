#pragma once

// Event-driven motion for small systems (A6): smooth motion between events by Runge and Kutta's
// method of fourth order with contact forces at the acceleration level, and events found on the way
// in time: impacts, contacts that open, begin to slide or come to stick. More precise than step(),
// and dearer the more contacts there are (R30); the two agree as the step of step() goes to 0.
//
// A joint limit is a contact along its coordinate, without bounce; dry friction of a joint sticks
// and slides, but has no share in impacts. The exact law only: worlds with another one, with
// torsional or rolling friction, loops or mimic joints are refused.

#include <string_view>

#include "stance/collision/contact_point.h"
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

// What of a joint has events; named beside contact points, whose ids never begin like these since
// their first geometry has the smaller number.
enum class JointPart { kLower, kUpper, kFriction };
constexpr std::uint64_t make_joint_id(JointPart part, int coordinate) {
  constexpr int kNoGeometry = 0xffff;
  return collision::ContactName{kNoGeometry, static_cast<int>(part),
                                static_cast<std::uint32_t>(coordinate)}
      .pack();
}

// (sim::Event is what a Monitor tells of.)
struct MotionEvent {
  EventKind kind = EventKind::kImpact;
  double time = 0.0;          // s
  std::uint64_t contact = 0;  // id of the contact point, or by make_joint_id
  double speed = 0.0;         // impacts: approach, m/s or rad/s
};

struct EventReport {
  std::uint32_t status = kStepFine;  // bits of StepStatus
  bool too_many_events = false;      // stopped there; state.time says when
  std::string_view refusal = {};     // a sentence: why nothing was done; else empty
  double residual = 0.0;             // worst of the contact problems
  std::vector<MotionEvent> events;
};

// How a closed contact moves.
struct ContactMode {
  std::uint64_t id = 0;
  bool slides = false;
  bool has_friction = true;  // without, it always slides
  Vec3d direction;  // world axes: where it slides when it is too slow to say; of a joint: +-x
};

struct EventScratch {
  explicit EventScratch(const World& world);

  Scratch main;
  dynamics::IntegratorWork integrator;
  contact::JointRowSources joints;  // all of them; main has those that act
  contact::WarmStart cold;          // no impulses to start from
  std::vector<ContactMode> closed;
  std::vector<double> q, v, q_start, v_start;
  solver::ContactProblem problem;
  solver::NodeMotions motions;
  solver::Solver solver;

  // a contact as it is seen at some q and v
  struct Seen {
    std::uint64_t id = 0;
    double gap = 0.0;
    Vec3d n, u;  // normal, relative velocity, world axes; of a joint: along x
  };
  std::vector<Seen> seen, ahead, behind;

  // of the closed contacts after the last accelerations: force and relative acceleration
  struct Felt {
    std::uint64_t id = 0;
    double normal_force = 0.0, normal_acceleration = 0.0;
    Vec3d slip, friction;  // tangential acceleration and force, world axes
    double bound = 0.0;    // of the friction
  };
  std::vector<Felt> felt;
  double residual = 0.0;
};

// Moves x on by `duration` seconds, 0 or more. Never throws; allocates. With kBadDuration (which
// options can be the reason of too) or kNotFinite x is as before.
[[nodiscard]] EventReport advance(const World& world, const Input& input, double duration,
                                  const EventOptions& options, State& x, EventScratch& scratch);

}  // namespace stance::sim
