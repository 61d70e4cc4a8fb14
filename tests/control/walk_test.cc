// The gait of the biped of paper R (rows R17, R24): the plan, and the joints that carry it out.

#include "stance/control/walk.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "stance/dynamics/rnea.h"
#include "stance/io/trajectory_csv.h"
#include "stance/io/urdf.h"
#include "stance/kernel/error.h"

namespace stance::control {
namespace {

using kernel::Vec3d;

constexpr double kSole[4] = {-0.065, 0.2, -0.05, 0.05};  // of the feet, m: x from, to; y from, to

TEST(WalkPlan, FeetTakeTurnsAndEndTogether) {
  const WalkPlan plan({});
  ASSERT_EQ(plan.swings().size(), 5u);
  for (std::size_t k = 0; k < 5; ++k) {
    const Swing& swing = plan.swings()[k];
    EXPECT_EQ(swing.foot, k % 2 == 0 ? Foot::kLeft : Foot::kRight);
    const double before = k > 0 ? plan.swings()[k - 1].until : 0.5;
    EXPECT_NEAR(swing.from - before, plan.options().both, 1e-12);
    // starts and ends on the ground, at rest; clears it in between
    const double e = 1e-4;
    for (const double time : {swing.from + e, swing.until - e})
      EXPECT_LT(plan.calc_sole(swing.foot, time).p[2], 1e-9);
    EXPECT_NEAR(plan.calc_sole(swing.foot, 0.5 * (swing.from + swing.until)).p[2], 0.08, 1e-12);
  }
  const double end = plan.duration();
  EXPECT_NEAR(plan.calc_sole(Foot::kLeft, end).p[0], 0.8, 1e-12);
  EXPECT_NEAR(plan.calc_sole(Foot::kRight, end).p[0], 0.8, 1e-12);
}

TEST(WalkPlan, OneFootStandsFlatAtAnyTime) {
  const WalkPlan plan({});
  for (double time = 5e-4; time < plan.duration(); time += 1e-3) {
    EXPECT_TRUE(plan.is_flat(Foot::kLeft, time) || plan.is_flat(Foot::kRight, time));
    for (const Foot foot : {Foot::kLeft, Foot::kRight})
      EXPECT_EQ(plan.is_flat(foot, time), plan.calc_sole(foot, time).p[2] < 1e-15) << time;
  }
  const Swing& swing = plan.swings()[1];
  EXPECT_TRUE(plan.is_flat(swing.foot, swing.until + 0.01));
  EXPECT_FALSE(plan.is_flat(swing.foot, swing.until + 0.01, 0.02));
  EXPECT_FALSE(plan.is_flat(swing.foot, swing.from - 0.01, 0.02));
}

TEST(WalkPlan, RefusesWhatIsNoWalk) {
  WalkOptions options;
  options.steps = 0;
  EXPECT_THROW(WalkPlan{options}, Error);
  options.steps = 1, options.swing = 0.0;
  EXPECT_THROW(WalkPlan{options}, Error);
}

// c - z/g c'' = zmp, at rest at both ends.
TEST(CartPath, ObeysItsEquationAndRestsAtTheEnds) {
  const int n = 401;
  const double dt = 0.005, z_over_g = 0.1;
  std::vector<double> zmp(n), first(n), last(n);
  for (int k = 0; k < n; ++k) {
    const double t = k * dt;
    zmp[k] = 0.3 * calc_minimum_jerk((t - 0.8) / 0.1);
    first[k] = calc_bump(t / 0.6), last[k] = calc_bump((t - 1.4) / 0.6);
  }
  const CartPath path = calc_cart_path(zmp, first, last, z_over_g, dt);
  for (int k = 1; k < n - 1; ++k) {
    const double a = (path.c[k + 1] - 2.0 * path.c[k] + path.c[k - 1]) / (dt * dt);
    EXPECT_NEAR(path.c[k] - z_over_g * a, path.zmp[k], 1e-11);
  }
  EXPECT_NEAR(path.c[1], path.c[0], 1e-14);
  EXPECT_NEAR(path.c[n - 1], path.c[n - 2], 1e-14);
  // shapes act at the ends only
  EXPECT_EQ(path.zmp[n / 2], zmp[n / 2]);
}

class BipedWalk : public testing::Test {
 protected:
  const io::Robot robot_ = io::load_urdf(STANCE_SOURCE_DIR "/models/biped.urdf", {});
  const model::Model& model_ = robot_.model;
  const WalkPlan plan_{{}};
  const Walk walk_ = make_walk(model_, plan_);
  const int columns_ = static_cast<int>(walk_.joints.size());

  std::vector<double> make_q(const std::vector<double>& angles, int k) const {
    std::vector<double> q = model::make_neutral(model_);
    for (int c = 0; c < columns_; ++c)
      q[model_.q_start[model_.find_joint(walk_.joints[c])]] = angles[k * columns_ + c];
    return q;
  }
};

// Row R17: fourteen joints; the program's table is the one that the scene plays.
TEST_F(BipedWalk, R17IsTheTableOfTheScene) {
  const io::JointTable table = io::load_joint_table(STANCE_SOURCE_DIR "/scenes/biped_r_walk.csv");
  EXPECT_EQ(table.joints.size(), 14u);
  ASSERT_EQ(table.joints, walk_.joints);
  ASSERT_EQ(table.values.size(), walk_.targets.size());
  double worst = 0.0;
  for (std::size_t k = 0; k < table.values.size(); ++k)
    worst = std::max(worst, std::abs(table.values[k] - walk_.targets[k]));
  EXPECT_LT(worst, 1e-7);  // it has seven digits
  for (std::size_t k = 0; k < table.times.size(); ++k)
    EXPECT_NEAR(table.times[k], walk_.times[k], 1e-9);
}

// The model's own kinematics, seen from the trunk: it is upright, the soles are where the plan has
// them, flat when they should be.
TEST_F(BipedWalk, FeetAreWhereThePlanHasThem) {
  const model::BodyIndex trunk = model_.find_body("trunk"), right = model_.find_body("right_foot");
  const model::Frame& hips = model_.frames[model_.find_frame("hip_centre")];
  const model::Frame& left = model_.frames[model_.find_frame("left_sole")];
  dynamics::Kinematics<double> kin(model_);
  double worst = 0.0, tilt = 0.0;
  for (std::size_t k = 0; k < walk_.times.size(); ++k) {
    const std::vector<double> q = make_q(walk_.angles, static_cast<int>(k));
    update_kinematics(model_, std::span<const double>(q), kin);
    const auto seen = [&](model::BodyIndex body, const Vec3d& p) {
      return walk_.hips[k] +
             transpose_mul(kin.R_WB[trunk], kin.calc_position(model_, body, p) -
                                                kin.calc_position(model_, hips.body, hips.p_BF));
    };
    const double time = walk_.times[k];
    const SolePose at[2] = {plan_.calc_sole(Foot::kRight, time),
                            plan_.calc_sole(Foot::kLeft, time)};
    worst = std::max(worst, norm(seen(right, {}) - at[0].p));
    worst = std::max(worst, norm(seen(left.body, left.p_BF) - at[1].p));
    const model::BodyIndex feet[2] = {right, left.body};
    for (int side = 0; side < 2; ++side)
      if (at[side].pitch == 0.0) {
        const kernel::Mat3d R = transpose(kin.R_WB[trunk]) * kin.R_WB[feet[side]];
        tilt = std::max({tilt, std::abs(R(2, 0)), std::abs(R(2, 1)), std::abs(R(1, 0))});
      }
  }
  EXPECT_LT(worst, 1e-9);
  EXPECT_LT(tilt, 1e-12);
}

// The whole robot pushes the ground where the plan wants it, well within the feet on it.
TEST_F(BipedWalk, TheGroundPushesWithinTheFeet) {
  EXPECT_LT(walk_.zmp_error, 1e-8);
  double margin = 1.0;
  for (std::size_t k = 0; k < walk_.times.size(); ++k) {
    const bool both =
        plan_.is_flat(Foot::kLeft, walk_.times[k]) && plan_.is_flat(Foot::kRight, walk_.times[k]);
    if (both) continue;
    const Foot foot = plan_.is_flat(Foot::kLeft, walk_.times[k]) ? Foot::kLeft : Foot::kRight;
    const Vec3d d = walk_.zmp[k] - plan_.calc_sole(foot, walk_.times[k]).p;
    margin = std::min({margin, d[0] - kSole[0], kSole[1] - d[0], d[1] - kSole[2], kSole[3] - d[1]});
  }
  EXPECT_GT(margin, 0.045);
}

// Two algorithms: torques while the right foot, the base, carries the robot alone are those of
// inverse dynamics with the base at rest. Differences in time and their order apart.
TEST_F(BipedWalk, TorquesAreThoseOfInverseDynamics) {
  const double dt = plan_.options().sample;
  dynamics::Kinematics<double> kin(model_);
  dynamics::Velocities<double> vel(model_);
  dynamics::Inertias<double> inertias(model_);
  dynamics::NewtonEuler<double> work(model_);
  double worst = 0.0, largest = 0.0;
  for (std::size_t s = 0; s < walk_.times.size(); ++s) {
    const int k = static_cast<int>(s);
    if (plan_.is_flat(Foot::kLeft, walk_.times[k])) continue;
    std::vector<double> q = make_q(walk_.angles, k), v(model_.nv), vdot(model_.nv), tau(model_.nv);
    for (int c = 0; c < columns_; ++c) {
      const int i = model_.v_start[model_.find_joint(walk_.joints[c])];
      const double* a = &walk_.angles[k * columns_ + c];
      v[i] = (a[columns_] - a[-columns_]) / (2.0 * dt);
      vdot[i] = (a[columns_] - 2.0 * a[0] + a[-columns_]) / (dt * dt);
    }
    using Doubles = std::span<const double>;
    update_kinematics(model_, Doubles(q), kin);
    update_velocities(model_, kin, Doubles(v), vel);
    update_inertias(model_, kin, inertias);
    calc_inverse_dynamics(model_, Vec3d(0.0, 0.0, -9.81), kin, inertias, vel, Doubles(vdot),
                          std::span<const kernel::Force<double>>(), work, std::span<double>(tau));
    for (int c = 0; c < columns_; ++c) {
      const int i = model_.v_start[model_.find_joint(walk_.joints[c])];
      worst = std::max(worst, std::abs(tau[i] - walk_.torques[k * columns_ + c]));
      largest = std::max(largest, std::abs(tau[i]));
    }
  }
  EXPECT_GT(largest, 50.0);
  EXPECT_LT(worst, 0.01 * largest);
}

TEST_F(BipedWalk, RefusesWhatIsOutOfReach) {
  WalkOptions options;
  options.hip_height = 0.95;
  EXPECT_THROW(make_walk(model_, WalkPlan(options)), Error);
  const io::Robot other = io::load_urdf(STANCE_SOURCE_DIR "/models/humanoid.urdf", {});
  EXPECT_THROW(make_walk(other.model, plan_), Error);
}

}  // namespace
}  // namespace stance::control
