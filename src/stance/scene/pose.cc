#include "stance/scene/pose.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "stance/collision/hull.h"
#include "stance/kernel/overloaded.h"

namespace stance::scene {
namespace {

using kernel::Mat3d;
using kernel::Overloaded;

constexpr std::size_t kMostHeights = 1'000'000;  // of a height field

Mat3d make_turn(const PoseSpec& pose, const Sources& sources, const Path& path) {
  if (pose.turn) {
    if (!(norm(pose.turn->axis) > 1e-9))
      throw make_error(sources, path / "turn" / "axis", "'axis' has no direction");
    return sim::make_rotation(pose.turn->axis, pose.turn->angle);
  }
  if (pose.quaternion) {
    const std::array<double, 4>& q = *pose.quaternion;
    const Eigen::Quaterniond quaternion(q[0], q[1], q[2], q[3]);
    if (!(quaternion.norm() > 1e-9))
      throw make_error(sources, path / "quaternion", "'quaternion' has no length");
    return Mat3d(quaternion.normalized().toRotationMatrix());
  }
  return pose.rpy ? make_rpy(*pose.rpy) : Mat3d::identity();
}

std::vector<Vec3d> find_points(const HullSpec& hull) {
  std::vector<Vec3d> points;
  if (hull.data) {
    for (const Eigen::Vector3d& vertex : hull.data->vertices) points.emplace_back(vertex);
    return points;
  }
  const Vec3d& s = hull.scale;
  for (const Vec3d& p : hull.points) points.emplace_back(s[0] * p[0], s[1] * p[1], s[2] * p[2]);
  return points;
}

collision::Shape make_surface(const MeshSpec& spec, sim::SceneBuilder& builder) {
  if (!spec.data) throw Error(fmt::format("the mesh {} was not read", spec.file));
  std::vector<Vec3d> vertices;
  for (const Eigen::Vector3d& vertex : spec.data->vertices) vertices.emplace_back(vertex);
  std::vector<collision::Triangle> triangles;
  for (const std::array<int, 3>& t : spec.data->triangles) triangles.push_back({t[0], t[1], t[2]});
  return builder.make_mesh(vertices, triangles);
}

collision::Shape make_ground(const HeightFieldSpec& field, const Sources& sources, const Path& path,
                             sim::SceneBuilder& builder) {
  const std::size_t count = static_cast<std::size_t>(field.columns) * field.rows;
  if (count > kMostHeights)
    throw make_error(sources, path / "columns",
                     fmt::format("{} columns x {} rows are {} heights; at most {} can be",
                                 field.columns, field.rows, count, kMostHeights));
  if (field.heights.size() != count)
    throw make_error(sources, path / "heights",
                     fmt::format("'heights' has {} numbers; {} columns x {} rows are {}",
                                 field.heights.size(), field.columns, field.rows, count));
  collision::HeightFieldSpec out;
  out.columns = field.columns, out.rows = field.rows;
  out.spacing_x = field.spacing[0], out.spacing_y = field.spacing[1];
  out.heights = field.heights;
  return builder.make_height_field(out);
}

}  // namespace

Mat3d make_rpy(const Vec3d& rpy) {
  return sim::make_rotation({0, 0, 1}, rpy[2]) * sim::make_rotation({0, 1, 0}, rpy[1]) *
         sim::make_rotation({1, 0, 0}, rpy[0]);
}

sim::Pose make_pose(const PoseSpec& pose, const Sources& sources, const Path& path) {
  return {make_turn(pose, sources, path), pose.position};
}

collision::Shape make_shape(const ShapeSpec& shape, const std::string& name, const Sources& sources,
                            const Path& path, sim::SceneBuilder& builder, double* volume) {
  const auto solid = [&](const collision::Shape& made) {
    if (volume) *volume = sim::calc_solid_inertia(made).volume;
    return made;
  };
  return at_path(sources, path, [&] {
    return std::visit(
        Overloaded{
            [](std::monostate) -> collision::Shape { throw Error("this has no shape"); },
            [&](const SphereSpec& s) { return solid(collision::make_sphere(s.radius)); },
            [&](const CapsuleSpec& s) {
              return solid(collision::make_capsule(s.radius, 0.5 * s.length));
            },
            [&](const CylinderSpec& s) {
              return solid(collision::make_cylinder(s.radius, 0.5 * s.length));
            },
            [&](const BoxSpec& s) { return solid(collision::make_box(0.5 * s.size)); },
            [&](const HullSpec& s) {
              const std::vector<Vec3d> points = find_points(s);
              if (volume)
                *volume =
                    sim::calc_solid_inertia(collision::make_hull_polyhedron(points, name)).volume;
              return builder.make_hull(points);
            },
            [](const PlaneSpec&) { return collision::make_plane(); },
            [&](const MeshSpec& s) { return make_surface(s, builder); },
            [&](const HeightFieldSpec& s) {
              return make_ground(s, sources, path / "height_field", builder);
            },
        },
        shape);
  });
}

}  // namespace stance::scene
