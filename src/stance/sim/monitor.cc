#include "stance/sim/monitor.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace stance::sim {

const char* unsolved_name(Unsolved why) {
  switch (why) {
    case Unsolved::kContacts: return "contacts";
    case Unsolved::kDrives: return "drives";
    case Unsolved::kVelocities: return "velocities";
    case Unsolved::kDrift: return "drift";
  }
  return "";
}

const char* event_name(Event::Kind kind) {
  switch (kind) {
    case Event::Kind::kFall: return "fall";
    case Event::Kind::kSlip: return "slip";
    case Event::Kind::kLimit: return "limit";
    case Event::Kind::kNotConverged: return "not_converged";
    case Event::Kind::kOverflow: return "overflow";
    case Event::Kind::kNotFinite: return "not_finite";
    case Event::Kind::kAppears: return "appears";
    case Event::Kind::kDisappears: return "disappears";
    case Event::Kind::kTouch: return "touch";
    case Event::Kind::kMissed: return "missed";
    case Event::Kind::kImmobile: return "immobile";
  }
  return "";
}

namespace {

// The worst so far; a number that was lost stays.
void raise(double& worst, double value) {
  if (!std::isnan(worst) && !(value <= worst)) worst = value;
}

// What grades the answers of a step.
void add_grades(const contact::ContactReport& contact, RunSummary& summary) {
  raise(summary.worst_residual, contact.residual);
  raise(summary.worst_penetration, contact.penetration);
  raise(summary.worst_distance, contact.distance);
  raise(summary.worst_gap_velocity, contact.gap_velocity);
  raise(summary.worst_impulse_error, contact.impulse_error);
  raise(summary.worst_velocity_error, contact.velocity_error);
  summary.contacts_dropped += contact.dropped;
  summary.contacts_missed += contact.missed;
}

}  // namespace

Monitor::Monitor(const World& world, const State& start, std::vector<Faller> robots)
    : robots_(std::move(robots)), limit_last_(world.model.nv, -1e300) {
  for (const Faller& robot : robots_) standing_.push_back({{world, start, robot.base}});
  name_things(world);
}

// Surfaces are known by their names, and their order among those of the same name.
void Monitor::name_things(const World& world) {
  std::map<std::string, std::vector<int>> known;
  for (std::size_t k = 0; k < names_.size(); ++k) known[names_[k]].push_back(static_cast<int>(k));
  std::map<std::string, std::size_t> seen;
  surface_.clear(), joints_.clear();
  for (const collision::Geometry& geometry : world.shapes.geometries) {
    std::vector<int>& same = known[geometry.name];
    const std::size_t number = seen[geometry.name]++;
    if (number == same.size()) {
      same.push_back(static_cast<int>(names_.size()));
      names_.push_back(geometry.name), is_fixed_.push_back(geometry.body == 0);
    }
    surface_.push_back(same[number]);
  }
  const model::Model& model = world.model;
  for (int k = 0; k < model.nv; ++k) {
    const int i = model.dof_body[k];
    joints_.push_back(model.joint_name[i] + "\n" + std::to_string(k - model.v_start[i]));
  }
}

void Monitor::change(const World& world, const State& start, const std::vector<Faller>& robots) {
  std::map<std::string, double> last;
  for (std::size_t k = 0; k < joints_.size(); ++k) last[joints_[k]] = limit_last_[k];
  name_things(world);
  limit_last_.assign(joints_.size(), -1e300);
  for (std::size_t k = 0; k < joints_.size(); ++k)
    if (const auto it = last.find(joints_[k]); it != last.end()) limit_last_[k] = it->second;
  robots_ = robots;
  for (std::size_t r = 0; r < robots_.size(); ++r)
    standing_[r].watch = FallWatch(world, start, robots_[r].base);
}

void Monitor::add(Event::Kind kind, double time, std::string what, double value) {
  ++counts_[static_cast<std::size_t>(kind)];
  if (events_.size() < kMostEvents)
    events_.push_back({kind, time, std::move(what), value});
  else
    ++left_out_;
}

void Monitor::watch(const World& world, const State& state, const Scratch& scratch,
                    const StepReport& report, double h) {
  if (report.status & kNotFinite) {
    summary_.is_lost = true;
    add(Event::Kind::kNotFinite, state.time,
        report.bad_body >= 0 ? world.model.body_name[report.bad_body] : "", 0.0);
    return;
  }
  const double began = state.time - h;
  ++summary_.steps;
  summary_.energy_error = report.energy_error;
  add_grades(report.contact, summary_);
  const auto tell = [&](Event::Kind kind, double& last, double value) {
    if (began - last > kQuiet) add(kind, began, "", value);
    last = began;
  };
  if (report.status & kUnsolved) watch_convergence(world, report, began);
  if (report.contact.dropped > 0)
    tell(Event::Kind::kOverflow, overflow_last_, report.contact.dropped);
  if (report.contact.missed > 0) {
    if (began - missed_last_ > kQuiet)
      for (const collision::GeometryPair pair : scratch.contact.missed)
        add(Event::Kind::kMissed, began, name_pair(find_pair(pair.a, pair.b)), 0.0);
    missed_last_ = began;
  }
  watch_contacts(scratch, began, h);
  watch_immobile(scratch, began);
  watch_joints(world, state);
  watch_falls(world, scratch, began);
}

// "drift of" what a correction of drift leaves farthest off: two surfaces, a joint.
std::string Monitor::name_drift(const World& world, const contact::ContactReport& report) const {
  if (report.drift_a >= 0)
    return "drift of " + name_pair(find_pair(report.drift_a, report.drift_b));
  if (report.drift_coordinate >= 0)
    return "drift of " + world.model.joint_name[world.model.dof_body[report.drift_coordinate]];
  return "drift of a loop";
}

// Counts every reason, and tells of all of them at once.
void Monitor::watch_convergence(const World& world, const StepReport& report, double time) {
  ++summary_.unconverged;
  const bool is_new = time - unconverged_last_ > kQuiet;
  unconverged_last_ = time;
  std::string what;
  double value = 0.0;
  const auto add_reason = [&](Unsolved why, const std::string& name, double by) {
    ++summary_.unconverged_by[static_cast<std::size_t>(why)];
    if (!is_new) return;
    if (what.empty()) value = by;
    what += (what.empty() ? "" : ", ") + name;
  };
  const contact::ContactReport& c = report.contact;
  const bool is_other = !report.velocities_agree || report.broken_drive >= 0;
  if (!c.is_converged || ((report.status & kNotConverged) && !is_other))
    add_reason(Unsolved::kContacts, "contacts", c.residual);
  if (!report.velocities_agree) add_reason(Unsolved::kVelocities, "velocities", c.velocity_error);
  if (report.status & kDriftNotConverged)
    add_reason(Unsolved::kDrift, name_drift(world, c), c.drift_residual);
  if (const int k = report.broken_drive; k >= 0)
    add_reason(Unsolved::kDrives, "drive of " + world.model.joint_name[world.model.dof_body[k]],
               0.0);
  if (is_new) add(Event::Kind::kNotConverged, time, std::move(what), value);
}

void Monitor::watch_contacts(const Scratch& scratch, double time, double h) {
  const auto points = scratch.contact.points.points();
  const auto& contacts = scratch.contact.contacts;
  const std::size_t count = std::min(points.size(), contacts.size());
  // points of a pair stand together, pairs in order
  for (std::size_t first = 0; first < count;) {
    const int a = points[first].geometry_a, b = points[first].geometry_b;
    double fastest = 0.0;  // m^2/s^2
    bool presses = false;
    std::size_t k = first;
    for (; k < count && points[k].geometry_a == a && points[k].geometry_b == b; ++k) {
      if (!(contacts[k].p[0] > 0.0)) continue;
      presses = true;
      const auto& u = contacts[k].u;
      fastest = std::max(fastest, u[1] * u[1] + u[2] * u[2]);
    }
    first = k;
    if (!presses) continue;
    const double speed = std::sqrt(fastest);
    const std::uint64_t pair = find_pair(a, b);
    auto it = std::lower_bound(slides_.begin(), slides_.end(), pair,
                               [](const Slide& s, std::uint64_t key) { return s.pair < key; });
    if (it == slides_.end() || it->pair != pair) it = slides_.insert(it, {.pair = pair});
    it->path += h * speed;
    summary_.most_slip = std::max(summary_.most_slip, it->path);
    if (speed <= kSlipSpeed) continue;
    if (time - it->last > kQuiet) add(Event::Kind::kSlip, time, name_pair(pair), it->path);
    it->last = time;
  }
}

// Every pair is told of once.
void Monitor::watch_immobile(const Scratch& scratch, double time) {
  for (const collision::GeometryPair& found : scratch.contact.immobile) {
    const std::uint64_t pair =
        std::uint64_t(surface_[found.a]) << 32 | std::uint32_t(surface_[found.b]);
    const auto it = std::lower_bound(immobile_.begin(), immobile_.end(), pair);
    if (it != immobile_.end() && *it == pair) continue;
    immobile_.insert(it, pair), ++summary_.immobile;
    add(Event::Kind::kImmobile, time, name_pair(pair), 0.0);
  }
}

void Monitor::watch_joints(const World& world, const State& state) {
  const model::Model& model = world.model;
  for (int k = 0; k < model.nv; ++k) {
    if (state.warm.limit[k] == 0.0) continue;
    const int i = model.dof_body[k];
    if (state.time - limit_last_[k] > kQuiet)
      add(Event::Kind::kLimit, state.time, model.joint_name[i],
          state.q[model.q_start[i] + k - model.v_start[i]]);
    limit_last_[k] = state.time;
  }
}

// By the poses at the start of the step.
void Monitor::watch_falls(const World& world, const Scratch& scratch, double time) {
  for (std::size_t r = 0; r < robots_.size(); ++r) {
    Standing& standing = standing_[r];
    if (standing.has_fallen) continue;
    const Vec3d com = standing.watch.calc_com(world, scratch);
    if (!standing.watch.is_down(scratch.start.kin(), com)) continue;
    standing.has_fallen = summary_.has_fallen = true;
    add(Event::Kind::kFall, time, robots_[r].name, standing.watch.calc_height(com));
  }
}

std::uint64_t Monitor::find_pair(int a, int b) const {
  return std::uint64_t(surface_[a]) << 32 | std::uint32_t(surface_[b]);
}

// Geometries of the world come first, but things slip on the floor, not it on them.
std::string Monitor::name_pair(std::uint64_t pair) const {
  const std::size_t a = pair >> 32, b = pair & 0xffffffffu;
  return is_fixed_[a] ? names_[b] + " on " + names_[a] : names_[a] + " on " + names_[b];
}

RunSummary Monitor::summary() const {
  RunSummary out = summary_;
  for (const Slide& slide : slides_)
    if (slide.path == out.most_slip && slide.path > 0.0) out.slipping = name_pair(slide.pair);
  return out;
}

}  // namespace stance::sim
