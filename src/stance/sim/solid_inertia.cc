#include "stance/sim/solid_inertia.h"

#include <Eigen/Geometry>

#include "stance/kernel/error.h"

namespace stance::sim {

using collision::Shape;
using collision::ShapeKind;
using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

constexpr double kPi = 3.14159265358979323846;

SolidInertia make_symmetric(double volume, double x, double y, double z) {
  return {volume, Vector3d::Zero(), Vector3d(x, y, z).asDiagonal()};
}

}  // namespace

SolidInertia calc_solid_inertia(const Shape& shape) {
  const double r = shape.radius, r2 = r * r, l = 2.0 * shape.half_length;
  switch (shape.kind) {
    case ShapeKind::kSphere: {
      const double about = 0.4 * r2;
      return make_symmetric(4.0 / 3.0 * kPi * r2 * r, about, about, about);
    }
    case ShapeKind::kCylinder: {
      const double across = (3.0 * r2 + l * l) / 12.0;
      return make_symmetric(kPi * r2 * l, across, across, 0.5 * r2);
    }
    case ShapeKind::kCapsule: {
      // a cylinder and two half spheres, by their shares in the volume
      const double ball = 4.0 / 3.0 * r, rod_share = l / (l + ball), ball_share = 1.0 - rod_share;
      const double across = rod_share * (3.0 * r2 + l * l) / 12.0 +
                            ball_share * (0.4 * r2 + 0.25 * l * l + 0.375 * l * r);
      return make_symmetric(kPi * r2 * (l + ball), across, across,
                            rod_share * 0.5 * r2 + ball_share * 0.4 * r2);
    }
    case ShapeKind::kBox: {
      const double x = shape.half[0] * shape.half[0], y = shape.half[1] * shape.half[1],
                   z = shape.half[2] * shape.half[2];
      return make_symmetric(8.0 * shape.half[0] * shape.half[1] * shape.half[2], (y + z) / 3.0,
                            (z + x) / 3.0, (x + y) / 3.0);
    }
    default: throw Error("a free body needs a sphere, capsule, cylinder, box or hull");
  }
}

SolidInertia calc_solid_inertia(const collision::Polyhedron& solid) {
  const collision::PolyhedronView view = solid.view();
  Vector3d inside = Vector3d::Zero();
  for (const collision::Vec3d& v : solid.vertices()) inside += v.eigen() / view.vertex_count;

  // volume, first and second moments about the point inside
  double volume = 0.0;
  Vector3d first = Vector3d::Zero();
  Matrix3d second = Matrix3d::Zero();
  for (const collision::PolyhedronFace& face : solid.faces()) {
    const auto corner = [&](int k) -> Vector3d {
      return view.vertices[view.loop_vertices[face.first + k]].eigen() - inside;
    };
    for (int k = 1; k + 1 < face.count; ++k) {
      const Vector3d a = corner(0), b = corner(k), c = corner(k + 1), sum = a + b + c;
      const double v = a.dot(b.cross(c)) / 6.0;
      volume += v;
      first += v / 4.0 * sum;
      second += v / 20.0 *
                (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
    }
  }
  const Vector3d shift = first / volume;
  const Matrix3d about = second / volume - shift * shift.transpose();
  return {volume, inside + shift, about.trace() * Matrix3d::Identity() - about};
}

}  // namespace stance::sim
