#pragma once

// Watches a run: what happened when, and the worst of every step's report.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stance/sim/fall.h"
#include "stance/sim/world.h"

namespace stance::sim {

// Something worth telling.
struct Event {
  enum class Kind {
    kFall,
    kSlip,
    kLimit,
    kNotConverged,
    kOverflow,
    kNotFinite,
    kAppears,
    kDisappears,
    kTouch,
    kMissed,
    kImmobile,
  };
  static constexpr std::size_t kKinds = static_cast<std::size_t>(Kind::kImmobile) + 1;

  Kind kind = Kind::kFall;
  double time = 0.0;   // s, when it began
  std::string what{};  // the robot, the two surfaces, the joint, the body, the object,
                       // what was touched; not converged: why, "contacts", "drive of" a joint,
                       // "velocities", "drift of" two surfaces or a joint, or
                       // several of them
  double value = 0.0;  // slip: m slid so far; limit: the joint's coordinate; not converged:
                       // residual, or difference of velocities, 0 for a drive; overflow: contact
                       // points left out
};

// "fall", "slip", "limit", "not_converged", "overflow", "not_finite", "appears", "disappears",
// "touch", "missed", "immobile".
const char* event_name(Event::Kind kind);

// How often each kind of event came, told or left out.
using EventCounts = std::array<std::int64_t, Event::kKinds>;

// Why a step did not converge; it may be for several reasons.
enum class Unsolved : std::uint8_t {
  kContacts,    // impulses miss the contact law's tolerance
  kDrives,      // some drive keeps neither its law nor its limit: StepReport::broken_drive
  kVelocities,  // the bodies do not move as the solver says
  kDrift,       // a displacement against drift misses its tolerance
};
inline constexpr std::size_t kUnsolvedKinds = static_cast<std::size_t>(Unsolved::kDrift) + 1;

// "contacts", "drives", "velocities", "drift".
const char* unsolved_name(Unsolved why);

struct RunSummary {
  std::int64_t steps = 0, unconverged = 0;                    // unconverged: kUnsolved,
  std::array<std::int64_t, kUnsolvedKinds> unconverged_by{};  // for this reason
  std::int64_t contacts_dropped = 0;  // contact points left out for want of room, over all steps
  std::int64_t contacts_missed = 0;   // pairs that came through each other, likewise
  int immobile = 0;  // pairs that touch where neither can move, and were left out (immobile.h)
  double worst_residual = 0.0;
  double worst_penetration = 0.0;     // m, at the start of a step; calc_penetration() has the end
  double worst_distance = 0.0;        // from the exact law, see ContactReport
  double worst_gap_velocity = 0.0;    // m/s
  double worst_impulse_error = 0.0;   // N s
  double worst_velocity_error = 0.0;  // m/s or rad/s
  double energy_error = 0.0;          // J, of the integrator over all steps
  double most_slip = 0.0;             // m, see Monitor
  std::string slipping{};             // the two surfaces that slid most
  bool has_fallen = false, is_lost = false;  // is_lost: a number was not finite, the run is over
};

// Robots fall as in fall.h. Two surfaces slip by the path of their fastest point while they press
// on each other, summed over the run; the event comes when they slide faster than kSlipSpeed after
// they did not.
class Monitor {
 public:
  static constexpr double kSlipSpeed = 1e-3;  // m/s
  static constexpr double kQuiet = 0.05;      // s without it before the same event counts again
  static constexpr std::size_t kMostEvents = 1'000'000;  // 100 MB; what comes then is counted

  struct Faller {
    std::string name;
    model::BodyIndex base;
  };
  Monitor(const World& world, const State& start, std::vector<Faller> robots);

  // Goes on in another world, where things have come or gone (transfer.h). `start` is where the
  // robots stood when the run began, in the new world; they are those of before.
  void change(const World& world, const State& start, const std::vector<Faller>& robots);

  // Tells of something that happened between steps.
  void add(Event::Kind kind, double time, std::string what, double value);

  // After every step of h seconds.
  void watch(const World& world, const State& state, const Scratch& scratch,
             const StepReport& report, double h);

  // Makes room: a run without end tells of more than kMostEvents.
  void forget_events() { events_.clear(), left_out_ = 0; }

  const std::vector<Event>& events() const { return events_; }
  std::int64_t events_left_out() const { return left_out_; }
  const EventCounts& event_counts() const { return counts_; }
  RunSummary summary() const;

 private:
  struct Slide {
    std::uint64_t pair = 0;  // surface_a << 32 | surface_b
    double path = 0.0;       // m
    double speed = 0.0;      // m/s in this step
    double last = -1e300;    // s, when it last was fast
  };
  struct Standing {
    FallWatch watch;
    bool has_fallen = false;
  };

  void name_things(const World& world);
  void watch_convergence(const World& world, const StepReport& report, double time);
  std::string name_drift(const World& world, const contact::ContactReport& report) const;
  void watch_contacts(const Scratch& scratch, double time, double h);
  std::uint64_t find_pair(int geometry_a, int geometry_b) const;
  void watch_immobile(const Scratch& scratch, double time);
  std::string name_pair(std::uint64_t pair) const;
  void watch_joints(const World& world, const State& state);
  void watch_falls(const World& world, const Scratch& scratch, double time);

  std::vector<Faller> robots_;
  std::vector<Standing> standing_;
  std::vector<Slide> slides_;            // by pair
  std::vector<std::uint64_t> immobile_;  // pairs of surfaces, as in Slide, ascending
  std::vector<double> limit_last_;       // (nv) s, when a limit last acted
  double unconverged_last_ = -1e300, overflow_last_ = -1e300, missed_last_ = -1e300;
  EventCounts counts_{};
  std::vector<Event> events_;
  std::int64_t left_out_ = 0;
  RunSummary summary_;
  // geometries get other numbers when things come and go, surfaces keep theirs
  std::vector<int> surface_;         // by geometry
  std::vector<std::string> names_;   // by surface
  std::vector<char> is_fixed_;       // likewise
  std::vector<std::string> joints_;  // (nv) the joint of a coordinate, and which one
};

}  // namespace stance::sim
