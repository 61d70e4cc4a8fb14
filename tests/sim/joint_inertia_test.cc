// What a joint has to move: what hangs on it, or the robot that stands on that.

#include "stance/sim/joint_inertia.h"

#include <gtest/gtest.h>

#include "stance/sim/scene_builder.h"

namespace stance::sim {
namespace {

// A cube of 1 kg (the base) above a cube of 2 kg, a hinge half way between them.
Scene make_two_cubes(double foot_height, double rotor) {
  const collision::Shape cube = collision::make_box({0.05, 0.05, 0.05});
  RobotSpec robot;
  robot.name = "two";
  for (const auto& [name, mass] : {std::pair("body", 1.0), std::pair("foot", 2.0)}) {
    model::LinkSpec link;
    link.name = name;
    link.mass = mass;
    link.inertia = mass * calc_solid_inertia(cube).moments;
    if (link.name == "foot") link.com = {0.0, 0.0, -0.1};
    robot.parts.add_link(link);
  }
  model::JointSpec joint;
  joint.name = "ankle";
  joint.type = model::JointType::kRevolute;
  joint.parent = "body", joint.child = "foot";
  joint.axis = Eigen::Vector3d::UnitY();
  joint.p_PJ = {0.0, 0.0, -0.3};
  joint.rotor_inertia = rotor;
  robot.parts.add_joint(joint);
  robot.parts.attach_roots(model::ModelBuilder::Base::kFree);
  robot.shapes.push_back({"body", cube, {}, 0});
  robot.shapes.push_back({"foot", cube, {Mat3d::identity(), {0.0, 0.0, -0.1}}, 0});
  robot.base.p = {0.0, 0.0, 0.45 + foot_height};
  SceneBuilder builder("two cubes");
  builder.add_fixed(collision::make_plane(), {});
  builder.add_robot(robot);
  return builder.build();
}

constexpr double kCube = 0.1 * 0.1 / 6.0;  // m^2, moment of a cube about its centre per kilogram

TEST(CarriedInertia, OfWhatHangsIsThatOfWhatHangs) {
  const Scene scene = make_two_cubes(0.5, 0.25);
  const std::vector<double> inertias = calc_carried_inertias(scene.world, scene.start);
  ASSERT_EQ(inertias.size(), 7u);
  for (int k = 0; k < 6; ++k) EXPECT_EQ(inertias[k], 0.0) << "a floating base has none";
  EXPECT_NEAR(inertias[6], 2.0 * (kCube + 0.1 * 0.1) + 0.25, 1e-12);
}

TEST(CarriedInertia, OfAnAnkleThatStandsIsThatOfTheRobotAbove) {
  const Scene scene = make_two_cubes(0.0, 0.25);
  const std::vector<double> inertias = calc_carried_inertias(scene.world, scene.start);
  EXPECT_NEAR(inertias[6], 1.0 * (kCube + 0.3 * 0.3) + 0.25, 1e-12);
}

// The base is a light foot, and the other foot stands too: the ankle still moves the robot. Once it
// got what the base weighs, and sagged.
TEST(CarriedInertia, DoesNotDependOnWhichFootIsTheBase) {
  const collision::Shape cube = collision::make_box({0.05, 0.05, 0.05});
  const auto make = [&](bool is_foot_base) {
    RobotSpec robot;
    robot.parts.add_link({.name = "right", .mass = 0.1, .inertia = Eigen::Matrix3d::Identity()});
    robot.parts.add_link({.name = "body", .mass = 5.0, .inertia = Eigen::Matrix3d::Identity()});
    robot.parts.add_link({.name = "left", .mass = 0.1, .inertia = Eigen::Matrix3d::Identity()});
    const auto join = [&](const char* name, const char* parent, const char* child, double y,
                          double z) {
      model::JointSpec joint;
      joint.name = name, joint.type = model::JointType::kRevolute;
      joint.parent = parent, joint.child = child;
      joint.axis = Eigen::Vector3d::UnitX(), joint.p_PJ = {0.0, y, z};
      robot.parts.add_joint(joint);
    };
    if (is_foot_base)
      join("right_ankle", "right", "body", 0.2, 0.3);
    else
      join("right_ankle", "body", "right", -0.2, -0.3);
    join("left_ankle", "body", "left", 0.2, -0.3);
    robot.parts.attach_roots(model::ModelBuilder::Base::kFree);
    robot.shapes.push_back({"right", cube, {}, 0});
    robot.shapes.push_back({"left", cube, {}, 0});
    robot.base.p = {0.0, 0.0, is_foot_base ? 0.05 : 0.35};
    SceneBuilder builder("feet");
    builder.add_fixed(collision::make_plane(), {});
    builder.add_robot(robot);
    const Scene scene = builder.build();
    const model::Model& model = scene.world.model;
    const std::vector<double> inertias = calc_carried_inertias(scene.world, scene.start);
    return std::pair(inertias[model.v_start[model.find_joint("right_ankle")]],
                     inertias[model.v_start[model.find_joint("left_ankle")]]);
  };
  const auto [right, left] = make(true);
  // about the joint: the body's own, and the other foot's
  EXPECT_GT(right, 5.0 * 0.3 * 0.3);
  EXPECT_GT(left, 5.0 * 0.3 * 0.3);
  const auto [right_of_body, left_of_body] = make(false);
  EXPECT_NEAR(left, left_of_body, 1e-12);
  EXPECT_GT(right_of_body, 1.0);
}

}  // namespace
}  // namespace stance::sim
