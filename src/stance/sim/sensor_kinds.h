#pragma once

// The sensors that scenes can name.

#include <optional>

#include <Eigen/Core>

#include "stance/sensing/support.h"
#include "stance/sim/fall.h"
#include "stance/sim/link_part.h"
#include "stance/sim/scene_builder.h"
#include "stance/sim/sensors.h"

namespace stance::sim {

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;

// A frame fixed to a body.
struct Mount {
  model::BodyIndex body;
  Pose pose;  // of the sensor in the body
};

// Six axes of force and torque in the joint that carries a body (A22). In the sensor's frame, force
// first: f_c is what the body pushes the robot with, the sensor reads f_l = G^-1 f_c - f_d, and
// f_e = -P + G (f_l + f_d) is what acts on the body from outside while nothing accelerates, P the
// weight of all that hangs on the joint.
class ForceTorque final : public Sensor {
 public:
  struct Options {
    Matrix6 gain = Matrix6::Identity();  // G
    Vector6 offset = Vector6::Zero();    // f_d, N and N m
    double noise = 0.0;                  // of f_l, N and N m
    std::uint64_t seed = 1;
  };
  // In the joint of the mount's body; or in a fixed joint, of a part of that body.
  ForceTorque(const World& world, std::string name, const Mount& mount, const Options& options,
              std::optional<LinkPart> part = {});
  std::vector<Channel> channels() const override;
  void measure(const StepView& view, const StepForces& forces, std::span<double> values) override;

 private:
  std::string name_;
  Mount mount_;
  Options options_;
  Matrix6 inverse_gain_;
  std::optional<LinkPart> part_;
  std::vector<char> hangs_;  // by body: on the joint
};

// Force and impulse of everything that touches a link, world axes, and where it acts.
class ContactForce final : public Sensor {
 public:
  ContactForce(const World& world, std::string name, const std::string& link);
  std::vector<Channel> channels() const override;
  void measure(const StepView& view, const StepForces& forces, std::span<double> values) override;

 private:
  std::string name_;
  std::vector<char> is_mine_;  // by geometry
};

// Specific force (acceleration less gravity, mean of the step), angular velocity and orientation.
class Imu final : public Sensor {
 public:
  struct Options {
    double acceleration_noise = 0.0, gyro_noise = 0.0;  // m/s^2, rad/s
    Vec3d acceleration_bias = {}, gyro_bias = {};
    std::uint64_t seed = 1;
  };
  Imu(std::string name, const Mount& mount, const Options& options)
      : name_(std::move(name)), mount_(mount), options_(options) {}
  std::vector<Channel> channels() const override;
  void measure(const StepView& view, const StepForces& forces, std::span<double> values) override;

 private:
  std::string name_;
  Mount mount_;
  Options options_;
};

// Joints that turn and joints that slide: quantities of the two have other units, so they are
// channels apart.
struct JointList {
  JointList(const World& world, const std::vector<int>& coordinates);

  std::vector<int> coordinates;               // those that turn first
  std::vector<std::string> turning, sliding;  // names
  std::size_t size() const { return coordinates.size(); }

  // Two quantities: NAME/FIRST and NAME/SECOND of joints that turn, NAME/slide_FIRST and so on of
  // those that slide; none where there are no such joints.
  std::vector<Channel> make_channels(const std::string& name, const char* first, const char* second,
                                     const char* const units[4]) const;
  // Where the values of joint j stand.
  std::size_t find_first(std::size_t j) const {
    return j < turning.size() ? j : j + turning.size();
  }
  std::size_t find_second(std::size_t j) const {
    return find_first(j) + (j < turning.size() ? turning.size() : sliding.size());
  }
};

// Joint angles with noise, in whole multiples of the resolution; rates as differences of two of
// them.
class Encoder final : public Sensor {
 public:
  struct Options {
    double resolution = 0.0, noise = 0.0;  // rad or m
    std::uint64_t seed = 1;
  };
  Encoder(const World& world, std::string name, std::vector<int> coordinates,
          const Options& options);
  std::vector<Channel> channels() const override;
  void measure(const StepView& view, const StepForces& forces, std::span<double> values) override;

 private:
  double quantise(double value, double time, int column) const;
  std::string name_;
  JointList joints_;
  Options options_;
};

// What drives gave, and what passes through the joint in all.
class JointTorque final : public Sensor {
 public:
  JointTorque(const World& world, std::string name, std::vector<int> coordinates);
  std::vector<Channel> channels() const override;
  void measure(const StepView& view, const StepForces& forces, std::span<double> values) override;

 private:
  std::string name_;
  JointList joints_;
};

// Of a robot with a free base: centre of mass, divergent component of motion com + v / omega, zero
// moment point (from the balance of momentum, K14), centre of pressure (from the contacts), how far
// that is inside the support polygon, and flags (K15). Ground is every contact whose normal points
// up within 60 degrees; others act like forces from outside. ZMP and CoP lie in the level plane
// through the mean of the ground's points, weighted by their forces; not a number while there are
// none.
class Balance final : public Sensor {
 public:
  Balance(const World& world, const State& start, std::string name, model::BodyIndex base);
  std::vector<Channel> channels() const override;
  void measure(const StepView& view, const StepForces& forces, std::span<double> values) override;

  const sensing::SupportPolygon& support() const { return support_; }  // along t1, t2

 private:
  struct Ground;
  Ground find_ground(const StepView& view);
  kernel::Force<double> calc_needed(const StepView& view, const StepForces& forces) const;

  std::string name_;
  int tree_ = 0;
  Vec3d up_, t1_, t2_;
  double gravity_ = 0.0;  // m/s^2
  FallWatch fall_;
  sensing::SupportPolygon support_;
  std::vector<sensing::Point2> touching_;
};

}  // namespace stance::sim
