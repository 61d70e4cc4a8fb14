#pragma once

// Numbers that a run offers after every step to whoever records, plots or shows them.

#include <span>
#include <string>
#include <vector>

#include "stance/sim/world.h"

namespace stance::sim {

// One quantity: "robot/joint_position" in rad with a column per joint, "contact/residual" with one.
struct Channel {
  std::string name, unit;  // unit "1" for plain numbers
  std::vector<std::string> columns;
};

// What may be read once a step of h seconds is done. The scratch is that of the step: kinematics
// and velocities at its start, impulses over it.
struct StepView {
  const World& world;
  const State& state;
  const Scratch& scratch;
  const Input& input;
  const StepReport& report;
  double h;
};

class ChannelSource {
 public:
  virtual ~ChannelSource() = default;

  // The same from the first call to the last.
  virtual const std::vector<Channel>& channels() const = 0;

  // The values of all columns of all channels, one after the other. Asks for no memory once warm.
  virtual void read(const StepView& view, std::span<double> values) = 0;
};

}  // namespace stance::sim
