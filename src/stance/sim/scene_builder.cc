#include "stance/sim/scene_builder.h"

#include <cmath>

#include <Eigen/Geometry>

#include "stance/kernel/error.h"

namespace stance::sim {
namespace {

using collision::Shape;
using collision::ShapeKind;

// Principal moments of a solid of even density.
Eigen::Vector3d calc_moments(const Shape& shape, double mass) {
  const double r2 = shape.radius * shape.radius, l = 2.0 * shape.half_length;
  switch (shape.kind) {
    case ShapeKind::kSphere: return Eigen::Vector3d::Constant(0.4 * mass * r2);
    case ShapeKind::kCylinder: {
      const double across = mass * (3.0 * r2 + l * l) / 12.0;
      return {across, across, 0.5 * mass * r2};
    }
    case ShapeKind::kCapsule: {
      // a cylinder and two half spheres, by their volumes
      const double rod = l, ball = 4.0 / 3.0 * shape.radius;
      const double m_rod = mass * rod / (rod + ball), m_ball = mass * ball / (rod + ball);
      const double across = m_rod * (3.0 * r2 + l * l) / 12.0 +
                            m_ball * (0.4 * r2 + 0.25 * l * l + 0.375 * l * shape.radius);
      return {across, across, 0.5 * m_rod * r2 + 0.4 * m_ball * r2};
    }
    case ShapeKind::kBox: {
      const Vec3d& a = shape.half;
      const double x = a[0] * a[0], y = a[1] * a[1], z = a[2] * a[2];
      return mass / 3.0 * Eigen::Vector3d(y + z, z + x, x + y);
    }
    default: throw Error("a free body needs a sphere, capsule, cylinder or box");
  }
}

}  // namespace

Mat3d make_rotation(const Vec3d& axis, double angle) {
  return Mat3d(Eigen::AngleAxisd(angle, axis.eigen().normalized()).toRotationMatrix());
}

int SceneBuilder::add_material(const contact::Material& material) {
  materials_.push_back(material);
  return static_cast<int>(materials_.size()) - 1;
}

void SceneBuilder::add_fixed(const Shape& shape, const Pose& pose, int material) {
  collision::Geometry geometry;
  geometry.shape = shape;
  geometry.R_BG = pose.R, geometry.p_BG = pose.p;
  geometry.material = material;
  geometry.name = name_ + ", fixed";
  shapes_.add(geometry);
}

int SceneBuilder::add_body(const Body& body) {
  model::LinkSpec link;
  link.name = body.name.empty() ? "body" + std::to_string(bodies_.size()) : body.name;
  link.mass = body.mass;
  link.inertia = calc_moments(body.shape, body.mass).asDiagonal();
  model_.add_link(link);
  collision::Geometry geometry;
  geometry.shape = body.shape;
  geometry.body = static_cast<int>(bodies_.size()) + 1;
  geometry.material = body.material;
  geometry.name = link.name;
  shapes_.add(geometry);
  bodies_.push_back(body);
  return static_cast<int>(bodies_.size()) - 1;
}

Scene SceneBuilder::build() const {
  model::ModelBuilder builder = model_;
  builder.attach_roots(model::ModelBuilder::Base::kFree);
  World world{builder.build(), shapes_.build(), materials_, contact_, gravity_};
  State start(world);
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const Body& body = bodies_[k];
    const Eigen::Quaterniond turn(body.pose.R.eigen());
    double* q = start.q.data() + world.model.q_start[k + 1];
    double* v = start.v.data() + world.model.v_start[k + 1];
    q[0] = turn.w(), q[1] = turn.x(), q[2] = turn.y(), q[3] = turn.z();
    for (int i = 0; i < 3; ++i) {
      q[4 + i] = body.pose.p[i];
      v[i] = body.spin[i], v[3 + i] = body.velocity[i];
    }
  }
  return {std::move(world), std::move(start)};
}

}  // namespace stance::sim
