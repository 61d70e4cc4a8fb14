#include "stance/view/description.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <set>

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stance/contact/law.h"
#include "stance/io/mesh.h"
#include "stance/scene/channels.h"
#include "stance/view/frame.h"

namespace stance::view {
namespace {

using Json = nlohmann::ordered_json;
using kernel::Mat3d;

// ---- meshes -------------------------------------------------------------------------------------

struct Triangles {
  std::vector<Vec3d> vertices;
  std::vector<std::array<std::uint32_t, 3>> corners;

  void add(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const auto first = static_cast<std::uint32_t>(vertices.size());
    vertices.insert(vertices.end(), {a, b, c});
    corners.push_back({first, first + 1, first + 2});
  }
};

std::string write_mesh(const Triangles& mesh) {
  std::string out(8 + 12 * mesh.vertices.size() + 12 * mesh.corners.size(), '\0');
  char* to = out.data();
  const auto put32 = [&to](auto value) { std::memcpy(to, &value, 4), to += 4; };
  put32(static_cast<std::uint32_t>(mesh.vertices.size()));
  put32(static_cast<std::uint32_t>(mesh.corners.size()));
  for (const Vec3d& v : mesh.vertices)
    for (int k = 0; k < 3; ++k) put32(static_cast<float>(v[k]));
  for (const auto& corner : mesh.corners)
    for (const std::uint32_t k : corner) put32(k);
  return out;
}

MeshPointer number_mesh(std::string bytes) {
  static std::atomic<int> next{0};
  return std::make_shared<const MeshFile>(MeshFile{next++, std::move(bytes)});
}

Triangles triangulate(const collision::ShapeSet& shapes, const collision::Shape& shape) {
  Triangles out;
  const auto add = [&](const collision::SurfaceTriangle& t) { out.add(t.v[0], t.v[1], t.v[2]); };
  if (shape.kind == collision::ShapeKind::kMesh) {
    for (const auto& t : shapes.meshes[static_cast<std::size_t>(shape.data)].triangles()) add(t);
  } else if (shape.kind == collision::ShapeKind::kHeightField) {
    const collision::HeightField& field =
        shapes.height_fields[static_cast<std::size_t>(shape.data)];
    field.for_each(field.bounds(), add);
  } else {
    const collision::PolyhedronView hull =
        shapes.polyhedra[static_cast<std::size_t>(shape.data)].view();
    for (int f = 0; f < hull.shown_faces; ++f) {
      const collision::PolyhedronFace& face = hull.faces[f];
      const auto corner = [&](int k) { return hull.vertices[hull.loop_vertices[face.first + k]]; };
      for (int k = 2; k < face.count; ++k) out.add(corner(0), corner(k - 1), corner(k));
    }
  }
  return out;
}

}  // namespace

const MeshPointer& MeshCache::find_file(const std::string& path, const Vec3d& scale) {
  MeshPointer& out = made_[fmt::format("file {} {} {} {}", path, scale[0], scale[1], scale[2])];
  if (!out) {
    const scene::Mesh mesh = io::load_mesh(path, scale.eigen());
    Triangles plain;
    for (const Eigen::Vector3d& v : mesh.vertices) plain.vertices.emplace_back(v);
    for (const std::array<int, 3>& t : mesh.triangles)
      plain.corners.push_back({static_cast<std::uint32_t>(t[0]), static_cast<std::uint32_t>(t[1]),
                               static_cast<std::uint32_t>(t[2])});
    out = number_mesh(write_mesh(plain));
  }
  return out;
}

const MeshPointer& MeshCache::find_shape(const std::string& name, const collision::ShapeSet& shapes,
                                         const collision::Shape& shape) {
  MeshPointer& out = made_["shape " + name];
  if (!out) out = number_mesh(write_mesh(triangulate(shapes, shape)));
  return out;
}

// ---- the message --------------------------------------------------------------------------------

namespace {

Json list3(const Vec3d& v) { return {v[0], v[1], v[2]}; }

Json quaternion(const Mat3d& R) {
  Eigen::Matrix3d m;
  for (int j = 0; j < 3; ++j) m.col(j) = R.c[j].eigen();
  const Eigen::Quaterniond q(m);
  return {q.w(), q.x(), q.y(), q.z()};
}

constexpr std::array<double, 4> kGround = {0.80, 0.81, 0.83, 1.0};
constexpr std::array<double, 4> kPlain = {0.66, 0.69, 0.74, 1.0};
// Objects side by side are told apart.
constexpr std::array<double, 4> kPalette[] = {{0.86, 0.55, 0.30, 1.0}, {0.36, 0.60, 0.76, 1.0},
                                              {0.47, 0.67, 0.42, 1.0}, {0.78, 0.42, 0.45, 1.0},
                                              {0.62, 0.52, 0.74, 1.0}, {0.83, 0.71, 0.36, 1.0}};

Json make_shape(const char* kind, Json size, const sim::Pose& pose,
                const std::array<double, 4>& color, bool looks, bool touches) {
  return {{"kind", kind},
          {"size", std::move(size)},
          {"position", list3(pose.p)},
          {"quaternion", quaternion(pose.R)},
          {"color", {color[0], color[1], color[2], color[3]}},
          {"looks", looks},
          {"touches", touches}};
}

class Describer {
 public:
  Describer(const scene::Scene& scene, const scene::Part& part, MeshCache& meshes, Description& out)
      : scene_(scene), part_(part), model_(part.scene.world.model), meshes_(meshes), out_(out) {}

  Json make_bodies() {
    for (const scene::Look& look : scene_.looks) seen_.insert(look.link);
    std::set<int> loose;
    for (const model::BodyIndex body : part_.scene.bodies) loose.insert(int(body));
    Json bodies = Json::array();
    for (int i = 0; i < model_.nbody; ++i) {
      const std::string name = i == 0 ? "world" : model_.body_name[i];
      out_.bodies.push_back(name);
      Json body = {
          {"name", name},    {"robot", find_robot(i)},      {"mass", i == 0 ? 0.0 : model_.mass[i]},
          {"moves", i != 0}, {"loose", loose.count(i) > 0}, {"shapes", Json::array()}};
      bodies.push_back(std::move(body));
    }
    int objects = 0;
    for (const collision::Geometry& g : part_.scene.world.shapes.geometries) {
      const bool is_loose = loose.count(g.body) > 0;
      const std::array<double, 4>& color = is_loose      ? kPalette[objects++ % std::size(kPalette)]
                                           : g.body == 0 ? kGround
                                                         : kPlain;
      bodies[static_cast<std::size_t>(g.body)]["shapes"].push_back(make_touched(g, color));
    }
    for (const scene::Look& look : scene_.looks) add_look(look, bodies);
    return bodies;
  }

 private:
  // The robot that a body belongs to, or null.
  Json find_robot(int i) const {
    if (i == 0 || model_.parent[i] == 0) {
      bool is_base = false;
      for (const scene::PartRobot& robot : part_.robots)
        is_base = is_base || (robot.base && int(*robot.base) == i);
      bool is_loose = false;
      for (const model::BodyIndex body : part_.scene.bodies) is_loose = is_loose || int(body) == i;
      if (i == 0 || (is_loose && !is_base)) return nullptr;
    }
    for (const scene::PartRobot& robot : part_.robots) {
      if (robot.name.empty()) return "robot";
      if (model_.body_name[i].starts_with(robot.name + "/")) return robot.name;
    }
    return nullptr;
  }

  Json make_touched(const collision::Geometry& g, const std::array<double, 4>& color) {
    using Kind = collision::ShapeKind;
    const sim::Pose pose{g.R_BG, g.p_BG};
    const collision::Shape& s = g.shape;
    // a link that has looks of its own is not seen by what it is touched with
    const bool looks = seen_.count(g.name) == 0;
    switch (s.kind) {
      case Kind::kSphere: return make_shape("sphere", {s.radius}, pose, color, looks, true);
      case Kind::kCapsule:
        return make_shape("capsule", {s.radius, 2.0 * s.half_length}, pose, color, looks, true);
      case Kind::kCylinder:
        return make_shape("cylinder", {s.radius, 2.0 * s.half_length}, pose, color, looks, true);
      case Kind::kBox: return make_shape("box", list3(2.0 * s.half), pose, color, looks, true);
      case Kind::kPlane: return make_shape("plane", Json::array(), pose, color, looks, true);
      case Kind::kHull:
      case Kind::kMesh:
      case Kind::kHeightField: break;
    }
    const char* kind = s.kind == Kind::kHull   ? "hull"
                       : s.kind == Kind::kMesh ? "mesh"
                                               : "height_field";
    const std::string name = fmt::format("{} {}", g.name, ++named_[g.name]);
    Json out = make_shape(kind, Json::array(), pose, color, looks, true);
    add_mesh(meshes_.find_shape(name, *part_.scene.world.shapes.shapes, s), out);
    return out;
  }

  void add_mesh(const MeshPointer& mesh, Json& shape) {
    shape["mesh"] = mesh->number;
    shape["scale"] = {1.0, 1.0, 1.0};
    out_.meshes.push_back(mesh);
  }

  void add_look(const scene::Look& look, Json& bodies) {
    const model::FrameIndex index = model_.find_frame(look.link);
    if (!index.valid()) return;
    const model::Frame& frame = model_.frames[index];
    const sim::Pose pose{frame.R_BF * look.pose.R, frame.p_BF + frame.R_BF * look.pose.p};
    const scene::Geometry& g = look.shape;
    const auto make = [&](const char* kind, Json size) {
      return make_shape(kind, std::move(size), pose, g.colour, true, false);
    };
    Json out;
    switch (g.kind) {
      case scene::ShapeKind::kBox: out = make("box", list3(g.size)); break;
      case scene::ShapeKind::kSphere: out = make("sphere", {g.radius}); break;
      case scene::ShapeKind::kCylinder: out = make("cylinder", {g.radius, g.length}); break;
      case scene::ShapeKind::kCapsule: out = make("capsule", {g.radius, g.length}); break;
      case scene::ShapeKind::kMesh:
        if (g.mesh_path.empty()) return;
        try {
          out = make("mesh", Json::array());
          add_mesh(meshes_.find_file(g.mesh_path, g.scale), out);
        } catch (const Error&) {
          return;  // `stance check` tells; a robot without one of its looks is still seen
        }
        break;
    }
    bodies[static_cast<std::size_t>(frame.body)]["shapes"].push_back(std::move(out));
  }

  const scene::Scene& scene_;
  const scene::Part& part_;
  const model::Model& model_;
  MeshCache& meshes_;
  Description& out_;
  std::set<std::string> seen_;        // links with looks
  std::map<std::string, int> named_;  // meshes of the same name so far
};

// Whether anything but springs moves joints or bodies.
bool acts(const scene::SceneSpec& spec) {
  return !spec.forces.empty() || !spec.plugins.empty() ||
         std::any_of(spec.robots.begin(), spec.robots.end(),
                     [](const scene::RobotSpec& robot) { return !robot.controllers.empty(); });
}

Json make_joints(const scene::Part& part) {
  const model::Model& model = part.scene.world.model;
  const bool has_controllers = acts(part.compiler->spec());
  Json out = Json::array();
  for (const int k : find_listed_coordinates(part)) {
    const int i = model.dof_body[k];
    const auto limit = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
    const bool is_held = part.drive.stiffness[k] > 0.0 || has_controllers;
    out.push_back({{"name", model.joint_name[i]},
                   {"unit", model.joint_type[i] == model::JointType::kRevolute ? "rad" : "m"},
                   {"lower", limit(model.lower[k])},
                   {"upper", limit(model.upper[k])},
                   {"held", is_held}});
  }
  return out;
}

}  // namespace

std::shared_ptr<const Description> describe_world(std::uint32_t number, const SceneSource& source,
                                                  const scene::Scene& scene,
                                                  const scene::Part& part,
                                                  const std::map<std::string, double>& start,
                                                  MeshCache& meshes) {
  constexpr double kPush = 50.0;  // N
  const sim::World& world = part.scene.world;
  const scene::SceneSpec& spec = scene.spec();
  auto out = std::make_shared<Description>();
  out->scene = number;
  Json json = {{"type", "scene"},
               {"scene", number},
               {"file", source.label},
               {"about", spec.about},
               {"step", spec.step},
               {"gravity", list3(world.gravity)},
               {"law", contact::contact_law_name(world.contact.law)},
               {"tolerance", world.contact.tolerance},
               {"variables", Json::array()}};
  for (const scene::VariableSpec& variable : spec.variables) {
    const double* value = std::get_if<double>(&variable.value);
    if (!value) continue;
    const auto it = start.find(variable.name);
    json["variables"].push_back({{"name", variable.name},
                                 {"value", *value},
                                 {"start", it == start.end() ? *value : it->second},
                                 {"about", ""}});
  }
  json["bodies"] = Describer(scene, part, meshes, *out).make_bodies();
  json["joints"] = make_joints(part);
  out->joints = json["joints"].size();
  json["channels"] = Json::array();
  for (const sim::Channel& channel : list_channels(part))
    json["channels"].push_back(
        {{"name", channel.name}, {"unit", channel.unit}, {"columns", channel.columns}});
  json["interaction"] = {{"stiffness", spec.interaction.stiffness}, {"push", kPush}};
  out->json = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return out;
}

}  // namespace stance::view
