#pragma once

// The channels that every run has: motion and torques of robots and objects, contact forces,
// constraints, energy and the step's own report (docs/recording.md lists them).

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "stance/sim/channel.h"

namespace stance::sim {

// A robot as its channels name it.
struct ChannelRobot {
  std::string name;    // "humanoid": its channels are humanoid/joint_position, ...
  std::string prefix;  // of its links and joints in the model: "humanoid/", or nothing
};

class RunChannels : public ChannelSource {
 public:
  RunChannels(const World& world, std::vector<ChannelRobot> robots);
  RunChannels(const RunChannels&) = delete;
  RunChannels& operator=(const RunChannels&) = delete;

  const std::vector<Channel>& channels() const override { return channels_; }
  std::size_t choose(std::span<const char> is_wanted) override;
  void read(const StepView& view, std::span<double> values) override;

 private:
  enum class Kind {
    kPosition,     // q, by index
    kVelocity,     // v, by index
    kDrive,        // torque that drives gave, by velocity coordinate
    kLimit,        // impulse of joint limits, likewise
    kFriction,     // impulse of dry friction, likewise
    kContact,      // impulse of all contact points, by body
    kPoints,       // points that press, by body
    kCom,          // centre of mass of the bodies
    kComVelocity,  //
    kLoop,         // impulse on body a of a loop
    kLoopTurn,     // angular impulse likewise
    kReport,       // numbers of the report, by their place in kNumbers (run_channels.cc)
  };
  // What fills one channel.
  struct Part {
    Kind kind;
    std::vector<int> index;
    bool is_force = false;  // impulses divided by h
  };
  // The same as `read` wants it: small, and knowing where numbers stand side by side.
  struct Task {
    Kind kind;
    bool is_force, is_run;  // is_run: the index counts up by ones
    int part, count;        // count: of the index
    std::size_t at;         // of its first value
    const int* index;
  };

  void add(Channel channel, Part part);
  void add_impulse(const std::string& name, const char* impulse_unit, const char* force_unit,
                   const char* force, std::vector<std::string> columns, Part part);
  void add_robot(const World& world, const ChannelRobot& robot);
  void add_joints(const World& world, const ChannelRobot& robot, model::JointType type);
  void add_joint(const World& world, const std::string& name, int body);
  void add_report();
  void sum_contacts(const Scratch& scratch);

  std::vector<Channel> channels_;
  std::vector<Part> parts_;                         // by channel
  std::vector<std::pair<Channel, Part>> impulses_;  // that will stand last, being seldom wanted
  std::vector<Task> tasks_;                         // of the channels that are wanted
  std::vector<Vec3d> contact_impulse_;              // (nbody) N s, world axes
  std::vector<int> contact_points_;                 // (nbody)
  bool needs_contacts_ = true;
};

}  // namespace stance::sim
