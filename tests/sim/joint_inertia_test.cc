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

}  // namespace
}  // namespace stance::sim
