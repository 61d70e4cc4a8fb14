#include "stance/io/robot_scene.h"

#include <fmt/format.h>

#include "stance/io/mesh.h"

namespace stance::io {
namespace {

collision::Shape make_hull_of(const Geometry& g, sim::SceneBuilder& scene) {
  if (g.mesh_path.empty())
    throw Error(g.place, fmt::format("the collision mesh '{}' of link '{}' was not found",
                                     g.mesh_uri, g.link));
  const TriangleMesh mesh = load_mesh(g.mesh_path, {g.scale[0], g.scale[1], g.scale[2]});
  std::vector<kernel::Vec3d> points;
  for (const Eigen::Vector3d& vertex : mesh.vertices) points.emplace_back(vertex);
  return scene.make_hull(points);
}

collision::Shape make_shape(const Geometry& g, sim::SceneBuilder& scene) {
  switch (g.kind) {
    case ShapeKind::kBox: return collision::make_box(0.5 * g.size);
    case ShapeKind::kSphere: return collision::make_sphere(g.radius);
    case ShapeKind::kCylinder: return collision::make_cylinder(g.radius, 0.5 * g.length);
    case ShapeKind::kCapsule: return collision::make_capsule(g.radius, 0.5 * g.length);
    case ShapeKind::kMesh: return make_hull_of(g, scene);
  }
  throw Error(g.place, "a shape of unknown kind");
}

}  // namespace

void add_robot(const Robot& robot, const RobotPlacement& placement, sim::SceneBuilder& scene) {
  sim::RobotSpec spec;
  spec.name = placement.name;
  spec.parts = robot.parts;
  spec.base = placement.base;
  spec.start = placement.start;
  spec.unmeeting = placement.unmeeting;
  for (const Geometry& g : robot.geometry) {
    if (g.role != ShapeRole::kCollision) continue;
    // from the body back to the link, whose body has another number in the scene
    const model::Frame& link = robot.model.frames[robot.model.find_frame(g.link)];
    const kernel::Mat3d R_LB = transpose(link.R_BF);
    spec.shapes.push_back({g.link,
                           make_shape(g, scene),
                           {R_LB * g.R_BG, R_LB * (g.p_BG - link.p_BF)},
                           placement.material});
  }
  scene.add_robot(spec);
}

}  // namespace stance::io
