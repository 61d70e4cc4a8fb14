#include "stance/scene/compile.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stance/kernel/names.h"
#include "stance/scene/channels.h"
#include "stance/scene/find.h"
#include "stance/scene/modules.h"
#include "stance/scene/numbers.h"
#include "stance/scene/pose.h"
#include "stance/scene/start_check.h"

namespace stance::scene {

// ---- what is there ------------------------------------------------------------------------------

Compiler::Compiler(SceneSpec spec, Sources sources)
    : spec_(std::move(spec)), sources_(std::move(sources)), builder_(spec_.name) {
  builder_.set_gravity(spec_.gravity);
  builder_.set_integrator(spec_.integrator);
  builder_.contact() = spec_.contact;
  add_materials();
  for (const EnvironmentSpec& part : spec_.environment) add_environment(part);
  for (const ObjectSpec& object : spec_.objects) add_object(object);
  for (const RobotSpec& robot : spec_.robots) add_robot(robot);
  for (const BuiltRobot& robot : robots_)
    for (const model::LinkSpec& link : robot.robot.parts.links()) {
      bodies_.push_back(robot.prefix + link.name);
      shaped_.push_back(bodies_.back());
    }
  for (const ConstraintSpec& constraint : spec_.constraints) add_constraint(constraint);
  add_ignored();
  if (!constraints_.empty()) close_loops(build({}));
}

void Compiler::take_name(std::string_view group, const std::string& name) {
  if (!names_.insert(name).second)
    throw make_error(sources_, {group, name},
                     fmt::format("two things are named '{}'; robots, objects and parts of the "
                                 "environment (copies among them) need names of their own",
                                 name));
}

void Compiler::add_materials() {
  for (const MaterialSpec& material : spec_.materials) {
    if (material.name == "default")
      builder_.set_material(0, material.surface);
    else
      materials_[material.name] = builder_.add_material(material.surface);
  }
  for (const MaterialPairSpec& pair : spec_.material_pairs) {
    const Path path{"material_pairs", pair.name};
    builder_.add_pair_rule({find_material(pair.a, path / "a"), find_material(pair.b, path / "b"),
                            pair.friction, pair.restitution, pair.torsion_friction,
                            pair.rolling_friction});
  }
}

int Compiler::find_material(const std::string& name, const Path& path) const {
  if (name == "default") return 0;
  if (const auto it = materials_.find(name); it != materials_.end()) return it->second;
  std::vector<std::string> known = {"default"};
  for (const auto& [other, number] : materials_) known.push_back(other);
  throw make_error(
      sources_, path,
      fmt::format("there is no material '{}'{}", name, kernel::suggest_name(name, known)));
}

void Compiler::add_environment(const EnvironmentSpec& spec) {
  const Path path{"environment", spec.name};
  take_name("environment", spec.name);
  const collision::Shape shape =
      make_shape(spec.shape, spec.name, sources_, path / "shape", builder_, nullptr);
  const sim::Pose pose = make_pose(spec.pose, sources_, path);
  frames_[spec.name] = pose;
  builder_.add_fixed(shape, pose, find_material(spec.material, path / "material"), spec.name);
  shaped_.push_back(spec.name);
}

sim::Pose Compiler::find_frame(const std::string& name, const Path& path) const {
  if (name.empty()) return {};
  if (const auto it = frames_.find(name); it != frames_.end()) return it->second;
  std::vector<std::string> known;
  for (const auto& [key, pose] : frames_) known.push_back(key);
  throw make_error(
      sources_, path,
      fmt::format("the environment has no '{}'{}", name, kernel::suggest_name(name, known)));
}

void Compiler::add_object(const ObjectSpec& spec) {
  const Path path{"objects", spec.name};
  take_name("objects", spec.name);
  sim::SceneBuilder::Body body;
  body.name = spec.name;
  double volume = 0.0;
  body.shape = make_shape(spec.shape, spec.name, sources_, path / "shape", builder_, &volume);
  if (!spec.mass && !spec.density)
    throw make_error(sources_, path, fmt::format("'{}' has neither mass nor density", spec.name));
  body.mass = spec.mass ? *spec.mass : *spec.density * volume;
  const sim::Pose frame = find_frame(spec.frame, path / "frame");
  const sim::Pose pose = make_pose(spec.pose, sources_, path);
  body.pose = {frame.R * pose.R, frame.p + frame.R * pose.p};
  body.velocity = frame.R * spec.velocity;
  body.spin = frame.R * spec.spin;
  body.material = find_material(spec.material, path / "material");
  at_path(sources_, path, [&] { builder_.add_body(body); });
  bodies_.push_back(body.name);
  shaped_.push_back(body.name);
  const Presence presence = find_presence(spec);
  if (presence.until <= presence.from)
    throw make_error(
        sources_, path / "disappears",
        fmt::format("'{}' disappears at {:g} s, {} it appears", spec.name, *spec.disappears,
                    presence.until == presence.from ? "when" : "before"));
}

void Compiler::add_robot(const RobotSpec& spec) {
  const Path path{"robots", spec.name};
  take_name("robots", spec.name);
  BuiltRobot robot = build_robot(spec, sources_);
  const sim::Pose frame = find_frame(spec.frame, path / "frame"), pose = robot.placement.base;
  robot.placement.base = {frame.R * pose.R, frame.p + frame.R * pose.p};
  robot.velocity = frame.R * robot.velocity, robot.spin = frame.R * robot.spin;
  robot.placement.material = find_material(spec.material, path / "material");
  const std::vector<Warning>& found = robot.robot.warnings;
  if (found.size() == 1) warnings_.push_back(found[0]);
  if (found.size() > 1)
    warnings_.push_back(
        {{found[0].place.file},
         fmt::format("{} things are odd about this robot; `stance check` lists them",
                     found.size())});
  at_path(sources_, path, [&] {
    for (Warning& warning : scene::add_robot(robot.robot, robot.placement, builder_)) {
      if (warning.place.file.empty()) warning.place.file = robot.robot.model.name;
      warnings_.push_back(std::move(warning));
    }
  });
  robots_.push_back(std::move(robot));
}

// ---- constraints and pairs ----------------------------------------------------------------------

// The link; the world has no name there.
std::string Compiler::find_end(const EndSpec& end, const Path& path) const {
  if (end.body == "world") return "";
  if (std::find(bodies_.begin(), bodies_.end(), end.body) == bodies_.end())
    throw make_error(sources_, path / "body",
                     fmt::format("there is no object or link '{}'{}", end.body,
                                 kernel::suggest_name(end.body, bodies_)));
  return end.body;
}

void Compiler::add_constraint(const ConstraintSpec& spec) {
  using Kind = contact::LoopKind;
  constexpr Kind kKinds[] = {Kind::kWeld, Kind::kBall, Kind::kHinge, Kind::kDistance};
  constexpr const char* kNames[] = {"weld", "ball", "hinge", "distance"};
  const Path path{"constraints", spec.name}, path_a = path / "a", path_b = path / "b";
  Constraint out;
  out.loop.kind = kKinds[static_cast<int>(spec.kind)];
  out.loop.link_a = find_end(spec.a, path_a), out.loop.link_b = find_end(spec.b, path_b);
  out.loop.pose_a = make_pose(spec.a.pose.value_or(PoseSpec{}), sources_, path_a);
  out.loop.pose_b = make_pose(spec.b.pose.value_or(PoseSpec{}), sources_, path_b);
  if (out.loop.link_a == out.loop.link_b)
    throw make_error(
        sources_, path_b / "body",
        fmt::format("the constraint '{}' joins '{}' to itself", spec.name, spec.b.body));
  const bool is_distance = spec.kind == ConstraintKind::kDistance;
  out.takes_pose = !is_distance && !spec.b.pose;
  out.takes_length = is_distance && !spec.length;
  if (spec.length) out.loop.length = *spec.length;
  if (spec.length && !is_distance)
    throw make_error(sources_, path / "length",
                     fmt::format("'length' belongs to a distance, not to a {}",
                                 kNames[static_cast<int>(spec.kind)]));
  for (const auto& [end, place] : {std::pair(&spec.a, path_a), std::pair(&spec.b, path_b)})
    for (const ObjectSpec& object : spec_.objects)
      if (object.name == end->body && find_presence(object).from > 0)
        throw make_error(sources_, place / "body",
                         fmt::format("'{}' appears later; a constraint holds what is there from "
                                     "the start",
                                     object.name));
  constraints_.push_back(std::move(out));
}

void Compiler::add_ignored() {
  for (std::size_t k = 0; k < spec_.ignore_collisions.size(); ++k) {
    const std::string &a = spec_.ignore_collisions[k].first, &b = spec_.ignore_collisions[k].second;
    const std::string first = std::to_string(2 * k), second = std::to_string(2 * k + 1);
    for (const auto& [name, number] : {std::pair(&a, &first), std::pair(&b, &second)})
      if (std::find(shaped_.begin(), shaped_.end(), *name) == shaped_.end())
        throw make_error(
            sources_, {"ignore_collisions", *number},
            fmt::format("nothing is named '{}'{}", *name, kernel::suggest_name(*name, shaped_)));
    at_path(sources_, {"ignore_collisions", first}, [&] { builder_.add_unmeeting(a, b); });
  }
}

namespace {

// Where a frame of a link is at the start.
sim::Pose find_pose(const sim::Scene& scene, const std::string& link, const sim::Pose& pose) {
  if (link.empty()) return pose;
  const model::Model& model = scene.world.model;
  dynamics::Kinematics<double> kin(model);
  update_kinematics(model, std::span<const double>(scene.start.q), kin);
  const model::Frame& frame = model.frames[model.find_frame(link)];
  const kernel::Mat3d R_WL = kin.R_WB[frame.body] * frame.R_BF;
  const Vec3d p_WL = kin.calc_position(model, frame.body, frame.p_BF);
  return {R_WL * pose.R, p_WL + R_WL * pose.p};
}

}  // namespace

void Compiler::close_loops(const sim::Scene& open) {
  for (const Constraint& c : constraints_) {
    sim::SceneBuilder::LoopSpec loop = c.loop;
    if (c.takes_pose) {
      const sim::Pose a = find_pose(open, loop.link_a, loop.pose_a);
      const sim::Pose b = find_pose(open, loop.link_b, {});
      loop.pose_b = {transpose(b.R) * a.R, transpose(b.R) * (a.p - b.p)};
    }
    if (c.takes_length) {
      const sim::Pose a = find_pose(open, loop.link_a, loop.pose_a);
      loop.length = norm(a.p - find_pose(open, loop.link_b, loop.pose_b).p);
    }
    builder_.add_loop(loop);
  }
}

// ---- when it is there ---------------------------------------------------------------------------

Compiler::Presence Compiler::find_presence(const ObjectSpec& spec) const {
  constexpr double kNever = 1e15;
  const auto count = [&](double time) {
    return static_cast<std::int64_t>(std::min(std::round(time / spec_.step), kNever));
  };
  Presence out;
  out.from = count(spec.appears);
  if (spec.disappears) out.until = count(*spec.disappears);
  return out;
}

std::set<std::string> Compiler::find_absent(std::int64_t steps) const {
  std::set<std::string> out;
  for (const ObjectSpec& object : spec_.objects) {
    const Presence presence = find_presence(object);
    if (steps < presence.from || steps >= presence.until) out.insert(object.name);
  }
  return out;
}

std::optional<std::int64_t> Compiler::find_next(std::int64_t steps) const {
  std::int64_t next = Presence{}.until;
  for (const ObjectSpec& object : spec_.objects) {
    const Presence presence = find_presence(object);
    for (const std::int64_t moment : {presence.from, presence.until})
      if (moment > steps) next = std::min(next, moment);
  }
  return next < Presence{}.until ? std::optional(next) : std::nullopt;
}

// ---- what people change -------------------------------------------------------------------------

void Compiler::apply(const Edit& edit, std::int64_t steps) {
  if (const auto* add = std::get_if<AddObjects>(&edit)) {
    sources_.merge(add->sources);
    for (ObjectSpec object : add->objects) {
      check_numbers(object, sources_);
      if (is_gone(object.name, steps))
        throw make_error(sources_, {"objects", object.name},
                         fmt::format("'{}' was the name of something that has been removed; names "
                                     "are used once, so that recordings can tell things apart",
                                     object.name));
      object.appears = std::max(object.appears, static_cast<double>(steps) * spec_.step);
      if (object.disappears && find_presence(object).until <= find_presence(object).from)
        throw make_error(sources_, {"objects", object.name},
                         "it would disappear before it appears");
      add_object(object);
      spec_.objects.push_back(std::move(object));
    }
  } else if (const auto* remove = std::get_if<RemoveObject>(&edit)) {
    remove_object(remove->name, steps);
  } else if (const auto* law = std::get_if<SetLaw>(&edit)) {
    spec_.contact.law = builder_.contact().law = law->law;
  } else {
    const Vec3d gravity = std::get<SetGravity>(edit).gravity;
    for (int k = 0; k < 3; ++k)
      if (!(std::abs(gravity[k]) <= 1e6))
        throw Error("gravity must be finite, and at most 1e6 m/s^2");
    spec_.gravity = gravity;
    builder_.set_gravity(gravity);
  }
}

bool Compiler::is_gone(const std::string& name, std::int64_t steps) const {
  const auto is_it = [&](const ObjectSpec& object) {
    return object.name == name && steps >= find_presence(object).until;
  };
  return std::any_of(spec_.objects.begin(), spec_.objects.end(), is_it);
}

void Compiler::remove_object(const std::string& name, std::int64_t steps) {
  for (ObjectSpec& object : spec_.objects) {
    if (object.name != name) continue;
    const Presence presence = find_presence(object);
    if (steps < presence.from || steps >= presence.until)
      throw Error(fmt::format("'{}' is not there", name));
    object.disappears = static_cast<double>(steps) * spec_.step;
    return;
  }
  throw Error(
      fmt::format("'{}' cannot be removed; only objects can, not robots nor what is fixed", name));
}

// ---- the scene ----------------------------------------------------------------------------------

const Part& Scene::find_part(std::int64_t number) const {
  const Part* out = &first;
  for (const Part& part : later)
    if (part.begins < number) out = &part;
  return *out;
}

namespace {

// Channels of plugins are the same whatever is there: recordings have one table of each.
void check_plugin_channels(const Scene& scene) {
  const Modules modules = scene.later.back().make_modules();
  for (const sim::Channel& channel : modules.sensors->channels()) {
    const auto is_same = [&](const sim::Channel& other) {
      return other.name == channel.name && other.columns == channel.columns;
    };
    if (std::none_of(scene.channels.begin(), scene.channels.end(), is_same))
      throw Error("the channel '" + channel.name +
                  "' has other columns when objects come or go; a plugin's must stay the same");
  }
}

// A part for every moment at which objects come or go.
void add_later(Scene& out) {
  constexpr std::size_t kMost = 500;
  const Compiler& compiler = *out.compiler;
  std::vector<std::int64_t> moments;
  for (auto next = compiler.find_next(0); next; next = compiler.find_next(*next))
    moments.push_back(*next);
  if (moments.size() > kMost)
    throw make_error(compiler.sources(), {},
                     fmt::format("objects appear and disappear at {} different times; at most {} "
                                 "can be",
                                 moments.size(), kMost));
  for (const std::int64_t moment : moments) {
    out.later.push_back(compile_part(out.compiler, moment));
    if (!compiler.spec().plugins.empty()) check_plugin_channels(out);
  }
}

}  // namespace

int count_record_steps(const SceneSpec& spec, const Sources& sources) {
  const RecordSpec& record = spec.record;
  const int given = record.every_steps.value_or(1);
  if (!record.every) return given;
  const double steps = *record.every / spec.step;
  const double whole = std::clamp(std::round(steps), 1.0, 1e9);
  if (std::abs(steps - whole) > 1e-6 * steps)
    throw make_error(sources, {"record", "every"},
                     fmt::format("'every' is {:g} s, which is not a multiple of the step, {:g} s",
                                 *record.every, spec.step));
  if (record.every_steps && given != static_cast<int>(whole))
    throw make_error(sources, {"record", "every"}, "'every' and 'every_steps' do not say the same");
  return static_cast<int>(whole);
}

Scene compile(SceneSpec spec, Sources sources) {
  check_numbers(spec, sources);
  (void)count_record_steps(spec, sources);
  auto compiler = std::make_shared<const Compiler>(std::move(spec), std::move(sources));
  // with all objects, so that every name is known
  Part all = compile_whole(compiler);
  const bool is_steady = compiler->is_steady();
  Scene out{.compiler = compiler, .first = is_steady ? std::move(all) : compile_part(compiler, 0)};
  out.first.come.clear(), out.first.gone.clear();  // nothing came: it was there
  out.channels = list_channels(is_steady ? out.first : all);
  if (!is_steady) add_later(out);
  check_start(out.first.scene, compiler->sources());
  out.warnings = compiler->warnings();
  out.looks = compiler->find_looks();
  return out;
}

}  // namespace stance::scene
