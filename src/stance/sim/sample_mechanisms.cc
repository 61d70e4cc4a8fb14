// Scenes with joints: fingers and springs.

#include <cmath>

#include "stance/sim/sample_scenes.h"

namespace stance::sim {

namespace {

using collision::make_box;
using collision::make_capsule;
using collision::make_plane;
using collision::make_sphere;
using collision::Shape;

constexpr double kTip = 0.02;  // m, radius of a finger's tip

// A round fingertip on a prismatic joint along x, as a robot of its own. Round, because a flat tip
// may press anywhere in its face: then the limits below are no longer sharp, a block may turn about
// the line between the tips although friction could hold it.
RobotSpec make_finger(const std::string& name, const Vec3d& center) {
  const Shape tip = make_sphere(kTip);
  RobotSpec finger;
  finger.name = name;
  model::LinkSpec link;
  link.name = "tip";
  link.mass = 0.2;
  link.inertia = link.mass * calc_solid_inertia(tip).moments;
  finger.parts.add_link(link);
  model::JointSpec joint;
  joint.name = "slide";
  joint.type = model::JointType::kPrismatic;
  joint.child = "tip";
  joint.p_PJ = center.eigen();
  finger.parts.add_joint(joint);
  finger.shapes.push_back({"tip", tip, {}, 0});
  return finger;
}

int find_dof(const Scene& scene, const std::string& joint) {
  return scene.world.model.v_start[scene.world.model.find_joint(joint)];
}

// Pushes two fingers, "left" and "right", towards each other.
Sample close_fingers(Scene scene, double force) {
  Sample out{std::move(scene), {}, {}};
  out.tau.resize(out.scene.world.model.nv);
  out.tau[find_dof(out.scene, "left/slide")] = force;
  out.tau[find_dof(out.scene, "right/slide")] = -force;
  return out;
}

}  // namespace

Sample make_coulomb_oscillator(const OscillatorSpec& oscillator) {
  SceneBuilder builder("coulomb_oscillator");
  builder.set_material(0, {oscillator.friction});
  builder.add_fixed(make_plane(), {});

  // a sledge: up and down on a link without mass, then along x
  const Shape shape = make_box({0.05, 0.05, 0.05});
  RobotSpec sledge;
  sledge.name = "sledge";
  model::LinkSpec link;
  link.name = "guide";
  sledge.parts.add_link(link);
  link.name = "mass";
  link.mass = oscillator.mass;
  link.inertia = oscillator.mass * calc_solid_inertia(shape).moments;
  sledge.parts.add_link(link);
  model::JointSpec joint;
  joint.type = model::JointType::kPrismatic;
  joint.name = "lift", joint.child = "guide";
  joint.axis = Eigen::Vector3d::UnitZ();
  joint.p_PJ = {0.0, 0.0, 0.05};
  sledge.parts.add_joint(joint);
  joint.name = "spring", joint.parent = "guide", joint.child = "mass";
  joint.axis = Eigen::Vector3d::UnitX();
  joint.p_PJ.setZero();
  sledge.parts.add_joint(joint);
  sledge.shapes.push_back({"mass", shape, {}, 0});
  sledge.start = {{"spring", oscillator.stretch}};
  builder.add_robot(sledge);

  Sample out{builder.build(), {}, {}};
  out.stiffness.resize(out.scene.world.model.nv);
  out.stiffness[find_dof(out.scene, "sledge/spring")] = oscillator.stiffness;
  return out;
}

Sample make_pinch_grasp(const PinchSpec& pinch) {
  SceneBuilder builder("pinch_grasp");
  builder.set_material(0, {pinch.friction});
  SceneBuilder::Body block;
  block.name = "block";
  block.shape = make_box({0.05, 0.05, 0.05});
  block.mass = pinch.mass;
  builder.add_body(block);
  builder.add_robot(make_finger("left", {-0.05 - kTip, 0, 0}));
  builder.add_robot(make_finger("right", {0.05 + kTip, 0, 0}));
  return close_fingers(builder.build(), pinch.force);
}

Sample make_wedge_grasp(double angle, double friction) {
  SceneBuilder builder("wedge_grasp");
  builder.set_material(0, {friction});
  builder.set_gravity({});

  // narrower towards +z
  const double lean = 0.05 * std::tan(angle);
  std::vector<Vec3d> corners;
  for (const double x : {-1.0, 1.0})
    for (const double y : {-0.05, 0.05})
      for (const double z : {-1.0, 1.0}) corners.emplace_back(x * (0.05 - z * lean), y, 0.05 * z);
  SceneBuilder::Body wedge;
  wedge.name = "wedge";
  wedge.shape = builder.make_hull(corners);
  builder.add_body(wedge);

  // tips touch the faces at half height
  const double x = 0.05 + kTip * std::cos(angle), z = kTip * std::sin(angle);
  builder.add_robot(make_finger("left", {-x, 0, z}));
  builder.add_robot(make_finger("right", {x, 0, z}));
  return close_fingers(builder.build(), 20.0);
}

Sample make_painleve_rod(const RodSpec& rod) {
  SceneBuilder builder("painleve_rod");
  builder.set_material(0, {rod.friction});
  builder.add_fixed(make_plane(), {});
  constexpr double kRadius = 0.005, kHalf = 0.5 - kRadius;
  SceneBuilder::Body body;
  body.name = "rod";
  body.shape = make_capsule(kRadius, kHalf);
  const double c = std::cos(rod.angle), s = std::sin(rod.angle);
  body.pose = {make_rotation({0, 1, 0}, 0.5 * 3.14159265358979323846 - rod.angle),
               {kHalf * c, 0.0, kHalf * s + kRadius}};
  body.velocity = {rod.speed, 0, 0};
  builder.add_body(body);
  return {builder.build(), {}, {}};
}

}  // namespace stance::sim
