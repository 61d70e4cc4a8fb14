#include "stance/scene/add_robot.h"

#include <cmath>
#include <set>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

namespace stance::scene {
namespace {

collision::Shape make_hull_of(const Geometry& g, sim::SceneBuilder& scene) {
  if (g.mesh_path.empty())
    throw Error(g.place, fmt::format("the collision mesh '{}' of link '{}' was not found",
                                     g.mesh_uri, g.link));
  if (!g.mesh) throw Error(g.place, fmt::format("the mesh {} was not read", g.mesh_path));
  std::vector<kernel::Vec3d> points;
  for (const Eigen::Vector3d& vertex : g.mesh->vertices) points.emplace_back(vertex);
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

// The solid box with a link's mass and moments: edges a_i^2 = 6 (I_j + I_k - I_i) / m along the
// principal axes, none below a centimetre.
sim::RobotSpec::LinkShape make_inertia_box(const model::LinkSpec& link, int material) {
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
  Eigen::Vector3d moments = link.inertia.diagonal();
  if (!link.inertia.isDiagonal(1e-9)) {
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(link.inertia);
    axes = solver.eigenvectors(), moments = solver.eigenvalues();
    if (axes.determinant() < 0.0) axes.col(0) *= -1.0;
  }
  Eigen::Vector3d half;
  for (int i = 0; i < 3; ++i) {
    const double square = 6.0 * (moments.sum() - 2.0 * moments[i]) / link.mass;
    half[i] = 0.5 * std::sqrt(std::max(square, 1e-4));
  }
  return {link.name,
          collision::make_box(kernel::Vec3d(half)),
          {kernel::Mat3d(axes), kernel::Vec3d(link.com)},
          material};
}

// Links that have collision meshes, but no shape that is there.
std::set<std::string> find_shapeless(const Robot& robot) {
  std::set<std::string> shapeless;
  for (const Geometry& g : robot.geometry)
    if (g.role == ShapeRole::kCollision && g.kind == ShapeKind::kMesh && g.mesh_path.empty())
      shapeless.insert(g.link);
  for (const Geometry& g : robot.geometry)
    if (g.role == ShapeRole::kCollision && (g.kind != ShapeKind::kMesh || !g.mesh_path.empty()))
      shapeless.erase(g.link);
  return shapeless;
}

}  // namespace

std::vector<Warning> add_robot(const Robot& robot, const RobotPlacement& placement,
                               sim::SceneBuilder& scene) {
  std::vector<Warning> warnings;
  const std::set<std::string> shapeless =
      placement.replace_missing ? find_shapeless(robot) : std::set<std::string>();
  sim::RobotSpec spec;
  spec.name = placement.name;
  spec.parts = robot.parts;
  spec.base = placement.base;
  spec.start = placement.start;
  spec.unmeeting = placement.unmeeting;
  for (const Geometry& g : robot.geometry) {
    if (g.role != ShapeRole::kCollision) continue;
    if (g.mesh_path.empty() && g.kind == ShapeKind::kMesh && shapeless.count(g.link)) continue;
    // from the body back to the link, whose body has another number in the scene
    const model::Frame& link = robot.model.frames[robot.model.find_frame(g.link)];
    const kernel::Mat3d R_LB = transpose(link.R_BF);
    spec.shapes.push_back({g.link,
                           make_shape(g, scene),
                           {R_LB * g.R_BG, R_LB * (g.p_BG - link.p_BF)},
                           placement.material});
  }
  int replaced = 0;
  for (const model::LinkSpec& link : robot.parts.links()) {
    if (!shapeless.count(link.name) || !(link.mass > 0.0)) continue;
    spec.shapes.push_back(make_inertia_box(link, placement.material));
    for (const model::LinkSpec& other : robot.parts.links())
      if (other.name != link.name) spec.unmeeting.emplace_back(link.name, other.name);
    ++replaced;
  }
  if (replaced > 0)
    warnings.push_back(
        {{},
         fmt::format("the collision meshes of {} link{} are missing ({}{}); boxes of their "
                     "mass and inertia stand in for them, and do not meet the robot itself",
                     replaced, replaced == 1 ? "" : "s", *shapeless.begin(),
                     shapeless.size() > 1 ? ", ..." : "")});
  scene.add_robot(spec);
  return warnings;
}

}  // namespace stance::scene
