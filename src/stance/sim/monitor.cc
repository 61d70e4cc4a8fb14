#include "stance/sim/monitor.h"

#include <algorithm>
#include <cmath>

namespace stance::sim {
namespace {

Vec3d find_up(const World& world) {
  const double g = norm(world.gravity);
  return g > 0.0 ? (-1.0 / g) * world.gravity : Vec3d(0.0, 0.0, 0.0);
}

using Kin = dynamics::Kinematics<double>;

// Lowest point along `up` of the shapes of a tree.
double find_lowest(const World& world, const Kin& kin, int tree, const Vec3d& up) {
  const model::Model& model = world.model;
  double lowest = model::kInfinity;
  for (int k = 0; k < world.shapes.size(); ++k) {
    const collision::Placement& at = world.shapes.placements[k];
    if (at.body == 0 || model.tree[at.body] != tree) continue;
    const kernel::Mat3d R_WG = kin.R_WB[at.body] * at.R_BG;
    const Vec3d p_WG = kin.calc_position(model, model::BodyIndex(at.body), at.p_BG);
    const collision::Convex& shape = world.shapes.convex[k];
    const Vec3d down = transpose(R_WG) * (-1.0 * up);
    const Vec3d p_W = p_WG + R_WG * find_core_support(shape, down).p;
    lowest = std::min(lowest, dot(up, p_W) - shape.rounding);
  }
  return lowest;
}

// Centre of mass along `up` times the mass, of a tree.
double calc_moment(const model::Model& model, const Kin& kin, int tree, const Vec3d& up) {
  double moment = 0.0, mass = 0.0;
  for (int i = model.tree_root[tree]; i < model.nbody; ++i) {
    if (model.tree[i] != tree) continue;
    moment += model.mass[i] * dot(up, kin.p_OB[i] + kin.R_WB[i] * model.com[i]);
    mass += model.mass[i];
  }
  return moment + mass * dot(up, kin.p_WO[tree]);
}

}  // namespace

const char* event_name(Event::Kind kind) {
  switch (kind) {
    case Event::Kind::kFall: return "fall";
    case Event::Kind::kSlip: return "slip";
    case Event::Kind::kLimit: return "limit";
    case Event::Kind::kNotConverged: return "not_converged";
    case Event::Kind::kOverflow: return "overflow";
    case Event::Kind::kNotFinite: return "not_finite";
  }
  return "";
}

Monitor::Monitor(const World& world, const State& start, std::vector<Faller> robots)
    : robots_(std::move(robots)), up_(find_up(world)), limit_last_(world.model.nv, -1e300) {
  const model::Model& model = world.model;
  Kin kin(model);
  update_kinematics(model, std::span<const double>(start.q), kin);
  for (const Faller& robot : robots_) {
    const int tree = model.tree[robot.base];
    Standing standing;
    for (int i = 1; i < model.nbody; ++i) {
      if (model.tree[i] != tree) continue;
      standing.mass += model.mass[i];
      if (standing.trunk == 0 || model.mass[i] > model.mass[standing.trunk]) standing.trunk = i;
    }
    standing.up_B = transpose(kin.R_WB[standing.trunk]) * up_;
    standing.ground = find_lowest(world, kin, tree, up_);
    standing.height = calc_moment(model, kin, tree, up_) / standing.mass - standing.ground;
    standing_.push_back(standing);
  }
  for (const collision::Geometry& geometry : world.shapes.geometries) {
    names_.push_back(geometry.name);
    is_fixed_.push_back(geometry.body == 0);
  }
}

void Monitor::add(Event::Kind kind, double time, std::string what, double value) {
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
  summary_.worst_residual = std::max(summary_.worst_residual, report.contact.residual);
  summary_.worst_penetration = std::max(summary_.worst_penetration, report.contact.penetration);
  summary_.energy_error = report.energy_error;
  const auto tell = [&](Event::Kind kind, double& last, double value) {
    if (began - last > kQuiet) add(kind, began, "", value);
    last = began;
  };
  if (report.status & kNotConverged) {
    ++summary_.unconverged;
    tell(Event::Kind::kNotConverged, unconverged_last_, report.contact.residual);
  }
  if (report.status & kContactOverflow)
    tell(Event::Kind::kOverflow, overflow_last_, report.contact.points);
  watch_contacts(scratch, began, h);
  watch_joints(world, state);
  watch_falls(world, scratch, began);
}

void Monitor::watch_contacts(const Scratch& scratch, double time, double h) {
  const auto points = scratch.contact.points.points();
  const auto& contacts = scratch.contact.contacts;
  const std::size_t count = std::min(points.size(), contacts.size());
  // points of a pair stand together, pairs in order
  for (std::size_t first = 0; first < count;) {
    const int a = points[first].geometry_a, b = points[first].geometry_b;
    double speed = 0.0;
    bool presses = false;
    std::size_t k = first;
    for (; k < count && points[k].geometry_a == a && points[k].geometry_b == b; ++k) {
      if (!(contacts[k].p[0] > 0.0)) continue;
      presses = true;
      speed = std::max(speed, std::hypot(contacts[k].u[1], contacts[k].u[2]));
    }
    first = k;
    if (!presses) continue;
    const std::uint64_t pair = std::uint64_t(a) << 32 | std::uint32_t(b);
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
  if (dot(up_, up_) == 0.0) return;
  for (std::size_t r = 0; r < robots_.size(); ++r) {
    Standing& standing = standing_[r];
    if (standing.has_fallen) continue;
    const int tree = world.model.tree[robots_[r].base];
    const double upright = dot(up_, scratch.kin.R_WB[standing.trunk] * standing.up_B);
    const double height =
        calc_moment(world.model, scratch.kin, tree, up_) / standing.mass - standing.ground;
    if (upright >= std::cos(kFallTilt) && !(height < 0.5 * standing.height)) continue;
    standing.has_fallen = summary_.has_fallen = true;
    add(Event::Kind::kFall, time, robots_[r].name, height);
  }
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
