#pragma once

// Scenes made by code: loose bodies, robots, fixed shapes; for tests, benchmarks and examples
// alike, and what a scene file turns into.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "stance/model/builder.h"
#include "stance/sim/solid_inertia.h"
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
  std::vector<model::BodyIndex> bodies;  // the loose ones, in the order they were added
};

// A tree of links with shapes, to be put into a scene.
struct RobotSpec {
  struct LinkShape {
    std::string link;
    collision::Shape shape{};
    Pose pose;  // in the frame of the link
    int material = 0;
  };

  std::string name;               // stands before the names of its links and joints, "name/link"
  model::ModelBuilder parts{""};  // links and joints, the base attached to the world
  std::vector<LinkShape> shapes;
  Pose base;  // where a floating base starts, or where a fixed one stands
  std::vector<std::pair<std::string, double>> start;           // joint, its coordinate; else zero
  std::vector<std::pair<std::string, std::string>> unmeeting;  // links that never collide
  bool ignore_touching = true;  // nor do its own links that touch at zero or at the start
};

class SceneBuilder {
 public:
  explicit SceneBuilder(std::string name) : name_(name), model_(std::move(name)) {}

  int add_material(const contact::Material& material) {  // its number; 0 is there from the start
    return materials_.add(material);
  }
  void set_material(int number, const contact::Material& material) {
    materials_.set(number, material);
  }
  void add_pair_rule(const contact::PairRule& rule) { materials_.add_rule(rule); }
  void set_gravity(const Vec3d& gravity) { gravity_ = gravity; }
  void set_integrator(Integrator integrator) { integrator_ = integrator; }
  contact::ContactOptions& contact() { return contact_; }

  // Part of the world. The name is for messages and for add_unmeeting.
  void add_fixed(const collision::Shape& shape, const Pose& pose, int material = 0,
                 const std::string& name = "");

  // A solid free body of even density; returns its number among the bodies added. Velocities in
  // world axes. In the state a body's origin is its centre of mass: for a hull that is not where
  // the pose puts the origin of its points.
  struct Body {
    std::string name{};
    collision::Shape shape{};
    double mass = 1.0;  // kg
    Pose pose{};
    Vec3d velocity{}, spin{};  // of the centre, m/s, rad/s
    int material = 0;
  };
  int add_body(const Body& body);

  // Takes a body out again, with the loops and pairs that name it; build() then makes another
  // world, in which transfer() (transfer.h) goes on. Throws stance::Error when there is none of
  // this name.
  void remove_body(const std::string& name);

  // Links that a joint of the robot joins never collide with each other.
  void add_robot(const RobotSpec& robot);

  // A joint that closes a loop between frames of two links; an empty name is the world. The two
  // links no longer collide, but for a distance to the world.
  struct LoopSpec {
    contact::LoopKind kind = contact::LoopKind::kBall;
    std::string link_a{}, link_b{};
    Pose pose_a{}, pose_b{};  // of the frames, in the links
    double length = 0.0;      // kDistance, m
  };
  void add_loop(const LoopSpec& loop) { loops_.push_back(loop); }

  // Links, loose bodies or named fixed shapes that never collide with each other.
  void add_unmeeting(const std::string& a, const std::string& b) { unmeeting_.emplace_back(a, b); }

  // A convex polyhedron around points.
  collision::Shape make_hull(std::span<const Vec3d> points);
  // Surfaces, for fixed parts.
  collision::Shape make_mesh(std::span<const Vec3d> vertices,
                             std::span<const collision::Triangle> triangles) {
    return shapes_.make_mesh(vertices, triangles, name_);
  }
  collision::Shape make_height_field(const collision::HeightFieldSpec& spec) {
    return shapes_.make_height_field(spec, name_);
  }

  Scene build() const;

 private:
  SolidInertia find_solid(const collision::Shape& shape) const;

  std::string name_;
  model::ModelBuilder model_;
  collision::CollisionBuilder shapes_;  // of the world; those of links are added by build()
  std::map<int, SolidInertia> hulls_;   // by Shape::data
  std::vector<Body> bodies_;
  std::vector<RobotSpec> robots_;
  std::vector<LoopSpec> loops_;
  std::vector<std::pair<std::string, std::string>> unmeeting_;
  contact::MaterialTable materials_;
  contact::ContactOptions contact_;
  Vec3d gravity_ = {0.0, 0.0, -9.81};
  Integrator integrator_ = Integrator::kEuler;
};

// Rotation about an axis.
Mat3d make_rotation(const Vec3d& axis, double angle);

// Lowers or lifts the tree of a floating base along z until its lowest point is `gap` above the
// plane z = height.
void put_on_floor(const World& world, model::BodyIndex base, double height, double gap,
                  State& state);

}  // namespace stance::sim
