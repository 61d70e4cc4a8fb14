#include "stance/sim/scene_builder.h"

#include <cmath>

#include <Eigen/Geometry>

#include "stance/collision/hull.h"
#include "stance/kernel/error.h"

namespace stance::sim {

using collision::Shape;

Mat3d make_rotation(const Vec3d& axis, double angle) {
  return Mat3d(Eigen::AngleAxisd(angle, axis.eigen().normalized()).toRotationMatrix());
}

void SceneBuilder::add_fixed(const Shape& shape, const Pose& pose, int material,
                             const std::string& name) {
  collision::Geometry geometry;
  geometry.shape = shape;
  geometry.R_BG = pose.R, geometry.p_BG = pose.p;
  geometry.material = material;
  geometry.name = name.empty() ? name_ + ", fixed" : name;
  shapes_.add(geometry);
}

Shape SceneBuilder::make_hull(std::span<const Vec3d> points) {
  const Shape hull = shapes_.make_hull(points, name_);
  hulls_.emplace(hull.data, calc_solid_inertia(collision::make_hull_polyhedron(points, name_)));
  return hull;
}

SolidInertia SceneBuilder::find_solid(const Shape& shape) const {
  const auto hull = hulls_.find(shape.data);
  const bool is_hull = shape.kind == collision::ShapeKind::kHull && hull != hulls_.end();
  return is_hull ? hull->second : calc_solid_inertia(shape);
}

int SceneBuilder::add_body(const Body& body) {
  Body& added = bodies_.emplace_back(body);
  const int number = static_cast<int>(bodies_.size()) - 1;
  if (added.name.empty()) added.name = "body" + std::to_string(number);
  model::LinkSpec link;
  link.name = added.name;
  link.mass = body.mass;
  const SolidInertia solid = find_solid(body.shape);
  link.inertia = body.mass * solid.moments;
  added.pose.p += body.pose.R * Vec3d(solid.com);
  model_.add_link(link);
  return number;
}

void SceneBuilder::remove_body(const std::string& name) {
  if (std::erase_if(bodies_, [&](const Body& body) { return body.name == name; }) == 0)
    throw Error("the scene has no body '" + name + "' to remove");
  model_.remove_link(name);
  std::erase_if(loops_, [&](const LoopSpec& l) { return l.link_a == name || l.link_b == name; });
  std::erase_if(unmeeting_, [&](const auto& p) { return p.first == name || p.second == name; });
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

Pose operator*(const Pose& X_WP, const Pose& X_PQ) {
  return {X_WP.R * X_PQ.R, X_WP.p + X_WP.R * X_PQ.p};
}

// Moves what a robot has on the world, by a joint or fixed, with its base: that is the pose of what
// was the world when its parts were put together. A floating base has its place in the state.
void place_base(const RobotSpec& robot, model::Model& model) {
  for (const model::LinkSpec& link : robot.parts.links()) {
    const model::FrameIndex index = model.find_frame(robot.name + link.name);
    model::Frame& frame = model.frames[index];
    if (frame.body == model::BodyIndex(0)) {
      if (&frame == &model.frames.back()) continue;  // a link that is our world
      const Pose pose = robot.base * Pose{frame.R_BF, frame.p_BF};
      frame.R_BF = pose.R, frame.p_BF = pose.p;
    } else if (const int i = frame.body; model.parent[i] == 0 && model.body_name[i] == frame.name &&
                                         model.joint_type[i] != model::JointType::kFree) {
      const Pose pose = robot.base * Pose{model.R_PJ[i], model.p_PJ[i]};
      model.R_PJ[i] = pose.R, model.p_PJ[i] = pose.p;
      model.R_PJ_is_identity[i] = pose.R.eigen().isIdentity(0.0);
    }
  }
}

// Where a link of a robot sits on its body, the link that is our world included.
Pose find_seat(const model::Model& model, const RobotSpec& robot, const model::Frame& link) {
  return &link == &model.frames.back() ? robot.base : Pose{link.R_BF, link.p_BF};
}

void set_start(const model::Model& model, const RobotSpec& robot, State& state) {
  for (const model::LinkSpec& link : robot.parts.links()) {
    const model::BodyIndex body = model.find_body(robot.name + link.name);
    if (body.valid() && body != model::BodyIndex(0) && model.parent[body] == 0 &&
        model.joint_type[body] == model::JointType::kFree)
      set_pose(model, body, robot.base, state);
  }
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

void check_materials(const World& world) {
  const int count = world.materials.size();
  for (int k = 0; k < count; ++k) {
    const contact::Material& m = world.materials[k];
    const bool is_fine = m.friction >= 0.0 && m.restitution >= 0.0 && m.restitution <= 1.0 &&
                         m.torsion_friction >= 0.0 && m.rolling_friction >= 0.0 &&
                         std::isfinite(m.friction + m.torsion_friction + m.rolling_friction);
    if (!is_fine)
      throw Error("material " + std::to_string(k) +
                  ": friction must be finite and not negative, restitution between 0 and 1");
  }
  for (const collision::Geometry& geometry : world.shapes.geometries)
    if (geometry.material < 0 || geometry.material >= count)
      throw Error("'" + geometry.name + "' has material " + std::to_string(geometry.material) +
                  ", but there are only " + std::to_string(count) +
                  "; add_material returns the number to use");
}

// Shapes by the name of their link, body or fixed shape.
std::vector<int> find_geometries(const collision::CollisionBuilder& shapes,
                                 const std::string& name) {
  std::vector<int> found;
  for (std::size_t k = 0; k < shapes.geometries().size(); ++k)
    if (shapes.geometries()[k].name == name) found.push_back(static_cast<int>(k));
  if (found.empty()) throw Error("nothing with a shape is named '" + name + "'");
  return found;
}

constexpr double kTouching = 1e-3;  // m: links of a robot so near at rest are meant to be

// Joints that close loops; what they join does not collide.
void add_loops(std::span<const SceneBuilder::LoopSpec> loops, World& world,
               collision::CollisionBuilder& shapes) {
  const model::Model& model = world.model;
  const auto find = [&](const std::string& link) {
    return model.find_frame(link.empty() ? "world" : link);
  };
  for (const SceneBuilder::LoopSpec& loop : loops) {
    world.loops.push_back(make_loop(model, loop));
    world.loop_links.push_back({find(loop.link_a), find(loop.link_b)});
    // what hangs on a rope from the ceiling still meets the floor
    const contact::Loop& made = world.loops.back();
    if (made.kind != contact::LoopKind::kDistance || (made.body_a != 0 && made.body_b != 0))
      shapes.disable_bodies(made.body_a, made.body_b);
  }
}

// Shapes of a robot, less the pairs that never meet; bodies whose links may touch where they start
// get the number of the robot.
void add_robot_shapes(const model::Model& model, const RobotSpec& robot, int number,
                      collision::CollisionBuilder& shapes, std::vector<int>& family) {
  std::vector<int> numbers;
  for (const RobotSpec::LinkShape& shape : robot.shapes) {
    const model::Frame& link = find_link(model, robot.name + shape.link);
    collision::Geometry geometry;
    geometry.shape = shape.shape;
    geometry.body = link.body;
    const Pose pose = find_seat(model, robot, link) * shape.pose;
    geometry.R_BG = pose.R, geometry.p_BG = pose.p;
    geometry.material = shape.material;
    geometry.name = robot.name + shape.link;
    numbers.push_back(shapes.add(geometry));
    if (robot.ignore_touching) family[link.body] = number;
  }
  // a link that is fixed to the world is a parent like any other to the links that hang on it
  for (const int i : numbers)
    for (const int j : numbers) {
      const int body = shapes.geometries()[j].body;
      if (shapes.geometries()[i].body == 0 && body != 0 && model.parent[body] == 0)
        shapes.disable_geometries(i, j);
    }
  for (const auto& [a, b] : robot.unmeeting)
    for (std::size_t i = 0; i < numbers.size(); ++i)
      for (std::size_t j = 0; j < numbers.size(); ++j)
        if (robot.shapes[i].link == a && robot.shapes[j].link == b)
          shapes.disable_geometries(numbers[i], numbers[j]);
}

}  // namespace

Scene SceneBuilder::build() const {
  // bodies
  model::ModelBuilder builder = model_;
  builder.attach_roots(model::ModelBuilder::Base::kFree);
  for (const RobotSpec& robot : robots_) builder.append(robot.parts, robot.name);
  World world{builder.build(), {}, materials_, contact_, {}, gravity_, integrator_};
  for (const RobotSpec& robot : robots_) place_base(robot, world.model);
  const model::Model& model = world.model;

  // shapes
  collision::CollisionBuilder shapes = shapes_;
  std::vector<model::BodyIndex> bodies;
  for (const Body& body : bodies_) {
    collision::Geometry geometry;
    geometry.shape = body.shape;
    geometry.p_BG = -Vec3d(find_solid(body.shape).com);
    geometry.body = bodies.emplace_back(model.find_body(body.name));
    geometry.material = body.material;
    geometry.name = body.name;
    shapes.add(geometry);
  }
  shapes.disable_parent_child(model.parent);
  add_loops(loops_, world, shapes);
  std::vector<int> family(model.nbody, -1);
  for (std::size_t r = 0; r < robots_.size(); ++r)
    add_robot_shapes(model, robots_[r], static_cast<int>(r), shapes, family);
  for (const auto& [a, b] : unmeeting_)
    for (const int i : find_geometries(shapes, a))
      for (const int j : find_geometries(shapes, b)) shapes.disable_geometries(i, j);
  world.shapes = shapes.build();
  check_materials(world);

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
