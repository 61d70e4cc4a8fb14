#include "stance/io/scene_assemble.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "stance/io/contact_law.h"
#include "stance/io/scene_channels.h"
#include "stance/io/scene_edit.h"
#include "stance/io/scene_modules.h"
#include "stance/sim/joint_inertia.h"

namespace stance::io {
namespace {

using kernel::Mat3d;
using kernel::Vec3d;

constexpr double kPi = 3.14159265358979323846;
constexpr double kDeep = 1e-3;  // m or rad: what is more than this off at the start is a mistake

// ---- the start --------------------------------------------------------------------------------

struct StartProblem {
  std::string a, b;  // names of the pair, or of the constraint
  std::string what;
};

// What overlaps, or a constraint that is off, by more than a millimetre.
std::optional<StartProblem> find_start_problem(const sim::Scene& scene) {
  const sim::World& world = scene.world;
  sim::Scratch scratch(world);
  scratch.start.update(world.model, scene.start.q, scene.start.v);
  contact::find(world.model, world.shapes, scratch.start.kin(), 0.0, scratch.contact);
  const collision::ContactPoint* deepest = nullptr;
  for (const collision::ContactPoint& point : scratch.contact.points.points())
    if (!deepest || point.gap < deepest->gap) deepest = &point;
  if (deepest && deepest->gap < -kDeep) {
    const std::string& a = world.shapes.geometries[deepest->geometry_a].name;
    const std::string& b = world.shapes.geometries[deepest->geometry_b].name;
    return StartProblem{a, b,
                        fmt::format("'{}' and '{}' overlap by {:.3g} mm at the start; move them "
                                    "apart, or name the pair under ignore_collisions:",
                                    a, b, -1e3 * deepest->gap)};
  }
  std::vector<contact::LoopBlock> blocks;
  find_loop_blocks(world.model, world.loops, scratch.start.kin(), blocks);
  for (const contact::LoopBlock& block : blocks) {
    const std::string& name = world.loops[block.loop].name;
    if (!(norm(block.error) <= kDeep))
      return StartProblem{name, name,
                          fmt::format("the constraint '{}' is off by {:.3g} {} at the start; its "
                                      "two frames must fit, or leave the second one's pose out",
                                      name, norm(block.error), block.is_turn ? "rad" : "m")};
  }
  return std::nullopt;
}

// ---- from a checked file to a world -----------------------------------------------------------

class Assembler final : public SceneEditor {
 public:
  Assembler(std::string name, const SceneOptions& options, Place place)
      : options_(options), place_(std::move(place)), builder_(name) {
    out_name_ = std::move(name);
  }

  void add_file(std::shared_ptr<const CheckedScene> checked) {
    file_ = std::move(checked);
    const CheckedScene& file = *file_;
    const SceneNode& root = file.root;
    root_ = &root, seed_ = file.seed, step_ = root.number("step");
    root.text("include"), root.find("variables"), root.integer("version"), root.number("seed");
    builder_.set_gravity(root.vector("gravity"));
    builder_.contact() = read_contact(root.group("contact"));
    for (const SceneNode& node : root.groups("materials")) add_material(node);
    for (const SceneNode& node : root.groups("material_pairs"))
      builder_.add_pair_rule(
          read_pair_rule(node, find_material(node, "a"), find_material(node, "b")));
    for (const SceneNode& node : root.groups("environment")) add_environment(node, file.scope);
    for (const SceneNode& node : root.groups("objects")) add_object(node, file.scope);
    for (const SceneNode& node : root.groups("robots")) add_robot_part(node);
    check_joint_options();
    list_links();
    for (const SceneNode& node : root.groups("constraints")) add_constraint(node);
    add_ignored(root);
  }

  void add_robot_alone(RobotPart part) {
    // one that is bolted to the world may hang below its origin
    if (part.robot.is_free) builder_.add_fixed(collision::make_plane(), {}, 0, "floor");
    builder_.set_material(0, {.friction = 0.8});
    robots_.push_back(std::move(part));
    put_into_scene(robots_.back());
    list_links();
  }

  LoadedScene finish();

  // ---- edits

  std::unique_ptr<SceneEditor> clone() const override { return std::make_unique<Assembler>(*this); }
  void apply(const sim::InputChange& change, std::int64_t steps) override;
  LoadedScene make_part(std::int64_t steps) const override;
  std::optional<std::int64_t> find_next(std::int64_t steps) const override;

 private:
  struct Constraint {
    sim::SceneBuilder::LoopSpec spec;
    std::string name;
    bool takes_pose = false, takes_length = false;  // from the start
    Place place;
  };

  void take_name(const std::string& name, const Place& place) {
    if (!names_.insert(name).second)
      throw Error(place, fmt::format("two things are named '{}'; robots, objects and parts of the "
                                     "environment (copies among them) need names of their own",
                                     name));
    places_[name] = place;
  }

  // Of an object, part of the environment or constraint, or of the robot that has the link.
  Place find_place(const std::string& name) const {
    if (const auto it = places_.find(name); it != places_.end()) return it->second;
    const auto robot = places_.find(name.substr(0, name.find('/')));
    return robot != places_.end() ? robot->second : Place{};
  }

  void add_material(const SceneNode& node) {
    if (node.name() == "default")
      builder_.set_material(0, read_material(node));
    else
      materials_[node.name()] = builder_.add_material(read_material(node));
  }

  int find_material(const SceneNode& node, std::string_view key = "material") const {
    const std::string name = node.text(key);
    if (name == "default") return 0;
    if (const auto it = materials_.find(name); it != materials_.end()) return it->second;
    std::vector<std::string> known = {"default"};
    for (const auto& [other, number] : materials_) known.push_back(other);
    throw Error(node.place(key),
                fmt::format("there is no material '{}'{}", name, suggest_name(name, known)));
  }

  void add_environment(const SceneNode& node, const Scope& scope) {
    take_name(node.name(), node.place());
    const collision::Shape shape =
        read_shape(*node.group("shape"), node.name(), scope, builder_, nullptr);
    const sim::Pose pose = read_pose(node);
    frames_[node.name()] = pose;
    builder_.add_fixed(shape, pose, find_material(node), node.name());
    shaped_.push_back(node.name());
    if (node.has("copies")) node.number("copies");
  }

  sim::Pose find_frame(const SceneNode& node) const {
    if (!node.has("frame")) return {};
    const std::string name = node.text("frame");
    if (const auto it = frames_.find(name); it != frames_.end()) return it->second;
    std::vector<std::string> known;
    for (const auto& [key, pose] : frames_) known.push_back(key);
    throw Error(node.place("frame"),
                fmt::format("the environment has no '{}'{}", name, suggest_name(name, known)));
  }

  void add_object(const SceneNode& node, const Scope& scope) {
    take_name(node.name(), node.place());
    sim::SceneBuilder::Body body;
    body.name = node.name();
    double volume = 0.0;
    body.shape = read_shape(*node.group("shape"), node.name(), scope, builder_, &volume);
    body.mass = node.has("mass") ? node.number("mass") : node.number("density") * volume;
    const sim::Pose frame = find_frame(node), pose = read_pose(node);
    body.pose = {frame.R * pose.R, frame.p + frame.R * pose.p};
    body.velocity = frame.R * node.vector("velocity");
    body.spin = frame.R * node.vector("spin");
    body.material = find_material(node);
    at_place(node.place(), [&] { builder_.add_body(body); });
    bodies_.push_back(body.name);
    shaped_.push_back(body.name);
    if (node.has("copies")) node.number("copies");
    read_presence(node);
  }

  // When it is there, in steps.
  void read_presence(const SceneNode& node) {
    constexpr double kNever = 1e15;
    const auto count = [&](double time) {
      return static_cast<std::int64_t>(std::min(std::round(time / step_), kNever));
    };
    Presence& out = presence_[node.name()];
    out.from = count(node.number("appears"));
    if (!node.has("disappears")) return;
    out.until = count(node.number("disappears"));
    if (out.until <= out.from)
      throw Error(node.place("disappears"), fmt::format("'{}' disappears at {:g} s, {} it appears",
                                                        node.name(), node.number("disappears"),
                                                        out.until == out.from ? "when" : "before"));
  }

  // Names of the objects that are not there in the step after `steps` steps.
  std::set<std::string> find_absent(std::int64_t steps) const {
    std::set<std::string> out;
    for (const auto& [name, presence] : presence_)
      if (steps < presence.from || steps >= presence.until) out.insert(name);
    return out;
  }

  void add_robot_part(const SceneNode& node) {
    take_name(node.name(), node.place());
    RobotPart part = read_robot(node, options_);
    const sim::Pose frame = find_frame(node), pose = part.placement.base;
    part.placement.base = {frame.R * pose.R, frame.p + frame.R * pose.p};
    part.velocity = frame.R * part.velocity, part.spin = frame.R * part.spin;
    part.placement.material = find_material(node);
    if (node.has("copies")) node.number("copies");
    robots_.push_back(std::move(part));
    at_place(node.place(), [&] { put_into_scene(robots_.back()); });
  }

  // What the command line says of joints must reach one.
  void check_joint_options() const {
    for (const auto& [pattern, value] : options_.joints) {
      bool is_known = false;
      for (const RobotPart& part : robots_)
        for (const std::string& name : part.robot.model.joint_name)
          is_known = is_known || matches("*" + pattern + "*", name);
      if (!is_known)
        throw Error(
            fmt::format("--joint {}={:g}: no robot of the scene has such a joint", pattern, value));
    }
  }

  void put_into_scene(RobotPart& part) {
    for (const Geometry& shape : part.robot.geometry)
      if (shape.role == ShapeRole::kCollision && !shape.mesh_path.empty())
        files_.push_back(shape.mesh_path);
    const std::vector<Warning>& found = part.robot.warnings;
    if (found.size() == 1) warnings_.push_back(found[0]);
    if (found.size() > 1)
      warnings_.push_back({{found[0].place.file},
                           fmt::format("{} things are odd about this robot; `stance check` lists "
                                       "them",
                                       found.size())});
    for (Warning& warning : add_robot(part.robot, part.placement, builder_)) {
      if (warning.place.file.empty()) warning.place.file = part.robot.model.name;
      warnings_.push_back(std::move(warning));
    }
  }

  void list_links() {
    for (const RobotPart& part : robots_)
      for (const model::LinkSpec& link : part.robot.parts.links()) {
        bodies_.push_back(part.prefix + link.name);
        shaped_.push_back(bodies_.back());
      }
  }

  // An end's link; the world has no name there.
  std::string read_end(const SceneNode& end, sim::Pose& pose) const {
    const std::string name = end.text("body");
    pose = read_pose(end);
    if (name == "world") return "";
    if (std::find(bodies_.begin(), bodies_.end(), name) == bodies_.end())
      throw Error(end.place("body"), fmt::format("there is no object or link '{}'{}", name,
                                                 suggest_name(name, bodies_)));
    return name;
  }

  void add_constraint(const SceneNode& node) {
    Constraint out;
    out.name = node.name(), out.place = node.place();
    const std::string kind = node.text("kind");
    using Kind = contact::LoopKind;
    out.spec.kind = kind == "weld"    ? Kind::kWeld
                    : kind == "ball"  ? Kind::kBall
                    : kind == "hinge" ? Kind::kHinge
                                      : Kind::kDistance;
    const SceneNode &a = *node.group("a"), &b = *node.group("b");
    out.spec.link_a = read_end(a, out.spec.pose_a);
    out.spec.link_b = read_end(b, out.spec.pose_b);
    if (out.spec.link_a == out.spec.link_b)
      throw Error(b.place("body"), fmt::format("the constraint '{}' joins '{}' to itself", out.name,
                                               b.text("body")));
    const bool is_distance = out.spec.kind == Kind::kDistance;
    out.takes_pose = !is_distance && !has_pose(b);
    out.takes_length = is_distance && !node.has("length");
    if (node.has("length")) out.spec.length = node.number("length");
    if (node.has("length") && !is_distance)
      throw Error(node.place("length"),
                  fmt::format("'length' belongs to a distance, not to a {}", kind));
    for (const SceneNode* end : {&a, &b})
      if (const auto it = presence_.find(end->text("body"));
          it != presence_.end() && it->second.from > 0)
        throw Error(end->place("body"),
                    fmt::format("'{}' appears later; a constraint holds what is there from the "
                                "start",
                                it->first));
    places_.emplace(out.name, out.place);
    constraints_.push_back(std::move(out));
  }

  void add_ignored(const SceneNode& root) {
    const SceneNode::Value* pairs = root.find("ignore_collisions");
    if (!pairs) return;
    for (std::size_t k = 0; k + 1 < pairs->texts.size(); k += 2) {
      for (const std::size_t n : {k, k + 1})
        if (std::find(shaped_.begin(), shaped_.end(), pairs->texts[n]) == shaped_.end())
          throw Error(pairs->places[n], fmt::format("nothing is named '{}'{}", pairs->texts[n],
                                                    suggest_name(pairs->texts[n], shaped_)));
      at_place(pairs->places[k],
               [&] { builder_.add_unmeeting(pairs->texts[k], pairs->texts[k + 1]); });
    }
  }

  // ---- the world

  model::BodyIndex find_base(const sim::Scene& scene, const RobotPart& part) const {
    const model::Model& model = scene.world.model;
    for (const model::LinkSpec& link : part.robot.parts.links()) {
      const model::BodyIndex body = model.find_body(part.prefix + link.name);
      if (body.valid() && body > 0 && model.parent[body] == 0) return body;
    }
    return model::BodyIndex(0);
  }

  sim::Scene build(const sim::SceneBuilder& builder) const {
    sim::Scene scene = builder.build();
    const model::Model& model = scene.world.model;
    for (const RobotPart& part : robots_) {
      const model::BodyIndex base = find_base(scene, part);
      if (part.stand_on && part.robot.is_free)
        put_on_floor(scene.world, base, *part.stand_on, 0.0, scene.start);
      if (part.robot.is_free) {
        double* v = scene.start.v.data() + model.v_start[base];
        for (int k = 0; k < 3; ++k) v[k] = part.spin[k], v[3 + k] = part.velocity[k];
      }
      for (const auto& [joint, rate] : part.rates)
        scene.start.v[model.v_start[model.find_joint(part.prefix + joint)]] = rate;
    }
    return scene;
  }

  // Where a frame of a link is at the start.
  static sim::Pose find_pose(const sim::Scene& scene, const std::string& link,
                             const sim::Pose& pose) {
    if (link.empty()) return pose;
    const model::Model& model = scene.world.model;
    dynamics::Kinematics<double> kin(model);
    update_kinematics(model, std::span<const double>(scene.start.q), kin);
    const model::Frame& frame = model.frames[model.find_frame(link)];
    const Mat3d R_WL = kin.R_WB[frame.body] * frame.R_BF;
    const Vec3d p_WL = kin.calc_position(model, frame.body, frame.p_BF);
    return {R_WL * pose.R, p_WL + R_WL * pose.p};
  }

  void close_loops(const sim::Scene& open) {
    for (Constraint& c : constraints_) {
      sim::SceneBuilder::LoopSpec& spec = c.spec;
      if (c.takes_pose) {
        const sim::Pose a = find_pose(open, spec.link_a, spec.pose_a);
        const sim::Pose b = find_pose(open, spec.link_b, {});
        spec.pose_b = {transpose(b.R) * a.R, transpose(b.R) * (a.p - b.p)};
      }
      if (c.takes_length) {
        const sim::Pose a = find_pose(open, spec.link_a, spec.pose_a);
        spec.length = norm(a.p - find_pose(open, spec.link_b, spec.pose_b).p);
      }
      builder_.add_loop(spec);
    }
  }

  void set_drives(LoadedScene& out) const {
    const sim::Scene& scene = out.scene;
    const model::Model& model = scene.world.model;
    if (robots_.empty()) return;
    out.tau.assign(model.nv, 0.0);
    out.stiffness = out.damping = out.target = out.tau;
    for (int i = 1; i < model.nbody; ++i)
      if (model.joint_nq(i) == 1) out.target[model.v_start[i]] = scene.start.q[model.q_start[i]];
    std::vector<double> inertias, limit(model.nv, model::kInfinity);
    for (const RobotPart& part : robots_) {
      std::vector<double> ratio(model.nv, 1.0);
      const auto find = [&](const std::string& joint) {
        return model.v_start[model.find_joint(part.prefix + joint)];
      };
      for (int j = 1; j < part.robot.model.nbody && part.effort_limits; ++j)
        if (part.robot.model.joint_nq(j) == 1)
          limit[find(part.robot.model.joint_name[j])] =
              part.robot.model.effort_limit[part.robot.model.v_start[j]];
      for (const RobotPart::Actuator& actuator : part.actuators) {
        ratio[find(actuator.joint)] = actuator.ratio;
        if (actuator.limit) limit[find(actuator.joint)] = *actuator.limit;
      }
      for (const RobotPart::Flexible& flexible : part.flexible)
        for (const std::string& joint : flexible.joints)
          out.stiffness[find(joint)] = flexible.stiffness,
          out.damping[find(joint)] = flexible.damping;
      if (part.hold && part.hold->by_inertia && inertias.empty())
        inertias = calc_carried_inertias(scene.world, scene.start);
      for (int j = 1; j < part.robot.model.nbody && part.hold; ++j) {
        if (part.robot.model.joint_nq(j) != 1) continue;
        const int k = find(part.robot.model.joint_name[j]);
        const double w = 2.0 * kPi * part.hold->frequency;
        out.stiffness[k] =
            part.hold->by_inertia ? inertias[k] * w * w : ratio[k] * part.hold->stiffness;
        out.damping[k] = part.hold->by_inertia ? 2.0 * part.hold->damping_ratio * inertias[k] * w
                                               : ratio[k] * part.hold->damping;
      }
      for (const RobotPart::Drive& drive : part.drives) {
        const int k = find(drive.joint);
        out.tau[k] = ratio[k] * drive.torque;
        if (drive.stiffness) out.stiffness[k] = ratio[k] * *drive.stiffness;
        if (drive.damping) out.damping[k] = ratio[k] * *drive.damping;
        if (drive.target) out.target[k] = *drive.target;
      }
    }
    const auto is_limit = [](double l) { return l < model::kInfinity; };
    if (std::any_of(limit.begin(), limit.end(), is_limit)) out.limit = std::move(limit);
  }

  // What robots look like, by link.
  std::vector<SceneLook> find_looks() const {
    std::vector<SceneLook> out;
    for (const RobotPart& part : robots_)
      for (const Geometry& g : part.robot.geometry) {
        if (g.role != ShapeRole::kVisual) continue;
        const model::Frame& link = part.robot.model.frames[part.robot.model.find_frame(g.link)];
        const Mat3d R_LB = transpose(link.R_BF);
        out.push_back({part.prefix + g.link, g, {R_LB * g.R_BG, R_LB * (g.p_BG - link.p_BF)}});
      }
    return out;
  }

  void add_object(const sim::InputChange& change, std::int64_t steps);
  void remove_object(const std::string& name, std::int64_t steps);
  LoadedScene make_part(const std::set<std::string>& absent) const;
  void add_later(const LoadedScene& all, LoadedScene& out) const;

  // Steps before it comes, and before it goes.
  struct Presence {
    std::int64_t from = 0, until = std::numeric_limits<std::int64_t>::max();
  };

  SceneOptions options_;
  Place place_;                               // of errors that know no better one
  std::shared_ptr<const CheckedScene> file_;  // if there is one
  const SceneNode* root_ = nullptr;           // of it
  std::uint64_t seed_ = 1;
  double step_ = LoadedScene::kStep;  // s
  sim::SceneBuilder builder_;
  std::string out_name_;
  std::set<std::string> names_;
  std::map<std::string, Place> places_;
  std::map<std::string, int> materials_;
  std::map<std::string, Presence> presence_;  // of objects
  std::map<std::string, sim::Pose> frames_;   // of the environment
  std::vector<std::string> bodies_, shaped_;  // names that constraints, that pairs may use
  std::vector<RobotPart> robots_;
  std::vector<Constraint> constraints_;
  std::vector<Warning> warnings_;
  std::vector<std::string> files_;  // meshes
};

// The world without some objects, with all that acts and measures there.
LoadedScene Assembler::make_part(const std::set<std::string>& absent) const {
  sim::SceneBuilder builder = builder_;
  for (const std::string& name : absent) builder.remove_body(name);
  LoadedScene out{
      .name = out_name_, .about = {}, .scene = at_place(place_, [&] { return build(builder); })};
  std::size_t loop = 0;
  for (const Constraint& c : constraints_)
    if (!absent.count(c.spec.link_a) && !absent.count(c.spec.link_b))
      out.scene.world.loops[loop++].name = c.name;
  set_drives(out);
  for (const RobotPart& part : robots_)
    out.robots.push_back({part.placement.name, part.robot.is_free
                                                   ? std::optional(find_base(out.scene, part))
                                                   : std::nullopt});
  if (root_) read_modules(*root_, robots_, seed_, absent, out);
  out.make_actuation().start(out.scene.world, out.scene.start);
  return out;
}

LoadedScene Assembler::make_part(std::int64_t steps) const {
  LoadedScene out = make_part(find_absent(steps));
  out.begins = steps;
  for (const auto& [name, presence] : presence_) {
    if (presence.from == steps) out.come.push_back(name);
    if (presence.until == steps) out.gone.push_back(name);
  }
  return out;
}

std::optional<std::int64_t> Assembler::find_next(std::int64_t steps) const {
  std::int64_t next = Presence{}.until;
  for (const auto& [name, presence] : presence_)
    for (const std::int64_t moment : {presence.from, presence.until})
      if (moment > steps) next = std::min(next, moment);
  return next < Presence{}.until ? std::optional(next) : std::nullopt;
}

// A part for every moment at which objects come or go.
void Assembler::add_later(const LoadedScene& all, LoadedScene& out) const {
  constexpr std::size_t kMost = 500;
  std::vector<std::int64_t> moments;
  for (auto next = find_next(0); next; next = find_next(*next)) moments.push_back(*next);
  if (moments.size() > kMost)
    throw Error(place_, fmt::format("objects appear and disappear at {} different times; at most "
                                    "{} can be",
                                    moments.size(), kMost));
  for (const auto& source : make_channels(all)) {
    const std::vector<sim::Channel>& channels = source->channels();
    out.channels.insert(out.channels.end(), channels.begin(), channels.end());
  }
  for (const std::int64_t moment : moments) out.later.push_back(make_part(moment));
}

LoadedScene Assembler::finish() {
  if (options_.law) builder_.contact().law = *options_.law;
  builder_.contact().threads = options_.threads;
  if (!constraints_.empty()) close_loops(at_place(place_, [&] { return build(builder_); }));
  // with all objects, so that every name is known and every key is read
  LoadedScene all = make_part(std::set<std::string>{});
  const auto stays = [](const auto& entry) {
    return entry.second.from == 0 && entry.second.until == Presence{}.until;
  };
  const bool is_steady = std::all_of(presence_.begin(), presence_.end(), stays);
  LoadedScene out = is_steady ? std::move(all) : make_part(find_absent(0));
  if (!is_steady) add_later(all, out);
  if (const auto problem = find_start_problem(out.scene)) {
    // the later of the two is what was put there last
    const Place a = find_place(problem->a), b = find_place(problem->b);
    const Place& last = b.line >= a.line ? b : a;
    throw Error(last.line > 0 ? last : place_, problem->what);
  }
  out.warnings = std::move(warnings_);
  out.files = std::move(files_);
  out.looks = find_looks();
  return out;
}

// ---- what people change -------------------------------------------------------------------------

void Assembler::apply(const sim::InputChange& change, std::int64_t steps) {
  using Kind = sim::InputChange::Kind;
  switch (change.kind) {
    case Kind::kAdd: return add_object(change, steps);
    case Kind::kRemove: return remove_object(change.name, steps);
    case Kind::kLaw: builder_.contact().law = parse_contact_law(change.name); return;
    case Kind::kGravity:
      for (int k = 0; k < 3; ++k)
        if (!(std::abs(change.gravity[k]) <= 1e6))
          throw Error("gravity must be finite, and at most 1e6 m/s^2");
      builder_.set_gravity(change.gravity);
      return;
    default: throw std::logic_error("not an edit");
  }
}

// Checked like the same words in a scene.
void Assembler::add_object(const sim::InputChange& change, std::int64_t steps) {
  if (change.name.empty()) throw Error("an object that is added needs a name");
  const std::string where = fmt::format("the added object '{}'", change.name);
  YamlNode object = parse_scene_text(change.object, where);
  YamlNode tree = parse_scene_text(fmt::format("version: {}\nobjects: {{}}", kSceneVersion), where);
  YamlNode& objects = tree.items.back();
  objects.keys = {{change.name, object.line, object.column}};
  objects.items = {std::move(object)};
  Findings findings;
  const CheckedScene checked = check_scene_tree(tree, {}, findings);
  if (findings.error_count() > 0) throw Error(findings.errors()[0].text());
  std::vector<std::string> files;
  checked.root.find_files(files);
  if (!files.empty())
    throw Error({where}, "what is added while a scene runs brings its points along; name no file");
  for (const SceneNode& node : checked.root.groups("objects")) {
    add_object(node, checked.scope);
    Presence& presence = presence_.at(node.name());
    presence.from = std::max(presence.from, steps);
    if (presence.until <= presence.from)
      throw Error({where}, "it would disappear before it appears");
  }
}

void Assembler::remove_object(const std::string& name, std::int64_t steps) {
  const auto it = presence_.find(name);
  if (it == presence_.end())
    throw Error(
        fmt::format("'{}' cannot be removed; only objects can, not robots nor what is "
                    "fixed",
                    name));
  if (steps < it->second.from || steps >= it->second.until)
    throw Error(fmt::format("'{}' is not there", name));
  it->second.until = steps;
}

}  // namespace

LoadedScene assemble_scene(std::shared_ptr<const CheckedScene> file, const std::string& name,
                           const SceneOptions& options, const Place& place) {
  auto assembler = std::make_shared<Assembler>(name, options, place);
  assembler->add_file(std::move(file));
  LoadedScene out = assembler->finish();
  out.editor = std::move(assembler);
  return out;
}

LoadedScene assemble_robot(RobotPart part, const SceneOptions& options, const Place& place) {
  auto assembler = std::make_shared<Assembler>(part.robot.model.name, options, place);
  assembler->add_robot_alone(std::move(part));
  LoadedScene out = assembler->finish();
  out.editor = std::move(assembler);
  return out;
}

}  // namespace stance::io
