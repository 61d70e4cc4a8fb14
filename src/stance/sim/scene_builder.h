#pragma once

// Scenes of loose bodies and fixed shapes, made by code: for tests, benchmarks and examples alike.

#include <string>
#include <vector>

#include "stance/model/builder.h"
#include "stance/sim/world.h"

namespace stance::sim {

using kernel::Mat3d;

struct Pose {
  Mat3d R = Mat3d::identity();
  Vec3d p;  // m
};

// A world and the state it starts from.
struct Scene {
  World world;
  State start;
};

class SceneBuilder {
 public:
  explicit SceneBuilder(std::string name) : name_(name), model_(std::move(name)) {}

  int add_material(const contact::Material& material);  // its number; 0 is there from the start
  void set_material(int number, const contact::Material& material) {
    materials_[number] = material;
  }
  void set_gravity(const Vec3d& gravity) { gravity_ = gravity; }
  contact::ContactOptions& contact() { return contact_; }

  // Part of the world.
  void add_fixed(const collision::Shape& shape, const Pose& pose, int material = 0);

  // A solid free body of even density; returns its number among the bodies added (body index minus
  // one). Velocities in world axes.
  struct Body {
    std::string name;
    collision::Shape shape;
    double mass = 1.0;  // kg
    Pose pose;
    Vec3d velocity, spin;  // of the centre, m/s, rad/s
    int material = 0;
  };
  int add_body(const Body& body);

  // A convex polyhedron, for fixed parts; free bodies have shapes whose inertia is known.
  collision::Shape make_hull(std::span<const Vec3d> points) {
    return shapes_.make_hull(points, name_);
  }

  Scene build() const;

 private:
  std::string name_;
  model::ModelBuilder model_;
  collision::CollisionBuilder shapes_;
  std::vector<Body> bodies_;
  std::vector<contact::Material> materials_ = {{}};
  contact::ContactOptions contact_;
  Vec3d gravity_ = {0.0, 0.0, -9.81};
};

// Rotation about an axis.
Mat3d make_rotation(const Vec3d& axis, double angle);

}  // namespace stance::sim
