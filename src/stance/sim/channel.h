#pragma once

// Numbers that a run offers after every step to whoever records, plots or shows them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stance/sim/world.h"

namespace stance::sim {

// Which moment of a step a value belongs to.
enum class When : std::uint8_t {
  kEnd,    // the state that the step arrived at
  kStart,  // the state that it left
  kOver,   // what acted during the step
};

// One quantity: "robot/joint_position" in rad with a column per joint, "contact/residual" with one.
// A name has at least one '/'.
struct Channel {
  std::string name, unit;  // unit "1" for plain numbers
  std::vector<std::string> columns;
  When when = When::kEnd;
};

// What may be read once a step of h seconds is done. The scratch is that of the step: bodies at its
// start and at its end, impulses over it.
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

  // Says which channels will be looked at, before the first read. The values of the others may be
  // anything afterwards, so that they need not be worked out. Returns how many values, from the
  // first on, `read` touches from now on.
  virtual std::size_t choose(std::span<const char> /*is_wanted*/) {
    std::size_t width = 0;
    for (const Channel& channel : channels()) width += channel.columns.size();
    return width;
  }

  // The values of all columns of all channels, one after the other. Asks for no memory once warm.
  virtual void read(const StepView& view, std::span<double> values) = 0;
};

}  // namespace stance::sim
