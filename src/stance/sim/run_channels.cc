#include "stance/sim/run_channels.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

namespace stance::sim {
namespace {

using model::JointType;

bool belongs_to(const std::string& name, const ChannelRobot& robot) {
  return name.starts_with(robot.prefix);
}

std::string strip(const std::string& name, const ChannelRobot& robot) {
  return belongs_to(name, robot) ? name.substr(robot.prefix.size()) : name;
}

std::vector<int> make_range(int first, int count) {
  std::vector<int> out;
  for (int k = 0; k < count; ++k) out.push_back(first + k);
  return out;
}

// left_foot.x, left_foot.y, ...
std::vector<std::string> add_axes(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const std::string& name : names)
    for (const char* axis : {".x", ".y", ".z"}) out.push_back(name + axis);
  return out;
}

const std::vector<std::string> kXyz = {"x", "y", "z"}, kWxyz = {"w", "x", "y", "z"};

struct Com {
  Vec3d position, velocity;
};

// Centre of mass of bodies at the start of the step.
Com calc_com(const StepView& view, const int* bodies, int count) {
  const model::Model& model = view.world.model;
  const dynamics::Kinematics<double>& kin = view.scratch.start.kin();
  struct Sum {
    Vec3d origin, offset, velocity;
    double mass = 0.0;
  } a, b;  // side by side: one would wait for each term
  const auto add = [&](int i, Sum& to) {
    const double m = model.mass[i];
    const Vec3d& p_OC = view.scratch.start.inertias().p_OC[i];
    const kernel::Motion<double>& V = view.scratch.start.vel().V[i];
    to.origin = madd(m, kin.p_WO[model.tree[i]], to.origin);
    to.offset = madd(m, p_OC, to.offset);
    to.velocity = madd(m, V.lin + cross(V.ang, p_OC), to.velocity);
    to.mass += m;
  };
  for (int k = 0; k + 1 < count; k += 2) add(bodies[k], a), add(bodies[k + 1], b);
  if (count % 2 == 1) add(bodies[count - 1], a);
  const double inverse = 1.0 / (a.mass + b.mass);
  return {inverse * ((a.origin + b.origin) + (a.offset + b.offset)),
          inverse * (a.velocity + b.velocity)};
}

// Numbers picked out of an array and scaled.
void gather(const std::vector<double>& from, const int* index, int count, bool is_run, double scale,
            double* out) {
  if (is_run) {
    const double* first = from.data() + index[0];
    for (int k = 0; k < count; ++k) out[k] = scale * first[k];
  } else {
    for (int k = 0; k < count; ++k) out[k] = scale * from[index[k]];
  }
}

Vec3d calc_loop_impulse(const StepView& view, int loop, bool is_turn) {
  Vec3d sum(0.0, 0.0, 0.0);
  for (const contact::LoopBlock& block : view.scratch.contact.loop_blocks)
    if (block.loop == loop && block.is_turn == is_turn)
      for (int r = 0; r < block.rows; ++r) sum = sum + block.p[r] * block.directions[r];
  return sum;
}

// ---- numbers of the report ----------------------------------------------------------------------

struct NumberChannel {
  const char *name, *unit;
  When when;
};

constexpr NumberChannel kNumbers[] = {
    {"contact/residual", "1", When::kOver},
    {"contact/penetration", "m", When::kStart},
    {"contact/points", "1", When::kOver},
    {"contact/groups", "1", When::kOver},
    {"contact/sweeps", "1", When::kOver},
    {"contact/converged", "1", When::kOver},
    {"contact/complementarity", "J", When::kOver},
    {"contact/cone_violation", "N s", When::kOver},
    {"contact/dissipation", "J", When::kOver},
    {"contact/loop_error", "m or rad", When::kStart},
    {"step/status", "1", When::kOver},
    {"energy/kinetic", "J", When::kEnd},
    {"energy/potential", "J", When::kEnd},
    {"energy/contact_work", "J", When::kEnd},
    {"energy/joint_work", "J", When::kEnd},
    {"energy/input_work", "J", When::kEnd},
    {"energy/drift_work", "J", When::kEnd},
    {"energy/error", "J", When::kEnd},
    {"contact/distance", "1", When::kOver},
    {"contact/gap_velocity", "m/s", When::kOver},
    {"contact/impulse_error", "N s", When::kOver},
    {"contact/velocity_error", "m/s", When::kOver},
    {"contact/dropped", "1", When::kOver},
    {"contact/missed", "1", When::kOver},
};
using Numbers = std::array<double, std::size(kNumbers)>;

// In the order of kNumbers.
Numbers read_numbers(const StepView& view) {
  const contact::ContactReport& c = view.report.contact;
  const EnergyAccount& energy = view.state.energy;
  return {c.residual,
          c.penetration,
          static_cast<double>(c.points),
          static_cast<double>(c.groups),
          static_cast<double>(c.sweeps),
          c.is_converged ? 1.0 : 0.0,
          c.complementarity,
          c.cone_violation,
          c.dissipation,
          c.loop_error,
          static_cast<double>(view.report.status),
          view.report.kinetic,
          view.report.potential,
          energy.contact,
          energy.joints,
          energy.input,
          energy.drift,
          view.report.energy_error,
          c.distance,
          c.gap_velocity,
          c.impulse_error,
          c.velocity_error,
          static_cast<double>(c.dropped),
          static_cast<double>(c.missed)};
}

}  // namespace

// ---- which channels there are -----------------------------------------------------------------

RunChannels::RunChannels(const World& world, std::vector<ChannelRobot> robots)
    : contact_impulse_(world.model.nbody), contact_points_(world.model.nbody) {
  const model::Model& model = world.model;
  for (const ChannelRobot& robot : robots) add_robot(world, robot);
  // objects: bodies of nobody
  for (int i = 1; i < model.nbody; ++i) {
    const auto owns = [&](const ChannelRobot& robot) {
      return belongs_to(model.body_name[i], robot);
    };
    if (std::any_of(robots.begin(), robots.end(), owns)) continue;
    const std::string& name = model.body_name[i];
    add_joint(world, name + "/", i);
    add_impulse(name + "/contact", "N s", "N", "force", kXyz, {Kind::kContact, {i}});
    add({name + "/contact_points", "1", {"points"}, When::kOver}, {Kind::kPoints, {i}});
  }
  for (std::size_t k = 0; k < world.loops.size(); ++k) {
    const contact::Loop& loop = world.loops[k];
    const std::string name = "constraint/" + loop.name + "/";
    const std::vector<int> index = {static_cast<int>(k)};
    impulses_.push_back({{name + "impulse", "N s", kXyz, When::kOver}, {Kind::kLoop, index}});
    add({name + "force", "N", kXyz, When::kOver}, {Kind::kLoop, index, true});
    if (loop.kind != contact::LoopKind::kWeld && loop.kind != contact::LoopKind::kHinge) continue;
    impulses_.push_back(
        {{name + "angular_impulse", "N m s", kXyz, When::kOver}, {Kind::kLoopTurn, index}});
    add({name + "torque", "N m", kXyz, When::kOver}, {Kind::kLoopTurn, index, true});
  }
  add_report();
  for (auto& [channel, part] : impulses_) add(std::move(channel), std::move(part));
  impulses_.clear();
  choose(std::vector<char>(channels_.size(), 1));
}

void RunChannels::add(Channel channel, Part part) {
  channels_.push_back(std::move(channel));
  parts_.push_back(std::move(part));
}

// NAME_impulse, and NAME_force or NAME_torque.
void RunChannels::add_impulse(const std::string& name, const char* impulse_unit,
                              const char* force_unit, const char* force,
                              std::vector<std::string> columns, Part part) {
  impulses_.push_back({{name + "_impulse", impulse_unit, columns, When::kOver}, part});
  part.is_force = true;
  add({name + "_" + force, force_unit, std::move(columns), When::kOver}, std::move(part));
}

void RunChannels::add_robot(const World& world, const ChannelRobot& robot) {
  const model::Model& model = world.model;
  std::vector<int> bodies, touching;
  std::vector<std::string> names;
  for (int i = 1; i < model.nbody; ++i) {
    if (!belongs_to(model.body_name[i], robot)) continue;
    bodies.push_back(i);
    const auto& shapes = world.shapes.geometries;
    if (std::any_of(shapes.begin(), shapes.end(), [i](const auto& g) { return g.body == i; }))
      touching.push_back(i), names.push_back(strip(model.body_name[i], robot));
    if (model.joint_nq(i) > 1) {
      const bool is_base = model.parent[i] == 0;
      add_joint(world,
                robot.name + (is_base ? "/base_" : "/" + strip(model.joint_name[i], robot) + "/"),
                i);
    }
  }
  add_joints(world, robot, JointType::kRevolute);
  add_joints(world, robot, JointType::kPrismatic);
  if (!touching.empty()) {
    add_impulse(robot.name + "/contact", "N s", "N", "force", add_axes(names),
                {Kind::kContact, touching});
    add({robot.name + "/contact_points", "1", names, When::kOver}, {Kind::kPoints, touching});
  }
  double mass = 0.0;
  for (const int i : bodies) mass += model.mass[i];
  if (!(mass > 0.0)) return;
  add({robot.name + "/com", "m", kXyz, When::kStart}, {Kind::kCom, bodies});
  add({robot.name + "/com_velocity", "m/s", kXyz, When::kStart}, {Kind::kComVelocity, bodies});
}

// The joints of one coordinate: all that turn, or all that slide.
void RunChannels::add_joints(const World& world, const ChannelRobot& robot, JointType type) {
  const model::Model& model = world.model;
  const bool turns = type == JointType::kRevolute;
  std::vector<int> q, v, limited, rubbing;
  std::vector<std::string> names, limited_names, rubbing_names;
  for (int i = 1; i < model.nbody; ++i) {
    if (model.joint_type[i] != type || !belongs_to(model.joint_name[i], robot)) continue;
    const int k = model.v_start[i];
    q.push_back(model.q_start[i]), v.push_back(k);
    names.push_back(strip(model.joint_name[i], robot));
    if (model.lower[k] > -model::kInfinity || model.upper[k] < model::kInfinity)
      limited.push_back(k), limited_names.push_back(names.back());
    if (model.friction[k] > 0.0) rubbing.push_back(k), rubbing_names.push_back(names.back());
  }
  if (names.empty()) return;
  const std::string name = robot.name + (turns ? "/joint_" : "/slide_");
  const char* force = turns ? "torque" : "force";
  const char *force_unit = turns ? "N m" : "N", *impulse_unit = turns ? "N m s" : "N s";
  add({name + "position", turns ? "rad" : "m", names}, {Kind::kPosition, q});
  add({name + "velocity", turns ? "rad/s" : "m/s", names}, {Kind::kVelocity, v});
  add({name + force, force_unit, names, When::kOver}, {Kind::kDrive, v});
  if (!limited.empty())
    add_impulse(name + "limit", impulse_unit, force_unit, force, limited_names,
                {Kind::kLimit, limited});
  if (!rubbing.empty())
    add_impulse(name + "friction", impulse_unit, force_unit, force, rubbing_names,
                {Kind::kFriction, rubbing});
}

// A joint of several coordinates; `name` ends where the quantity begins.
void RunChannels::add_joint(const World& world, const std::string& name, int i) {
  const int q = world.model.q_start[i], v = world.model.v_start[i];
  const auto positions = [](int first, int count) {
    return Part{Kind::kPosition, make_range(first, count)};
  };
  const auto velocities = [](int first, int count) {
    return Part{Kind::kVelocity, make_range(first, count)};
  };
  switch (world.model.joint_type[i]) {
    case JointType::kFree:
      add({name + "position", "m", kXyz}, positions(q + 4, 3));
      add({name + "orientation", "1", kWxyz}, positions(q, 4));
      add({name + "velocity", "m/s", kXyz}, velocities(v + 3, 3));
      add({name + "spin", "rad/s", kXyz}, velocities(v, 3));
      return;
    case JointType::kSpherical:
      add({name + "orientation", "1", kWxyz}, positions(q, 4));
      add({name + "spin", "rad/s", kXyz}, velocities(v, 3));
      return;
    case JointType::kPlanar:
      add({name + "position", "m", {"x", "y"}}, positions(q, 2));
      add({name + "angle", "rad", {"angle"}}, positions(q + 2, 1));
      add({name + "velocity", "m/s", {"x", "y"}}, velocities(v, 2));
      add({name + "rate", "rad/s", {"rate"}}, velocities(v + 2, 1));
      return;
    case JointType::kRevolute:
    case JointType::kPrismatic:
    case JointType::kFixed: return;
  }
}

void RunChannels::add_report() {
  for (int k = 0; k < static_cast<int>(std::size(kNumbers)); ++k) {
    const std::string_view name = kNumbers[k].name;
    add({std::string(name),
         kNumbers[k].unit,
         {std::string(name.substr(name.rfind('/') + 1))},
         kNumbers[k].when},
        {Kind::kReport, {k}});
  }
}

// ---- their values -----------------------------------------------------------------------------

std::size_t RunChannels::choose(std::span<const char> is_wanted) {
  needs_contacts_ = false;
  tasks_.clear();
  std::size_t at = 0, end = 0;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& part = parts_[k];
    const std::size_t first = std::exchange(at, at + channels_[k].columns.size());
    if (k >= is_wanted.size() || !is_wanted[k]) continue;
    // numbers of the report that stand side by side are one task
    if (part.kind == Kind::kReport && !tasks_.empty()) {
      Task& last = tasks_.back();
      if (last.kind == Kind::kReport && last.at + static_cast<std::size_t>(last.count) == first) {
        ++last.count, end = at;
        continue;
      }
    }
    bool is_run = true;
    for (std::size_t n = 1; n < part.index.size(); ++n)
      is_run = is_run && part.index[n] == part.index[n - 1] + 1;
    tasks_.push_back({part.kind, part.is_force, is_run, static_cast<int>(k),
                      static_cast<int>(part.index.size()), first, part.index.data()});
    needs_contacts_ = needs_contacts_ || part.kind == Kind::kContact || part.kind == Kind::kPoints;
    end = at;
  }
  return end;
}

void RunChannels::sum_contacts(const Scratch& scratch) {
  std::fill(contact_impulse_.begin(), contact_impulse_.end(), Vec3d(0.0, 0.0, 0.0));
  std::fill(contact_points_.begin(), contact_points_.end(), 0);
  const auto points = scratch.contact.points.points();
  const auto& contacts = scratch.contact.contacts;
  for (std::size_t k = 0; k < std::min(points.size(), contacts.size()); ++k) {
    const contact::PointContact& c = contacts[k];
    if (c.p[0] == 0.0) continue;
    const Vec3d p_W = c.p[0] * points[k].n_W + c.p[1] * c.t1 + c.p[2] * c.t2;
    contact_impulse_[points[k].body_a] = contact_impulse_[points[k].body_a] + p_W;
    contact_impulse_[points[k].body_b] = contact_impulse_[points[k].body_b] - p_W;
    ++contact_points_[points[k].body_a], ++contact_points_[points[k].body_b];
  }
}

void RunChannels::read(const StepView& view, std::span<double> values) {
  if (needs_contacts_) sum_contacts(view.scratch);
  Com com{};
  int com_part = -2;  // the velocity comes after the position, and of the same bodies
  const double per_second = 1.0 / view.h;
  for (const Task& task : tasks_) {
    double* out = values.data() + task.at;
    const int *index = task.index, count = task.count;
    const double scale = task.is_force ? per_second : 1.0;
    const auto put = [&](int k, const Vec3d& v) {
      for (int c = 0; c < 3; ++c) out[3 * k + c] = v[c];
    };
    const auto copy = [&](const std::vector<double>& from) {
      gather(from, index, count, task.is_run, scale, out);
    };
    switch (task.kind) {
      case Kind::kPosition: copy(view.state.q); break;
      case Kind::kVelocity: copy(view.state.v); break;
      case Kind::kDrive: copy(view.scratch.drive); break;
      case Kind::kLimit: copy(view.state.warm.limit); break;
      case Kind::kFriction: copy(view.state.warm.friction); break;
      case Kind::kContact:
        for (int k = 0; k < count; ++k) put(k, scale * contact_impulse_[index[k]]);
        break;
      case Kind::kPoints:
        for (int k = 0; k < count; ++k) out[k] = contact_points_[index[k]];
        break;
      case Kind::kCom:
        com = calc_com(view, index, count), com_part = task.part;
        put(0, com.position);
        break;
      case Kind::kComVelocity:
        put(0, (com_part == task.part - 1 ? com : calc_com(view, index, count)).velocity);
        break;
      case Kind::kLoop: put(0, scale * calc_loop_impulse(view, index[0], false)); break;
      case Kind::kLoopTurn: put(0, scale * calc_loop_impulse(view, index[0], true)); break;
      case Kind::kReport: {
        const Numbers numbers = read_numbers(view);
        for (int k = 0; k < count; ++k) out[k] = numbers[index[0] + k];
        break;
      }
    }
  }
}

}  // namespace stance::sim
