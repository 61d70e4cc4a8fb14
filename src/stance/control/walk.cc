#include "stance/control/walk.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stance/dynamics/kinematics.h"
#include "stance/kernel/error.h"

namespace stance::control {
namespace {

using kernel::Mat3d;
using kernel::Vec3d;
using model::Model;

constexpr double kG = 9.81;  // m/s^2
constexpr int kRounds = 12;  // of putting the path of the hips right
constexpr const char* kJoints[7] = {"hip_yaw",   "hip_roll",    "hip_pitch", "knee",
                                    "ankle_yaw", "ankle_pitch", "ankle_roll"};

using Leg = std::array<double, 7>;  // angles in the order of kJoints

// What the model's legs measure, m.
struct Legs {
  double thigh, shank, sole, hips;  // sole: below the ankle; hips: apart
};

int find_joint(const Model& model, const std::string& name) {
  const model::BodyIndex body = model.find_joint(name);
  if (!body.valid()) throw Error("the robot '" + model.name + "' has no joint '" + name + "'");
  return body;
}

Legs measure(const Model& model) {
  const model::FrameIndex sole = model.find_frame("left_sole");
  if (!sole.valid()) throw Error("the robot '" + model.name + "' has no link 'left_sole'");
  return {norm(model.p_PJ[find_joint(model, "left_knee")]),
          norm(model.p_PJ[find_joint(model, "left_ankle_yaw")]), norm(model.frames[sole].p_BF),
          norm(model.p_PJ[find_joint(model, "left_hip_yaw")])};
}

// A leg from its hip to a sole below an upright trunk; the foot pitches about the leg's own axis.
Leg bend(const Legs& legs, const Vec3d& hip, const SolePose& sole) {
  // the ankle stands over the sole, tilted with it; the roll of the leg's plane follows from where
  // the ankle is, which moves by less and less
  double roll = 0.0, x = 0.0, down = 0.0;
  for (int round = 0; round < 20; ++round) {
    const double s = std::sin(roll), c = std::cos(roll), h = std::cos(sole.pitch);
    // Rx(roll) Ry(pitch) Rx(-roll) (0, 0, sole)
    const Vec3d up(legs.sole * std::sin(sole.pitch) * c, legs.sole * (s * c - s * c * h),
                   legs.sole * (s * s + c * c * h));
    const Vec3d d = sole.p + up - hip;
    roll = std::atan2(d[1], -d[2]), x = d[0], down = std::hypot(d[1], d[2]);
  }
  const double a = legs.thigh, b = legs.shank, r2 = x * x + down * down;
  const double bent = (r2 - a * a - b * b) / (2.0 * a * b);
  if (!(bent > -1.0 && bent < 1.0)) throw Error("a step of the walk is out of the legs' reach");
  const double knee = std::acos(bent);
  const double pitch =
      std::atan2(-x, down) - std::atan2(b * std::sin(knee), a + b * std::cos(knee));
  return {0.0, roll, pitch, knee, 0.0, sole.pitch - pitch - knee, -roll};
}

// ---- the whole robot ----------------------------------------------------------------------------

class Whole {
 public:
  Whole(const Model& model, const WalkPlan& plan) : model_(model), plan_(plan), kin_(model) {
    legs_ = measure(model);
    for (int side = 0; side < 2; ++side)
      for (const char* joint : kJoints) {
        names_.push_back((side == 0 ? "right_" : "left_") + std::string(joint));
        at_.push_back(model.q_start[find_joint(model, names_.back())]);
      }
  }

  const std::vector<std::string>& names() const { return names_; }

  // Angles of both legs, right first.
  void calc_angles(double time, const Vec3d& hips, double* angles) const {
    for (int side = 0; side < 2; ++side) {
      const double y = (side == 0 ? -0.5 : 0.5) * legs_.hips;
      const Leg leg = bend(legs_, hips + Vec3d(0.0, y, 0.0),
                           plan_.calc_sole(side == 0 ? Foot::kRight : Foot::kLeft, time));
      std::copy(leg.begin(), leg.end(), angles + 7 * side);
    }
  }

  // All bodies at a time: centres, orientations, origins (where their joints are) and joint axes.
  struct Pose {
    std::vector<Vec3d> com, origin, axis;
    std::vector<Mat3d> R;
  };
  Pose calc_pose(const Vec3d& hips, const double* angles) {
    std::vector<double> q(model_.nq, 0.0);
    q[0] = 1.0;
    for (std::size_t k = 0; k < at_.size(); ++k) q[at_[k]] = angles[k];
    update_kinematics(model_, std::span<const double>(q), kin_);
    // the base is the right foot; turn and move it such that the trunk is upright at its place
    const model::BodyIndex trunk = model_.find_body("trunk");
    const Mat3d turn = transpose(kin_.R_WB[trunk]);
    const Vec3d right(0.0, -0.5 * legs_.hips, 0.0);  // where the frame of the trunk is
    const Vec3d move = hips + right - turn * kin_.calc_position(model_, trunk, {});
    Pose pose;
    for (int b = 1; b < model_.nbody; ++b) {
      pose.com.push_back(move +
                         turn * kin_.calc_position(model_, model::BodyIndex(b), model_.com[b]));
      pose.R.push_back(turn * kin_.R_WB[b]);
      pose.origin.push_back(move + turn * kin_.calc_position(model_, model::BodyIndex(b), {}));
      pose.axis.push_back(pose.R.back() * model_.axis[b]);
    }
    return pose;
  }

  // What gravity and the rest of the world must do to a body: the rate of its momentum less its
  // weight, the moment about the world's origin. Poses are dt apart.
  kernel::Force<double> calc_load(int body, const Pose& before, const Pose& now, const Pose& after,
                                  double dt) const {
    const Vec3d weight(0.0, 0.0, -kG * model_.mass[body]);
    const auto rate =
        (1.0 / dt) * (calc_momentum(body, now, after, dt) - calc_momentum(body, before, now, dt));
    return {rate.ang - cross(now.com[body - 1], weight), rate.lin - weight};
  }

  // Where the ground pushes at every sample: the moment about it has no part along the ground.
  std::vector<Vec3d> calc_zmp(const std::vector<Pose>& poses, double dt) const {
    std::vector<Vec3d> zmp;
    for (int k = 0; k < static_cast<int>(poses.size()); ++k) {
      kernel::Force<double> sum{};
      for (int b = 1; b < model_.nbody; ++b) sum += calc_load_at(b, poses, k, dt);
      zmp.push_back({-sum.ang[1] / sum.lin[2], sum.ang[0] / sum.lin[2], 0.0});
    }
    return zmp;
  }

  // Torques of the joints at a sample. The ground pushes at `zmp`; on both feet each takes its part
  // as the zmp lies between them.
  void calc_torques(const std::vector<Pose>& poses, int k, double dt, const Vec3d& zmp,
                    double* torques) const {
    std::vector<kernel::Force<double>> load(model_.nbody);
    kernel::Force<double> ground{};
    for (int b = 1; b < model_.nbody; ++b)
      load[b] = calc_load_at(b, poses, k, dt), ground += load[b];
    const double time = k * dt;
    const Vec3d right = plan_.calc_sole(Foot::kRight, time).p;
    const Vec3d left = plan_.calc_sole(Foot::kLeft, time).p, apart = left - right;
    const Vec3d forward(plan_.options().zmp_forward, 0.0, 0.0);
    double part = std::clamp(dot(zmp - forward - right, apart) / dot(apart, apart), 0.0, 1.0);
    if (!plan_.is_flat(Foot::kLeft, time)) part = 0.0;
    if (!plan_.is_flat(Foot::kRight, time)) part = 1.0;
    // of the left foot: its force at a point between which and the right one's the zmp lies
    const Vec3d at = zmp + (1.0 - part) * apart, moment = ground.ang - cross(zmp, ground.lin);
    load[model_.frames[model_.find_frame("left_sole")].body] +=
        -part * kernel::Force<double>{moment + cross(at, ground.lin), ground.lin};
    for (int b = model_.nbody - 1; b > 0; --b) load[model_.parent[b]] += load[b];
    for (std::size_t j = 0; j < names_.size(); ++j) {
      const int b = model_.find_joint(names_[j]);
      const Pose& now = poses[k];
      torques[j] = dot(now.axis[b - 1], load[b].ang - cross(now.origin[b - 1], load[b].lin));
    }
  }

  double calc_height(const Pose& pose) const {
    double sum = 0.0;
    for (int b = 1; b < model_.nbody; ++b) sum += model_.mass[b] * pose.com[b - 1][2];
    return sum / model_.total_mass();
  }

 private:
  // Momentum of a body between two poses dt apart: linear, and angular about the world's origin.
  kernel::Force<double> calc_momentum(int body, const Pose& a, const Pose& b, double dt) const {
    const int k = body - 1;
    const double mass = model_.mass[body];
    if (mass == 0.0) return {};
    const Vec3d v = (1.0 / dt) * (b.com[k] - a.com[k]), p = 0.5 * (a.com[k] + b.com[k]);
    const Mat3d R = b.R[k] * transpose(a.R[k]);
    // R - R^T is 2 sin(angle) times the axis; angles in dt are small
    const Vec3d w = (0.5 / dt) * Vec3d(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));
    const Vec3d spin = a.R[k] * (model_.inertia[body] * transpose_mul(a.R[k], w));
    return {cross(p, mass * v) + spin, mass * v};
  }

  kernel::Force<double> calc_load_at(int body, const std::vector<Pose>& poses, int k,
                                     double dt) const {
    const int last = static_cast<int>(poses.size()) - 1;
    return calc_load(body, poses[std::max(k - 1, 0)], poses[k], poses[std::min(k + 1, last)], dt);
  }

  const Model& model_;
  const WalkPlan& plan_;
  dynamics::Kinematics<double> kin_;
  Legs legs_;
  std::vector<std::string> names_;
  std::vector<int> at_;  // index into q
};

// Torques, and targets ahead of the angles by e: K e + D e' = torque.
void set_targets(const Whole& whole, const std::vector<Whole::Pose>& poses,
                 const WalkOptions& options, Walk& walk) {
  const int n = static_cast<int>(walk.times.size());
  const int columns = static_cast<int>(walk.joints.size());
  walk.torques.resize(n * columns), walk.targets = walk.angles;
  const double lag = options.damping / options.stiffness / options.sample;
  std::vector<double> ahead(columns);
  for (int k = 0; k < n; ++k) {
    double* torques = &walk.torques[k * columns];
    whole.calc_torques(poses, k, options.sample, walk.zmp[k], torques);
    for (int c = 0; c < columns; ++c) {
      const double still = torques[c] / options.stiffness;
      ahead[c] = k == 0 ? still : (still + lag * ahead[c]) / (1.0 + lag);
      walk.targets[k * columns + c] += ahead[c];
    }
  }
}

}  // namespace

Walk make_walk(const Model& biped, const WalkPlan& plan) {
  Whole whole(biped, plan);
  const WalkOptions& options = plan.options();
  const double dt = options.sample;
  const int n = static_cast<int>(std::lround(plan.duration() / dt)) + 1;
  Walk walk;
  walk.joints = whole.names();
  const int columns = static_cast<int>(walk.joints.size());
  walk.angles.resize(n * columns);
  walk.hips.assign(n, {});

  // the plan at every sample, and where shapes for rest may be added
  std::vector<double> missing[2], first(n), last(n), wanted[2];
  for (int axis = 0; axis < 2; ++axis) missing[axis].resize(n), wanted[axis].resize(n);
  for (int k = 0; k < n; ++k) {
    const double time = k * dt;
    walk.times.push_back(time);
    first[k] = calc_bump(time / (options.start - options.both));
    last[k] = calc_bump((time - plan.duration() + options.end - options.both) /
                        (options.end - options.both));
    const Vec3d zmp = plan.calc_zmp(time);
    for (int axis = 0; axis < 2; ++axis) missing[axis][k] = wanted[axis][k] = zmp[axis];
    walk.hips[k] = {0.0, 0.0, options.hip_height};
  }

  // path of the hips; then again for what the whole robot lacks
  double height = options.hip_height;
  std::vector<Whole::Pose> poses(n);
  for (int round = 0; round < kRounds; ++round) {
    for (int axis = 0; axis < 2; ++axis) {
      const CartPath path = calc_cart_path(missing[axis], first, last, height / kG, dt);
      for (int k = 0; k < n; ++k) {
        walk.hips[k] += axis == 0 ? Vec3d(path.c[k], 0.0, 0.0) : Vec3d(0.0, path.c[k], 0.0);
        wanted[axis][k] += path.zmp[k] - missing[axis][k];
      }
    }
    for (int k = 0; k < n; ++k) {
      double* angles = &walk.angles[k * columns];
      whole.calc_angles(walk.times[k], walk.hips[k], angles);
      poses[k] = whole.calc_pose(walk.hips[k], angles);
    }
    height = whole.calc_height(poses[0]);
    walk.zmp = whole.calc_zmp(poses, dt);
    walk.zmp_error = 0.0;
    for (int k = 0; k < n; ++k)
      for (int axis = 0; axis < 2; ++axis) {
        missing[axis][k] = wanted[axis][k] - walk.zmp[k][axis];
        walk.zmp_error = std::max(walk.zmp_error, std::abs(missing[axis][k]));
      }
  }

  set_targets(whole, poses, options, walk);
  return walk;
}

}  // namespace stance::control
