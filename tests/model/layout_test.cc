// The arrays of a model: coordinates in body order, ways to the root, levels, angles.

#include <algorithm>
#include <numeric>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "stance/model/builder.h"
#include "stance/model/samples.h"

#include "support/random_forest.h"
#include "support/robots.h"

namespace stance::model {
namespace {

void expect_sizes(const Model& m) {
  const auto bodies = static_cast<std::size_t>(m.nbody), speeds = static_cast<std::size_t>(m.nv);
  for (std::size_t size :
       {m.parent.size(), m.tree.size(), m.joint_type.size(), m.joint_kernel.size(),
        m.q_start.size(), m.v_start.size(), m.v_count.size(), m.body_name.size(),
        m.joint_name.size(), m.R_PJ.size(), m.p_PJ.size(), m.R_PJ_is_identity.size(), m.axis.size(),
        m.plane.size(), m.mass.size(), m.com.size(), m.inertia.size(), m.has_angle.size()})
    EXPECT_EQ(size, bodies);
  for (std::size_t size :
       {m.rotor_inertia.size(), m.damping.size(), m.friction.size(), m.velocity_limit.size(),
        m.effort_limit.size(), m.lower.size(), m.upper.size(), m.dof_body.size(),
        m.dof_parent.size(), m.dof_run.size()})
    EXPECT_EQ(size, speeds);
}

void expect_coordinates(const Model& m) {
  int nq = 0, nv = 0;
  for (int i = 1; i < m.nbody; ++i) {
    EXPECT_EQ(m.q_start[i], nq);
    EXPECT_EQ(m.v_start[i], nv);
    EXPECT_EQ(m.v_count[i], joint_nv(m.joint_type[i]));
    for (int k = 0; k < m.joint_nv(i); ++k) EXPECT_EQ(m.dof_body[nv + k], i);
    nq += m.joint_nq(i), nv += m.joint_nv(i);
  }
  EXPECT_EQ(nq, m.nq);
  EXPECT_EQ(nv, m.nv);
}

// dof_parent leads through exactly the coordinates of the ancestors, tip to root; dof_run marks
// where the numbers stop falling one by one.
void expect_ways_to_the_root(const Model& m) {
  for (int i = 1; i < m.nbody; ++i) {
    std::vector<int> expected;
    for (int b = i; b != 0; b = m.parent[b])
      for (int k = m.joint_nv(b) - 1; k >= 0; --k) expected.push_back(m.v_start[b] + k);
    std::vector<int> way;
    for (int k = m.v_start[i] + m.joint_nv(i) - 1; k >= 0; k = m.dof_parent[k]) way.push_back(k);
    EXPECT_EQ(way, expected);
  }
  for (int k = 0; k < m.nv; ++k) {
    int low = k;
    while (m.dof_parent[low] >= 0 && m.dof_parent[low] == low - 1) --low;
    EXPECT_EQ(m.dof_run[k], low);
  }
}

// Every moving body once, by levels: neighbours never depend on each other.
void expect_sweep(const Model& m) {
  std::vector<int> sorted = m.sweep, all(m.nbody - 1);
  std::sort(sorted.begin(), sorted.end());
  std::iota(all.begin(), all.end(), 1);
  EXPECT_EQ(sorted, all);
  std::vector<int> depth(m.nbody, 0);
  for (int i = 1; i < m.nbody; ++i) depth[i] = depth[m.parent[i]] + 1;
  for (std::size_t n = 1; n < m.sweep.size(); ++n)
    EXPECT_GE(depth[m.sweep[n]], depth[m.sweep[n - 1]]);
}

// One entry per joint with an angle, in body order; room to read four at a time past the end.
void expect_angles(const Model& m) {
  int count = 0;
  for (int i = 1; i < m.nbody; ++i) {
    const bool revolute = m.joint_type[i] == JointType::kRevolute;
    const bool turns = revolute || m.joint_type[i] == JointType::kPlanar;
    ASSERT_EQ(m.has_angle[i] != 0, turns);
    if (!turns) continue;
    EXPECT_EQ(m.angle_q[count], m.q_start[i] + (revolute ? 0 : 2));
    const bool aligned = revolute && m.joint_kernel[i] != JointKernel::kRevoluteAxis;
    const double along = m.axis[i].x() + m.axis[i].y() + m.axis[i].z();
    EXPECT_EQ(m.angle_sign[count], aligned ? along : 1.0);
    ++count;
  }
  EXPECT_EQ(m.nangle, count);
  EXPECT_GE(static_cast<int>(m.angle_q.size()), (count + 3) / 4 * 4 + 1);
  EXPECT_EQ(m.angle_q.size(), m.angle_sign.size());
  for (int index : m.angle_q) EXPECT_LT(index, std::max(m.nq, 1));
}

void expect_geometry(const Model& m) {
  for (int i = 1; i < m.nbody; ++i) {
    EXPECT_NEAR(norm(m.axis[i]), 1.0, 1e-15);
    const Eigen::Matrix3d plane = m.plane[i].eigen();
    EXPECT_LT((plane.transpose() * plane - Eigen::Matrix3d::Identity()).norm(), 1e-14);
    EXPECT_NEAR(plane.determinant(), 1.0, 1e-14);
    EXPECT_LT((plane.col(2) - m.axis[i].eigen()).norm(), 1e-15);
    EXPECT_EQ(m.R_PJ_is_identity[i] != 0, m.R_PJ[i].eigen().isIdentity(1e-15));
  }
}

void expect_all(const Model& m) {
  SCOPED_TRACE(m.name);
  expect_sizes(m);
  expect_coordinates(m);
  expect_ways_to_the_root(m);
  expect_sweep(m);
  expect_angles(m);
  expect_geometry(m);
}

TEST(Layout, HoldsOnRandomForests) {
  for (int seed = 0; seed < test::kNumForests; ++seed) expect_all(test::make_forest(seed));
}

TEST(Layout, HoldsOnChainsAndCubes) {
  expect_all(make_chain(20));
  expect_all(make_chain(7, {.floating = true}));
  expect_all(make_cubes(5));
}

TEST(Layout, HoldsForNoBodiesAtAll) { expect_all(ModelBuilder("empty").build()); }

class LayoutOnRobot : public test::RobotTest {};
TEST_P(LayoutOnRobot, Holds) { expect_all(model()); }
INSTANTIATE_TEST_SUITE_P(Robots, LayoutOnRobot, testing::ValuesIn(test::kRobotNames),
                         test::robot_name);

// Rows R17, H5: the sizes that the papers state.
TEST(Layout, OurRobotsHaveTheSizesOfThePapers) {
  const auto humanoid = test::find_robot("humanoid"), biped = test::find_robot("biped");
  if (!humanoid || !biped) GTEST_SKIP() << "built without the URDF reader";
  EXPECT_EQ(humanoid->nv, 36);
  EXPECT_EQ(biped->nv, 20);
  EXPECT_NEAR(biped->total_mass(), 75.0, 1e-9);
  EXPECT_EQ(biped->body_name[biped->tree_root[0]], "right_foot");
}

TEST(Layout, KeepsLimitsOfOneDofJointsOnly) {
  ModelBuilder builder("limits");
  for (JointType type : {JointType::kRevolute, JointType::kPlanar}) {
    const std::string name(joint_type_name(type));
    LinkSpec link;
    link.name = name;
    builder.add_link(link);
    JointSpec joint;
    joint.name = "to_" + name;
    joint.type = type;
    joint.child = name;
    joint.lower = -1.0, joint.upper = 2.0;
    joint.damping = 0.5, joint.friction = 0.25, joint.rotor_inertia = 0.125;
    joint.velocity_limit = 3.0, joint.effort_limit = 4.0;
    builder.add_joint(joint);
  }
  const Model m = builder.build();
  ASSERT_EQ(m.nv, 4);
  for (int k = 0; k < 4; ++k) {
    EXPECT_EQ(m.lower[k], k == 0 ? -1.0 : -kInfinity);
    EXPECT_EQ(m.upper[k], k == 0 ? 2.0 : kInfinity);
    EXPECT_EQ(m.damping[k], 0.5);
    EXPECT_EQ(m.friction[k], 0.25);
    EXPECT_EQ(m.rotor_inertia[k], 0.125);
    EXPECT_EQ(m.velocity_limit[k], 3.0);
    EXPECT_EQ(m.effort_limit[k], 4.0);
  }
}

}  // namespace
}  // namespace stance::model
