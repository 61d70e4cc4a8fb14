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
  Body& added = bodies_.emplace_back(body);
  const int number = static_cast<int>(bodies_.size()) - 1;
  if (added.name.empty()) added.name = "body" + std::to_string(number);
  model::LinkSpec link;
  link.name = added.name;
  link.mass = body.mass;
  link.inertia = calc_moments(body.shape, body.mass).asDiagonal();
  model_.add_link(link);
  return number;
}

void SceneBuilder::add_robot(const RobotSpec& robot) {
  RobotSpec& added = robots_.emplace_back(robot);
  if (!added.name.empty()) added.name += "/";
}

namespace {

// Where a link sits on its body.
const model::Frame& find_link(const model::Model& model, const std::string& name) {
  const model::FrameIndex frame = model.find_frame(name);
  if (!frame.valid()) throw Error("the scene has no link '" + name + "'");
  return model.frames[frame];
}

void set_pose(const model::Model& model, model::BodyIndex body, const Pose& pose, State& state) {
  const Eigen::Quaterniond turn(pose.R.eigen());
  double* q = state.q.data() + model.q_start[body];
  q[0] = turn.w(), q[1] = turn.x(), q[2] = turn.y(), q[3] = turn.z();
  for (int i = 0; i < 3; ++i) q[4 + i] = pose.p[i];
}

void set_start(const model::Model& model, const RobotSpec& robot, State& state) {
  for (int i = 1; i < model.nbody; ++i)
    if (model.parent[i] == 0 && model.joint_type[i] == model::JointType::kFree &&
        model.body_name[i].starts_with(robot.name))
      set_pose(model, model::BodyIndex(i), robot.base, state);
  for (const auto& [joint, value] : robot.start) {
    const model::BodyIndex body = model.find_joint(robot.name + joint);
    if (!body.valid()) throw Error("robot '" + robot.name + "' has no joint '" + joint + "'");
    if (model.joint_nq(body) != 1)
      throw Error("joint '" + joint + "' has more than one coordinate; set the pose instead");
    state.q[model.q_start[body]] = value;
  }
}

contact::Loop make_loop(const model::Model& model, const SceneBuilder::LoopSpec& spec) {
  const model::Frame& a = find_link(model, spec.link_a.empty() ? "world" : spec.link_a);
  const model::Frame& b = find_link(model, spec.link_b.empty() ? "world" : spec.link_b);
  contact::Loop loop;
  loop.kind = spec.kind, loop.length = spec.length;
  loop.name = spec.link_a + " - " + spec.link_b;
  loop.body_a = a.body, loop.body_b = b.body;
  if (loop.body_a == loop.body_b)
    throw Error("the loop '" + loop.name +
                "' joins a body to itself; join two that can move apart");
  if (spec.kind == contact::LoopKind::kDistance && !(spec.length > 0.0))
    throw Error("the loop '" + loop.name + "' needs a length above zero; a ball joint has none");
  loop.R_AF = a.R_BF * spec.pose_a.R, loop.p_AF = a.p_BF + a.R_BF * spec.pose_a.p;
  loop.R_BG = b.R_BF * spec.pose_b.R, loop.p_BG = b.p_BF + b.R_BF * spec.pose_b.p;
  return loop;
}

// Poses of all bodies.
struct Poses {
  Poses(const model::Model& model, std::span<const double> q) : kin(model), p_WB(model.nbody) {
    update_kinematics(model, q, kin);
    for (int i = 1; i < model.nbody; ++i) p_WB[i] = kin.p_WO[model.tree[i]] + kin.p_OB[i];
  }

  dynamics::Kinematics<double> kin;
  std::vector<Vec3d> p_WB;
};

constexpr double kTouching = 1e-3;  // m: links of a robot so near at rest are meant to be

}  // namespace

Scene SceneBuilder::build() const {
  // bodies
  model::ModelBuilder builder = model_;
  builder.attach_roots(model::ModelBuilder::Base::kFree);
  for (const RobotSpec& robot : robots_) builder.append(robot.parts, robot.name);
  World world{builder.build(), {}, materials_, contact_, {}, gravity_};
  const model::Model& model = world.model;

  // shapes
  collision::CollisionBuilder shapes = shapes_;
  std::vector<model::BodyIndex> bodies;
  for (const Body& body : bodies_) {
    collision::Geometry geometry;
    geometry.shape = body.shape;
    geometry.body = bodies.emplace_back(model.find_body(body.name));
    geometry.material = body.material;
    geometry.name = body.name;
    shapes.add(geometry);
  }
  shapes.disable_parent_child(model.parent);
  for (const LoopSpec& loop : loops_) {
    world.loops.push_back(make_loop(model, loop));
    shapes.disable_bodies(world.loops.back().body_a, world.loops.back().body_b);
  }
  std::vector<int> family(model.nbody, -1);
  for (std::size_t r = 0; r < robots_.size(); ++r) {
    const RobotSpec& robot = robots_[r];
    std::vector<int> numbers;
    for (const RobotSpec::LinkShape& shape : robot.shapes) {
      const model::Frame& link = find_link(model, robot.name + shape.link);
      collision::Geometry geometry;
      geometry.shape = shape.shape;
      geometry.body = link.body;
      geometry.R_BG = link.R_BF * shape.pose.R;
      geometry.p_BG = link.p_BF + link.R_BF * shape.pose.p;
      geometry.material = shape.material;
      geometry.name = robot.name + shape.link;
      numbers.push_back(shapes.add(geometry));
      if (robot.ignore_touching) family[link.body] = static_cast<int>(r);
    }
    for (const auto& [a, b] : robot.unmeeting)
      for (std::size_t i = 0; i < numbers.size(); ++i)
        for (std::size_t j = 0; j < numbers.size(); ++j)
          if (robot.shapes[i].link == a && robot.shapes[j].link == b)
            shapes.disable_geometries(numbers[i], numbers[j]);
  }
  world.shapes = shapes.build();

  // the start, and links that touch then or at zero
  State start(world);
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    set_pose(model, bodies[k], bodies_[k].pose, start);
    double* v = start.v.data() + model.v_start[bodies[k]];
    for (int i = 0; i < 3; ++i) v[i] = bodies_[k].spin[i], v[3 + i] = bodies_[k].velocity[i];
  }
  if (!robots_.empty()) {
    const auto quieten = [&] {
      const Poses poses(model, start.q);
      world.shapes = disable_touching(world.shapes, poses.kin.R_WB, poses.p_WB, kTouching, family);
    };
    quieten();
    for (const RobotSpec& robot : robots_) set_start(model, robot, start);
    quieten();
  }
  return {std::move(world), std::move(start), std::move(bodies)};
}

void put_on_floor(const World& world, model::BodyIndex base, double height, double gap,
                  State& state) {
  const model::Model& model = world.model;
  const Poses poses(model, state.q);
  double lowest = model::kInfinity;
  for (int k = 0; k < world.shapes.size(); ++k) {
    const collision::Placement& at = world.shapes.placements[k];
    if (at.body == 0 || model.tree[at.body] != model.tree[base]) continue;
    const Mat3d R_WG = poses.kin.R_WB[at.body] * at.R_BG;
    const Vec3d p_WG = poses.p_WB[at.body] + poses.kin.R_WB[at.body] * at.p_BG;
    const collision::Convex& shape = world.shapes.convex[k];
    const Vec3d down = transpose(R_WG) * Vec3d(0.0, 0.0, -1.0);
    const Vec3d p_W = p_WG + R_WG * find_core_support(shape, down).p;
    lowest = std::min(lowest, p_W[2] - shape.rounding);
  }
  if (lowest == model::kInfinity)
    throw Error("'" + model.body_name[base] + "' has no shape to stand on");
  state.q[model.q_start[base] + 6] += height + gap - lowest;
}

}  // namespace stance::sim
