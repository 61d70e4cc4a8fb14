#pragma once

// The controllers that scenes can name. All work on joints of one coordinate.

#include <optional>

#include "stance/control/trajectory.h"
#include "stance/dynamics/rnea.h"
#include "stance/sim/module.h"

namespace stance::sim {

// A reference for joints: where they start, or a trajectory with a column per joint.
class Reference {
 public:
  // `coordinates` index v. Without a trajectory joints stay where `start` has them.
  Reference(const World& world, const State& start, std::vector<int> coordinates,
            std::optional<control::Trajectory> trajectory);

  const std::vector<int>& coordinates() const { return coordinates_; }
  void sample(double time, std::span<double> values) const;

 private:
  std::vector<int> coordinates_;
  std::vector<double> start_;
  std::optional<control::Trajectory> trajectory_;
};

// PD (A23): the targets of springs and dampers follow the reference, K (q_ref - q) + D (v_ref - v)
// with both at the end of the step; gains are what the drive has.
class FollowReference final : public Controller {
 public:
  explicit FollowReference(Reference reference);
  void act(const StepStart& at, std::span<double> memory, Drive& drive) override;

 private:
  Reference reference_;
  std::vector<double> now_, next_;
};

// Computed torque: tau = M (a_ref + kv (v_ref - v) + kp (q_ref - q)) + bias, of what M has in this
// step. a_ref and v_ref are differences of the reference over the step's own grid, so that a robot
// that is on it stays on it to rounding, whatever h. Joints keep no springs; viscous friction of
// joints is made up for, dry friction and what else touches the robot are not.
class ComputedTorque final : public Controller {
 public:
  ComputedTorque(const World& world, Reference reference, double kp, double kv);
  void act(const StepStart& at, std::span<double> memory, Drive& drive) override;

 private:
  Reference reference_;
  double kp_, kv_;  // 1/s^2, 1/s
  std::vector<double> before_, now_, next_, vdot_, tau_;
  dynamics::NewtonEuler<double> work_;
};

// Adds the torques that hold the joints against gravity, to what else the drive has.
class GravityCompensation final : public Controller {
 public:
  GravityCompensation(const World& world, std::vector<int> coordinates);
  void act(const StepStart& at, std::span<double> memory, Drive& drive) override;

 private:
  std::vector<int> coordinates_;
  std::vector<double> tau_;
  dynamics::Velocities<double> rest_;  // of bodies that do not move
  dynamics::NewtonEuler<double> work_;
};

// Joint admittance (A17): targets move as Md a + Bd v = Je^T fe, fe all forces on the robot's
// bodies that Drive::wrenches has by then; springs and dampers of the drive follow. Stays within
// joint limits. Remembers q and v of every target.
//
// What the robot carries is held by its hands: what pulls there pulls at them, in equal shares, at
// the same place in the world. That is what sensors in the wrists would have in sum, less the
// weight and what the hands press against each other.
//
// With `feels_contacts` it also gives way to what touched the robot in the last step, as a skin
// would have it, weight and all; those torques are remembered too.
struct Carried {
  model::BodyIndex body;                // none: nothing is carried
  std::vector<model::BodyIndex> hands;  // bodies of the robot
};
class JointAdmittance final : public Controller {
 public:
  JointAdmittance(const World& world, std::vector<int> coordinates, std::vector<double> mass,
                  std::vector<double> damping, Carried carried = {}, bool feels_contacts = false);
  int memory_size() const override {
    return (feels_contacts_ ? 3 : 2) * static_cast<int>(coordinates_.size());
  }
  void start(const World& world, const State& state, std::span<double> memory) const override;
  void act(const StepStart& at, std::span<double> memory, Drive& drive) override;
  void watch(const StepView& view, std::span<double> memory) override;

 private:
  std::vector<int> coordinates_;
  std::vector<double> mass_, damping_;  // kg m^2, N m s/rad; or kg, N s/m
  Carried carried_;
  bool feels_contacts_;
  std::vector<PointWrench> felt_;
  std::vector<kernel::Force<double>> wrenches_;
  std::vector<double> tau_;
};

// A head that looks (A20): joints turn a link until its x axis points at what is to be seen. That
// is, for a while, the place where the robot was touched; else the first probe of a device; else a
// point of the scene. Targets move at most at `speed` and stay within joint limits; springs and
// dampers of the drive follow. Remembers the targets, and what was touched.
class LookAt final : public Controller {
 public:
  static constexpr double kGain = 8.0;     // 1/s, of the angle that is left
  static constexpr double kNoticed = 1.5;  // s that it looks at where it was touched

  struct Point {
    model::BodyIndex body;  // none: nothing but probes and touches is looked at
    Vec3d p_B;
  };
  // Touches of other trees than that of the eyes are not noticed.
  LookAt(std::vector<int> coordinates, Point eyes, kernel::Mat3d R_BE, Point at, double speed);
  int memory_size() const override { return static_cast<int>(coordinates_.size()) + 4; }
  void start(const World& world, const State& state, std::span<double> memory) const override;
  void notice(const StepStart& at, const Touch& touch, std::span<double> memory) override;
  void act(const StepStart& at, std::span<double> memory, Drive& drive) override;

 private:
  std::vector<int> coordinates_;
  Point eyes_;
  kernel::Mat3d R_BE_;
  Point at_;
  double speed_;  // rad/s
};

// A force and a torque on a body for a while (H9, A16); whole steps, those whose middle is within.
class Push final : public Controller {
 public:
  Push(const PointWrench& wrench, double from, double until)
      : wrench_(wrench), from_(from), until_(until) {}
  void act(const StepStart& at, std::span<double> memory, Drive& drive) override;

 private:
  PointWrench wrench_;
  double from_, until_;  // s
};

}  // namespace stance::sim
