#include "stance/io/urdf_geometry.h"

#include <filesystem>
#include <map>
#include <string_view>
#include <unordered_map>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "stance/io/resolve.h"

namespace stance::io {
namespace {

using model::Mat3d;
using model::Vec3d;

// Form and size of a shape from urdfdom.
void read_form(const urdf::Geometry& source, bool is_capsule, Geometry& shape) {
  if (const auto* box = dynamic_cast<const urdf::Box*>(&source)) {
    shape.kind = ShapeKind::kBox;
    shape.size = Vec3d(box->dim.x, box->dim.y, box->dim.z);
  } else if (const auto* sphere = dynamic_cast<const urdf::Sphere*>(&source)) {
    shape.kind = ShapeKind::kSphere;
    shape.radius = sphere->radius;
  } else if (const auto* cylinder = dynamic_cast<const urdf::Cylinder*>(&source)) {
    shape.kind = is_capsule ? ShapeKind::kCapsule : ShapeKind::kCylinder;
    shape.radius = cylinder->radius;
    shape.length = cylinder->length;
  } else if (const auto* mesh = dynamic_cast<const urdf::Mesh*>(&source)) {
    shape.kind = ShapeKind::kMesh;
    shape.mesh_uri = mesh->filename;
    shape.scale = Vec3d(mesh->scale.x, mesh->scale.y, mesh->scale.z);
  }
}

// Where a link sits in its body.
struct Seat {
  model::BodyIndex body;
  Eigen::Matrix3d R_BL;
  Eigen::Vector3d p_BL;
};

Geometry make_shape(const UrdfShape& entry, const urdf::Pose& origin, const urdf::Geometry& source,
                    const Seat& seat) {
  Geometry shape;
  shape.name = entry.name;
  shape.body = seat.body;
  shape.R_BG = Mat3d(Eigen::Matrix3d(seat.R_BL * rotation_of(origin)));
  shape.p_BG = Vec3d(Eigen::Vector3d(seat.p_BL + seat.R_BL * position_of(origin)));
  shape.has_colour = entry.has_colour;
  shape.colour = entry.colour;
  shape.place = entry.place;
  read_form(source, entry.is_capsule, shape);
  return shape;
}

// Shapes of one role of one link; urdfdom keeps them in the order of the file.
template <class Source>
void append_shapes(ShapeRole role, const UrdfLink& link, const std::vector<UrdfShape>& entries,
                   const std::vector<Source>& sources, const Seat& seat,
                   std::vector<Geometry>& geometry) {
  for (std::size_t k = 0; k < entries.size() && k < sources.size(); ++k) {
    if (!sources[k] || !sources[k]->geometry) continue;
    geometry.push_back(make_shape(entries[k], sources[k]->origin, *sources[k]->geometry, seat));
    geometry.back().role = role;
    geometry.back().link = link.name;
  }
}

std::string describe_missing(const std::string& uri, const Resolved& resolved) {
  if (!resolved.problem.empty()) return fmt::format("the mesh {}: {}", uri, resolved.problem);
  const bool is_package = uri.starts_with("package://") || uri.starts_with("model://");
  return fmt::format("the mesh {} is missing; looked for {}{}", uri,
                     fmt::join(resolved.tried, ", "),
                     is_package ? " (name the folder above the package with --package-path)" : "");
}

}  // namespace

Eigen::Matrix3d rotation_of(const urdf::Pose& pose) {
  const urdf::Rotation& q = pose.rotation;
  return Eigen::Quaterniond(q.w, q.x, q.y, q.z).normalized().toRotationMatrix();
}

Eigen::Vector3d position_of(const urdf::Pose& pose) {
  return {pose.position.x, pose.position.y, pose.position.z};
}

std::vector<Geometry> make_geometry(const UrdfDocument& document,
                                    const urdf::ModelInterface& source, const model::Model& model) {
  std::unordered_map<std::string_view, const model::Frame*> frames;
  for (const model::Frame& frame : model.frames) frames.emplace(frame.name, &frame);
  std::vector<Geometry> geometry;
  for (const UrdfLink& link : document.links) {
    if (link.visuals.empty() && link.collisions.empty()) continue;
    const model::Frame& frame = *frames.at(link.name);
    const Seat seat{frame.body, frame.R_BF.eigen(), frame.p_BF.eigen()};
    const urdf::Link& from = *source.links_.at(link.name);
    append_shapes(ShapeRole::kVisual, link, link.visuals, from.visual_array, seat, geometry);
    append_shapes(ShapeRole::kCollision, link, link.collisions, from.collision_array, seat,
                  geometry);
  }
  return geometry;
}

void find_meshes(const std::string& urdf_file, const std::vector<std::string>& package_paths,
                 std::vector<Geometry>& geometry, Findings& findings) {
  const std::string folder = std::filesystem::path(urdf_file).parent_path().string();
  std::map<std::string, std::string> found;  // by URI; empty where missing
  for (Geometry& shape : geometry) {
    if (shape.kind != ShapeKind::kMesh) continue;
    const auto [it, fresh] = found.emplace(shape.mesh_uri, std::string());
    if (fresh) {
      const Resolved resolved = find_file(shape.mesh_uri, folder, package_paths);
      it->second = resolved.path;
      if (!resolved.found()) findings.warn(shape.place, describe_missing(shape.mesh_uri, resolved));
    }
    shape.mesh_path = it->second;
  }
}

}  // namespace stance::io
