// Contact by feedback linearisation on bodies with several points. Rows R20-R23, R29.

#include <Eigen/Dense>

#include "stance/contact/penalty_fbl.h"
#include "stance/kernel/random.h"

#include "contact/penalty_scenes.h"
#include "heap_counter.h"

namespace stance {
namespace {

using namespace test;
using contact::MinimumNorm;
using contact::saturate;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// A rigid foot of 3 kg touching at m points of its sole: J (3m x 6), velocities of the points from
// the foot's, and W = J M^-1 J^T.
struct Foot {
  explicit Foot(int m) : J(3 * m, 6) {
    const Eigen::Vector3d corner[4] = {
        {0.1, -0.05, -0.08}, {0.1, 0.05, -0.08}, {-0.12, 0.05, -0.08}, {-0.12, -0.05, -0.08}};
    for (int i = 0; i < m; ++i) {
      const Eigen::Vector3d r = corner[i];
      J.block<3, 3>(3 * i, 0) << 0, r.z(), -r.y(), -r.z(), 0, r.x(), r.y(), -r.x(), 0;
      J.block<3, 3>(3 * i, 3).setIdentity();
    }
    Eigen::Matrix<double, 6, 1> M;
    M << 0.01, 0.02, 0.025, 3.0, 3.0, 3.0;
    W = J * M.cwiseInverse().asDiagonal() * J.transpose();
  }
  MatrixXd J, W;
};

VectorXd make_random(int n, kernel::Random& random) {
  VectorXd b(n);
  for (int k = 0; k < n; ++k) b[k] = random.uniform(-1.0, 1.0);
  return b;
}

VectorXd solve(const MatrixXd& W, const VectorXd& b) {
  const int m = static_cast<int>(b.size()) / 3;
  const solver::BlockMatrix blocks =
      solver::make_block_matrix(m, {W.data(), static_cast<std::size_t>(W.size())});
  std::vector<Vec3d> right, p(m);
  for (int i = 0; i < m; ++i) right.push_back(Vec3d(Eigen::Vector3d(b.segment<3>(3 * i))));
  MinimumNorm work;
  work.solve(blocks, right, p);
  VectorXd out(3 * m);
  for (int i = 0; i < m; ++i) out.segment<3>(3 * i) = p[i].eigen();
  return out;
}

// Row R20: the minimum-norm solution of (18), of rank 3, 5, 6, 6 for one to four points; the wrench
// on the foot is the same for any other solution.
TEST(PenaltyFbl, R20ForcesAreTheMoorePenroseSolution) {
  kernel::Random random(1);
  for (int m = 1; m <= 4; ++m) {
    const Foot foot(m);
    const Eigen::JacobiSVD<MatrixXd> svd(foot.W, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const int rank = (svd.singularValues().array() > 1e-10 * svd.singularValues()[0]).count();
    EXPECT_EQ(rank, m == 1 ? 3 : m == 2 ? 5 : 6);
    for (int trial = 0; trial < 100; ++trial) {
      const VectorXd b = make_random(3 * m, random), p = solve(foot.W, b);
      VectorXd expected = VectorXd::Zero(3 * m);
      for (int k = 0; k < rank; ++k)
        expected += svd.matrixU().col(k).dot(b) / svd.singularValues()[k] * svd.matrixV().col(k);
      EXPECT_LT((p - expected).norm(), 1e-9 * (1.0 + expected.norm()));

      // any other least-squares solution: larger, but the same wrench
      VectorXd other = p;
      for (int k = rank; k < 3 * m; ++k) other += random.uniform(-1.0, 1.0) * svd.matrixV().col(k);
      EXPECT_GE(other.norm(), p.norm() * (1.0 - 1e-12));
      EXPECT_LT((foot.J.transpose() * (other - p)).norm(), 1e-9);
    }
  }
}

// Row R20 in the step: a brick at rest has a quarter of its weight on each corner, no inner forces.
TEST(PenaltyFbl, R20CornersShareTheWeight) {
  const double h = 1e-3;
  Simulation s(make_brick(make_fbl(500, 250, 1e-4), 0.0, 0.5, 0.0, 1e-4, 2.0));
  s.run(h, h);
  ASSERT_EQ(s.report.contact.points, 4);
  for (const auto& contact : s.scratch.contact.contacts) {
    EXPECT_NEAR(contact.p[0], 2.0 * kG * h / 4.0, 1e-12);
    EXPECT_NEAR(std::hypot(contact.p[1], contact.p[2]), 0.0, 1e-12);
  }
}

// Row R21: f_n >= 0, and the radial projection on the disc in every quadrant.
TEST(PenaltyFbl, R21SaturationIsRadial) {
  EXPECT_EQ(norm(saturate(0.5, {-1.0, 3.0, 4.0})), 0.0);
  for (const double x : {3.0, -3.0})
    for (const double y : {4.0, -4.0}) {
      const Vec3d f = saturate(0.5, {2.0, x, y});
      EXPECT_NEAR(f[0], 2.0, 0.0);
      EXPECT_NEAR(f[1], x / 5.0, 1e-15);
      EXPECT_NEAR(f[2], y / 5.0, 1e-15);
      EXPECT_LT(norm(saturate(0.5, {20.0, x, y}) - Vec3d(20.0, x, y)), 1e-15);
    }
}

// Row R22: one point, unsaturated: it has the wanted velocity after the step, to solver precision.
TEST(PenaltyFbl, R22OnePointGetsWhatItWants) {
  kernel::Random random(2);
  const double h = 1e-3;
  for (int trial = 0; trial < 100; ++trial) {
    const double depth = random.uniform(0.0, 1e-3);
    sim::Scene scene = make_ball(make_fbl(500, 250), -depth, random.uniform(-1.0, 0.0), 0.7);
    contact::Material material = scene.world.materials[0];
    material.friction = 1e3;  // no limit
    scene.world.materials.set(0, material);
    for (const int k : {0, 1, 2, 3, 4}) scene.start.v[k] = random.uniform(-1.0, 1.0);
    Simulation s(std::move(scene));
    const auto at_point = [&] {
      return s.velocity() + cross(s.spin(), Vec3d(0.0, 0.0, -kRadius + 0.5 * depth));
    };
    const Vec3d before = at_point();
    s.run(h, h);
    ASSERT_EQ(s.report.contact.points, 1);
    const Vec3d u(before[2], before[0], before[1]);
    const Vec3d wanted = calc_wanted_velocity(s.world.contact.penalty, h, -depth, u);
    const Vec3d after = at_point();
    EXPECT_NEAR(after[2], wanted[0], 1e-13);
    EXPECT_NEAR(after[0], wanted[1], 1e-13);
    EXPECT_NEAR(after[1], wanted[2], 1e-13);
    // and the acceleration is the paper's as the step goes to zero
    const Vec3d tiny = calc_wanted_velocity(s.world.contact.penalty, 1e-8, -depth, u);
    EXPECT_NEAR((tiny[0] - u[0]) / 1e-8, 500.0 * depth - 250.0 * std::min(0.0, u[0]), 1e-3);
    EXPECT_NEAR((tiny[1] - u[1]) / 1e-8, -250.0 * u[1], 1e-3);
  }
}

// Row R22 where bodies turn: what the law wants is what the point does, so the centripetal
// acceleration of a corner, B of equation 16, must not be left out. It would carry the corner that
// a box tips about off at B/kv = 20 mm/s, whatever the step.
TEST(PenaltyFbl, R22TheCornerThatABoxTipsAboutStays) {
  double moved[2] = {};
  for (const int fine : {0, 1}) {
    SceneBuilder builder("tipping");
    builder.contact() = make_fbl(500, 250, 1e-6);
    builder.set_material(0, {1e3});  // no limit
    builder.add_fixed(make_plane(), {});
    SceneBuilder::Body box;
    box.shape = make_box({0.1, 0.05, 0.1});
    const Vec3d corner(0.1, 0.0, -0.1), depth(0.0, 0.0, 1e-6);
    const kernel::Mat3d R = make_rotation({0, 1, 0}, 0.2);
    box.pose = {R, -(R * corner) - depth};
    box.spin = {0.0, 6.0, 0.0};
    box.velocity = cross(box.spin, -(R * corner));
    builder.add_body(box);
    Simulation s(builder.build());
    s.run(0.1, fine ? 2.5e-4 : 1e-3, [&] {
      ASSERT_EQ(s.report.contact.points, 2);
      const double* q = &s.state.q[s.world.model.q_start[s.bodies[0]]];
      const kernel::Mat3d turned =
          kernel::make_rotation(kernel::Quat<double>{q[0], q[1], q[2], q[3]});
      moved[fine] = std::max(moved[fine], norm(s.position() + turned * corner + depth));
    });
  }
  // its start alone, for which the law sees it move at h/2 B: h B/(2 kv) is 1e-5
  EXPECT_LT(moved[0], 2e-5);
  EXPECT_LT(moved[1], 0.3 * moved[0]);
}

// On round surfaces the point stays where the surface is nearest: what rolls keeps to the ground,
// though every point of its surface is drawn to its axis with 40 m/s^2.
TEST(PenaltyFbl, R22WhatRollsStaysDown) {
  for (const collision::Shape& shape :
       {make_sphere(0.1), make_cylinder(0.1, 0.2), collision::make_capsule(0.1, 0.2)}) {
    SceneBuilder builder("rolling");
    builder.contact() = make_fbl(500, 250, 1e-4);
    builder.add_fixed(make_plane(), {});
    SceneBuilder::Body body;
    body.shape = shape;
    body.pose = {make_rotation({1, 0, 0}, 90.0 * kDegree), {0.0, 0.0, 0.1 - 1e-4}};
    body.velocity = {2.0, 0.0, 0.0}, body.spin = {0.0, 20.0, 0.0};
    builder.add_body(body);
    Simulation s(builder.build());
    s.run(0.5, 1e-3, [&] { ASSERT_NEAR(s.position()[2], 0.1 - 1e-4, 1e-6); });
    EXPECT_NEAR(s.velocity()[0], 2.0, 0.01);
  }
}

// Row R22: several points: what is missing from the desired accelerations is the part of the right
// side that a rigid foot cannot do, (1 - W W^+) b.
TEST(PenaltyFbl, R22SeveralPointsGetTheCompatiblePart) {
  kernel::Random random(3);
  for (int m = 2; m <= 4; ++m) {
    const Foot foot(m);
    // an orthonormal basis of what the foot's points can do
    Eigen::ColPivHouseholderQR<MatrixXd> qr(foot.J);
    qr.setThreshold(1e-10);
    const MatrixXd Q = MatrixXd(qr.householderQ()).leftCols(qr.rank());
    for (int trial = 0; trial < 100; ++trial) {
      const VectorXd b = make_random(3 * m, random);
      const VectorXd missing = b - foot.W * solve(foot.W, b);
      const VectorXd incompatible = b - Q * (Q.transpose() * b);
      EXPECT_LT((missing - incompatible).norm(), 1e-9) << m;
    }
  }
}

// Row R23: the same gains serve 0.1 kg on one point and 100 kg on four, and a pile of three bodies
// of 10, 0.1 and 1 kg: every gap goes the same way.
TEST(PenaltyFbl, R23GainsKnowNothingOfMassAndPoints) {
  const double h = 1e-3, depth = 1.8e-4;  // swings back to 0.2e-4, so nothing leaves
  const ContactOptions options = make_fbl(500, 250, 1e-4);
  Simulation ball(make_ball(options, -depth, 0.0, 0.1));
  Simulation brick(make_brick(options, 0.0, 0.5, 0.0, depth, 100.0));
  SceneBuilder builder("pile");
  builder.contact() = options;
  builder.add_fixed(make_plane(), {});
  for (int k = 0; k < 3; ++k) {
    SceneBuilder::Body box;
    box.shape = make_box({0.1, 0.1, 0.05});
    box.mass = k == 0 ? 10.0 : k == 1 ? 0.1 : 1.0;
    box.pose.p = {0.0, 0.0, 0.05 + 0.1 * k - depth * (k + 1)};
    builder.add_body(box);
  }
  Simulation pile(builder.build());
  for (int n = 0; n < 500; ++n) {
    for (Simulation* s : {&ball, &brick, &pile}) s->run(h, h);
    const double gap = ball.position()[2] - kRadius;
    EXPECT_NEAR(brick.position()[2] - kBrickZ, gap, 1e-10);
    for (int k = 0; k < 3; ++k) {
      const double below = k == 0 ? -0.05 : pile.position(k - 1)[2];
      EXPECT_NEAR(pile.position(k)[2] - below - 0.1, gap, 1e-9) << n << " " << k;
    }
  }
  EXPECT_GT(ball.report.contact.points, 0);
}

// Row R29: push an object at rest and let go: false impacts, contacts that break and close again
// though nothing lifts the object, without a wanted penetration, and none with it.
TEST(PenaltyFbl, R29WantedPenetrationStopsFalseImpacts) {
  for (const double h : {1e-3, 1e-4}) {
    int breaks[2] = {};
    double peak[2] = {};
    for (const int with : {0, 1}) {
      const double wanted = with ? 1e-4 : 0.0;
      Simulation s(make_brick(make_fbl(500, 250, wanted), 0.0, 0.5, 0.0, wanted));
      std::vector<double> push(6);
      sim::Input input;
      input.tau = push;
      int points = 4;
      for (int k = 0; k < std::lround(2.0 / h); ++k) {
        const bool is_pushed = s.state.time > 0.2 && s.state.time < 0.5;
        push[3] = is_pushed ? 3.0 : 0.0;
        push[5] = is_pushed ? -20.0 : 0.0;  // N, 8 cm in front of the centre
        push[1] = is_pushed ? 0.08 * 20.0 : 0.0;
        s.report = sim::step(s.world, input, h, s.state, s.scratch);
        breaks[with] += std::max(points - s.report.contact.points, 0);
        points = s.report.contact.points;
        double force = 0.0;
        for (const auto& contact : s.scratch.contact.contacts) force += contact.p[0] / h;
        if (s.state.time > 0.6) peak[with] = std::max(peak[with], force);
      }
    }
    EXPECT_GT(breaks[0], 10) << h;
    EXPECT_EQ(breaks[1], 0) << h;
    // a step of free fall, and the damper stops it
    EXPECT_GT(peak[0], kG + 0.5 * 250.0 * kG * h / (1.0 + 250.0 * h));
    EXPECT_NEAR(peak[1], kG, 1e-3);
  }
}

// No memory is asked for in a step once warm: one brick at rest, one that slides, and a pile with
// 32 points in a group.
TEST(PenaltyFbl, StepsWithoutHeap) {
  const ContactOptions options = make_fbl(500, 250, 1e-4);
  SceneBuilder builder("pile");
  builder.contact() = options;
  builder.add_fixed(make_plane(), {});
  for (int k = 0; k < 8; ++k) {
    SceneBuilder::Body box;
    box.shape = make_box({0.1, 0.1, 0.05});
    box.pose.p = {0.0, 0.0, 0.05 + 0.1 * k - 1e-4 * (k + 1)};
    builder.add_body(box);
  }
  Simulation rests(make_brick(options, 0.1, 0.5, 0.0, 1e-4));
  Simulation slides(make_brick(options, 0.1, 0.5, 1.0, 1e-4));
  Simulation pile(builder.build());
  for (Simulation* s : {&rests, &slides, &pile}) {
    s->run(0.01, 1e-3);
    EXPECT_EQ(s->report.contact.points, s == &pile ? 32 : 4);
    EXPECT_EQ(bench::count_heap_calls([&] {
                for (int k = 0; k < 100; ++k)
                  s->report = sim::step(s->world, {}, 1e-3, s->state, s->scratch);
              }),
              0);
  }
}

}  // namespace
}  // namespace stance
