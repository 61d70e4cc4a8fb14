#include "stance/io/scene_parts.h"

#include <algorithm>
#include <filesystem>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "stance/collision/hull.h"
#include "stance/io/contact_law.h"
#include "stance/io/mesh.h"
#include "stance/io/nearest_name.h"
#include "stance/io/scene_modules.h"
#include "stance/io/urdf.h"

namespace stance::io {
namespace {

using kernel::Mat3d;
using kernel::Vec3d;

constexpr std::size_t kMostHeights = 1'000'000;  // of a height field

Mat3d read_turn(const SceneNode& node) {
  if (const SceneNode* turn = node.group("turn")) {
    const Vec3d axis = turn->vector("axis");
    if (!(norm(axis) > 1e-9)) throw Error(turn->place("axis"), "'axis' has no direction");
    return sim::make_rotation(axis, turn->number("angle"));
  }
  if (node.has("quaternion")) {
    const std::vector<double> q = node.numbers("quaternion");
    const Eigen::Quaterniond quaternion(q[0], q[1], q[2], q[3]);
    if (!(quaternion.norm() > 1e-9))
      throw Error(node.place("quaternion"), "'quaternion' has no length");
    return Mat3d(quaternion.normalized().toRotationMatrix());
  }
  if (!node.has("rpy")) return Mat3d::identity();
  return make_rpy(node.vector("rpy"));
}

// ---- shapes -----------------------------------------------------------------------------------

// A file that the scene names, there or not.
std::string find_file(const SceneNode& node, std::string_view key) {
  const std::string path = node.text(key);
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code))
    throw Error(node.place(key), fmt::format("there is no file {}", path));
  return path;
}

std::vector<Vec3d> read_hull_points(const SceneNode& hull) {
  std::vector<Vec3d> points;
  const Vec3d s = hull.vector("scale");
  if (hull.has("mesh")) {
    const TriangleMesh mesh = load_mesh(find_file(hull, "mesh"), {s[0], s[1], s[2]});
    for (const Eigen::Vector3d& vertex : mesh.vertices) points.emplace_back(vertex);
    return points;
  }
  const std::vector<double> n = hull.numbers("points");
  for (std::size_t k = 0; k + 2 < n.size(); k += 3)
    points.emplace_back(s[0] * n[k], s[1] * n[k + 1], s[2] * n[k + 2]);
  return points;
}

collision::Shape read_mesh(const SceneNode& node, sim::SceneBuilder& builder) {
  const Vec3d s = node.vector("scale");
  const TriangleMesh mesh = load_mesh(find_file(node, "file"), {s[0], s[1], s[2]});
  std::vector<Vec3d> vertices;
  for (const Eigen::Vector3d& vertex : mesh.vertices) vertices.emplace_back(vertex);
  std::vector<collision::Triangle> triangles;
  for (const std::array<int, 3>& t : mesh.triangles) triangles.push_back({t[0], t[1], t[2]});
  return builder.make_mesh(vertices, triangles);
}

collision::Shape read_height_field(const SceneNode& node, Scope scope, sim::SceneBuilder& builder) {
  collision::HeightFieldSpec spec;
  spec.columns = node.integer("columns"), spec.rows = node.integer("rows");
  const std::vector<double> spacing = node.numbers("spacing");
  spec.spacing_x = spacing[0], spec.spacing_y = spacing[1];
  const std::size_t count = static_cast<std::size_t>(spec.columns) * spec.rows;
  if (count > kMostHeights)
    throw Error(node.place("columns"),
                fmt::format("{} columns x {} rows are {} heights; at most {} can be", spec.columns,
                            spec.rows, count, kMostHeights));
  if (node.has("heights")) {
    spec.heights = node.numbers("heights");
    if (spec.heights.size() != count)
      throw Error(node.place("heights"),
                  fmt::format("'heights' has {} numbers; {} columns x {} rows are {}",
                              spec.heights.size(), spec.columns, spec.rows, count));
    return builder.make_height_field(spec);
  }
  const std::string formula = node.text("height");
  for (int row = 0; row < spec.rows; ++row)
    for (int column = 0; column < spec.columns; ++column) {
      scope.locals["x"] = spacing[0] * (column - 0.5 * (spec.columns - 1));
      scope.locals["y"] = spacing[1] * (row - 0.5 * (spec.rows - 1));
      try {
        spec.heights.push_back(evaluate(formula, scope));
      } catch (const Error& error) {
        throw Error(node.place("height"), fmt::format("'height': {}", error.what()));
      }
    }
  return builder.make_height_field(spec);
}

// ---- joints -----------------------------------------------------------------------------------

bool is_single(const model::Model& model, int body) { return model.joint_nq(body) == 1; }

RobotPart::Hold read_hold(const SceneNode& node) {
  RobotPart::Hold hold;
  hold.by_inertia = !node.has("stiffness") && !node.has("damping");
  hold.frequency = node.number("frequency");
  hold.damping_ratio = node.number("damping_ratio");
  if (node.has("stiffness")) hold.stiffness = node.number("stiffness");
  hold.damping = node.number("damping");
  return hold;
}

BaseChoice read_base(const std::string& word) {
  return word == "free"    ? BaseChoice::kFree
         : word == "fixed" ? BaseChoice::kFixed
                           : BaseChoice::kAuto;
}

}  // namespace

std::string suggest_name(std::string_view name, const std::vector<std::string>& known) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  const std::string_view nearest = find_nearest_name(name, views);
  return nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest);
}

Mat3d make_rpy(const Vec3d& rpy) {
  return sim::make_rotation({0, 0, 1}, rpy[2]) * sim::make_rotation({0, 1, 0}, rpy[1]) *
         sim::make_rotation({1, 0, 0}, rpy[0]);
}

sim::Pose read_pose(const SceneNode& node) { return {read_turn(node), node.vector("position")}; }

bool has_pose(const SceneNode& node) {
  return node.has("position") || node.has("rpy") || node.has("quaternion") || node.has("turn");
}

collision::Shape read_shape(const SceneNode& shape, const std::string& name, const Scope& scope,
                            sim::SceneBuilder& builder, double* volume) {
  return at_place(shape.place(), [&] {
    const auto solid = [&](const collision::Shape& made) {
      if (volume) *volume = sim::calc_solid_inertia(made).volume;
      return made;
    };
    if (const SceneNode* sphere = shape.group("sphere"))
      return solid(collision::make_sphere(sphere->number("radius")));
    if (const SceneNode* box = shape.group("box"))
      return solid(collision::make_box(0.5 * box->vector("size")));
    if (const SceneNode* capsule = shape.group("capsule"))
      return solid(
          collision::make_capsule(capsule->number("radius"), 0.5 * capsule->number("length")));
    if (const SceneNode* cylinder = shape.group("cylinder"))
      return solid(
          collision::make_cylinder(cylinder->number("radius"), 0.5 * cylinder->number("length")));
    if (const SceneNode* hull = shape.group("hull")) {
      const std::vector<Vec3d> points = read_hull_points(*hull);
      if (volume)
        *volume = sim::calc_solid_inertia(collision::make_hull_polyhedron(points, name)).volume;
      return builder.make_hull(points);
    }
    if (shape.group("plane")) return collision::make_plane();
    if (const SceneNode* mesh = shape.group("mesh")) return read_mesh(*mesh, builder);
    return read_height_field(*shape.group("height_field"), scope, builder);
  });
}

contact::ContactOptions read_contact(const SceneNode* contact) {
  contact::ContactOptions out;
  if (!contact) return out;
  out.law = parse_contact_law(contact->text("law"), contact->place("law"));
  out.tolerance = contact->number("tolerance");
  out.max_sweeps = contact->integer("max_sweeps");
  out.facets = contact->integer("facets");
  out.margin = contact->number("margin");
  out.slop = contact->number("slop");
  out.correction = contact->number("correction");
  out.loop_correction = contact->number("loop_correction");
  out.capacity = contact->integer("capacity");
  const SceneNode* penalty = contact->group("penalty");
  if (!penalty) return out;
  contact::PenaltyOptions& p = out.penalty;
  p.kp = penalty->number("kp"), p.kv = penalty->number("kv");
  p.wanted_penetration = penalty->number("wanted_penetration");
  p.saturation = penalty->text("saturation") == "once" ? contact::Saturation::kOnce
                                                       : contact::Saturation::kConsistent;
  p.stiffness = penalty->number("stiffness"), p.damping = penalty->number("damping");
  p.hunt_stiffness = penalty->number("hunt_stiffness");
  p.hunt_exponent = penalty->number("hunt_exponent");
  p.hunt_damping = penalty->number("hunt_damping");
  p.tangential_stiffness = penalty->number("tangential_stiffness");
  p.tangential_damping = penalty->number("tangential_damping");
  return out;
}

contact::Material read_material(const SceneNode& node) {
  return {node.number("friction"), node.number("restitution"), node.number("torsion_friction"),
          node.number("rolling_friction")};
}

contact::PairRule read_pair_rule(const SceneNode& node, int a, int b) {
  contact::PairRule rule{a, b};
  const auto read = [&](const char* key, std::optional<double>& value) {
    if (node.has(key)) value = node.number(key);
  };
  read("friction", rule.friction), read("restitution", rule.restitution);
  read("torsion_friction", rule.torsion_friction);
  read("rolling_friction", rule.rolling_friction);
  return rule;
}

SceneExpectations read_expectations(const SceneNode* expect) {
  SceneExpectations out;
  if (!expect) return out;
  const auto read = [&](const char* key, std::optional<double>& value) {
    if (expect->has(key)) value = expect->number(key);
  };
  if (expect->has("no_fall")) out.no_fall = expect->flag("no_fall");
  if (expect->has("converged")) out.converged = expect->flag("converged");
  read("max_slip", out.max_slip);
  read("max_penetration", out.max_penetration);
  read("max_residual", out.max_residual);
  read("max_energy_error", out.max_energy_error);
  read("max_final_speed", out.max_final_speed);
  if (expect->has("max_unconverged")) out.max_unconverged = expect->integer("max_unconverged");

  using Quantity = FinalExpectation::Quantity;
  for (const SceneNode& entry : expect->groups("final")) {
    const double tolerance = entry.number("tolerance");
    const double rate_tolerance =
        entry.has("rate_tolerance") ? entry.number("rate_tolerance") : tolerance;
    const auto add = [&](Quantity quantity, int component, double wanted) {
      const bool is_rate = quantity == Quantity::kVelocity || quantity == Quantity::kSpin ||
                           quantity == Quantity::kRate;
      out.final.push_back(
          {entry.name(), quantity, component, wanted, is_rate ? rate_tolerance : tolerance});
    };
    const auto add_vector = [&](const char* key, Quantity quantity) {
      if (!entry.has(key)) return;
      const Vec3d wanted = entry.vector(key);
      for (int k = 0; k < 3; ++k) add(quantity, k, wanted[k]);
    };
    const auto add_number = [&](const char* key, Quantity quantity, int component) {
      if (entry.has(key)) add(quantity, component, entry.number(key));
    };
    const std::size_t before = out.final.size();
    add_vector("position", Quantity::kPosition);
    add_number("x", Quantity::kPosition, 0);
    add_number("y", Quantity::kPosition, 1);
    add_number("z", Quantity::kPosition, 2);
    add_vector("velocity", Quantity::kVelocity);
    add_vector("spin", Quantity::kSpin);
    add_number("value", Quantity::kJoint, 0);
    add_number("rate", Quantity::kRate, 0);
    if (out.final.size() == before)
      throw Error(entry.place(), fmt::format("'{}' expects nothing; give it a position, velocity, "
                                             "spin, value or rate",
                                             entry.name()));
  }
  for (const SceneNode& entry : expect->groups("readings"))
    out.readings.push_back({entry.name(), entry.numbers("values"), entry.number("tolerance")});
  return out;
}

// ---- robots -----------------------------------------------------------------------------------

bool matches(std::string_view pattern, std::string_view name) {
  // the usual two fingers: the last star, and where its match began
  std::size_t p = 0, n = 0, star = std::string_view::npos, mark = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++, mark = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p, ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1, n = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::vector<std::string> find_joints(const Robot& robot, const std::string& pattern,
                                     const Place& place) {
  const model::Model& model = robot.model;
  std::vector<std::string> found;
  std::vector<std::string_view> names;
  for (int i = 1; i < model.nbody; ++i) {
    if (is_single(model, i)) names.push_back(model.joint_name[i]);
    if (!matches(pattern, model.joint_name[i])) continue;
    if (is_single(model, i))
      found.push_back(model.joint_name[i]);
    else if (pattern == model.joint_name[i])
      throw Error(place, fmt::format("the joint '{}' has more than one coordinate", pattern));
  }
  if (!found.empty()) return found;
  const std::string_view nearest = find_nearest_name(pattern, names);
  throw Error(place, fmt::format("the robot '{}' has no joint '{}'{}", model.name, pattern,
                                 !nearest.empty() ? fmt::format(", did you mean '{}'?", nearest)
                                                  : "; `stance info` lists its joints"));
}

std::vector<std::pair<std::string, double>> find_start(const Robot& robot,
                                                       const std::vector<JointStart>& given) {
  const model::Model& model = robot.model;
  std::vector<double> value(model.nbody, 0.0);
  std::vector<char> is_given(model.nbody, 0);
  for (int i = 1; i < model.nbody; ++i) {
    if (!is_single(model, i)) continue;
    const int k = model.v_start[i];
    value[i] = std::clamp(0.0, model.lower[k], model.upper[k]);
  }
  for (const JointStart& start : given)
    for (const std::string& name : find_joints(robot, start.pattern, start.place)) {
      const int i = model.find_joint(name);
      const int k = model.v_start[i];
      if (start.value < model.lower[k] || start.value > model.upper[k])
        throw Error(start.place,
                    fmt::format("the joint '{}' would start at {:g}, beyond its limits {:g} and "
                                "{:g}",
                                name, start.value, model.lower[k], model.upper[k]));
      value[i] = start.value, is_given[i] = 1;
    }
  // leaders may themselves follow
  for (std::size_t round = 0; round < model.mimics.size(); ++round)
    for (const model::Mimic& mimic : model.mimics)
      if (!is_given[mimic.follower])
        value[mimic.follower] = mimic.ratio * value[mimic.leader] + mimic.offset;
  std::vector<std::pair<std::string, double>> start;
  for (int i = 1; i < model.nbody; ++i)
    if (is_single(model, i) && (is_given[i] || value[i] != 0.0))
      start.emplace_back(model.joint_name[i], value[i]);
  return start;
}

std::vector<std::pair<std::string, double>> widen_joints(
    const std::vector<std::pair<std::string, double>>& given, const Robot& robot) {
  std::vector<std::pair<std::string, double>> joints = given;
  for (auto& [pattern, value] : joints) {
    bool is_known = false, is_part = false;
    const std::string wide = "*" + pattern + "*";
    for (const std::string& name : robot.model.joint_name) {
      is_known = is_known || matches(pattern, name);
      is_part = is_part || matches(wide, name);
    }
    if (!is_known && is_part) pattern = wide;
  }
  return joints;
}

RobotPart read_robot(const SceneNode& node, const SceneOptions& options) {
  RobotPart part;
  part.prefix = node.name() + "/";
  UrdfOptions urdf;
  urdf.base = read_base(node.text("base"));
  urdf.package_paths = node.texts("package_paths");
  urdf.package_paths.insert(urdf.package_paths.end(), options.package_paths.begin(),
                            options.package_paths.end());
  part.robot = load_urdf(find_file(node, "urdf"), urdf);

  RobotPlacement& at = part.placement;
  at.name = node.name();
  at.base = read_pose(node);
  at.replace_missing = true;
  if (node.has("srdf")) at.unmeeting = load_srdf(find_file(node, "srdf"), part.robot);
  part.velocity = node.vector("velocity"), part.spin = node.vector("spin");
  if (node.has("stand_on")) part.stand_on = node.number("stand_on");
  if (!part.robot.is_free)
    for (const char* key : {"stand_on", "velocity", "spin"})
      if (node.has(key))
        throw Error(node.place(key), fmt::format("'{}' is for robots with a free base", key));

  std::vector<JointStart> starts;
  if (const SceneNode::Value* joints = node.find("joints"))
    for (std::size_t k = 0; k < joints->texts.size(); ++k)
      starts.push_back({joints->texts[k], joints->numbers[k], joints->places[k]});
  for (const auto& [pattern, value] : widen_joints(options.joints, part.robot))
    for (int i = 1; i < part.robot.model.nbody; ++i)
      if (matches(pattern, part.robot.model.joint_name[i])) {
        starts.push_back({pattern, value, {}});
        break;
      }
  at.start = find_start(part.robot, starts);
  if (const SceneNode::Value* rates = node.find("rates"))
    for (std::size_t k = 0; k < rates->texts.size(); ++k)
      for (const std::string& name : find_joints(part.robot, rates->texts[k], rates->places[k]))
        part.rates.emplace_back(name, rates->numbers[k]);

  if (const SceneNode* hold = node.group("hold")) part.hold = read_hold(*hold);
  for (const SceneNode& drive : node.groups("drives"))
    for (const std::string& joint : find_joints(part.robot, drive.name(), drive.place())) {
      RobotPart::Drive out{joint, {}, {}, {}, drive.number("torque")};
      if (drive.has("stiffness")) out.stiffness = drive.number("stiffness");
      if (drive.has("damping")) out.damping = drive.number("damping");
      if (drive.has("target")) out.target = drive.number("target");
      part.drives.push_back(out);
    }
  read_joint_hardware(node, part);
  part.controllers = &node.groups("controllers");
  return part;
}

}  // namespace stance::io
