#pragma once

// Which of the channels that a run offers are wanted, and their values side by side.

#include <span>
#include <string>
#include <vector>

#include "stance/kernel/error.h"
#include "stance/sim/channel.h"

namespace stance::run {

class ChannelChoice {
 public:
  // Channels by name or pattern (`*` stands for any letters); without any, all but impulses, which
  // forces tell as well. Throws stance::Error, at the pattern's place where there is one, when a
  // pattern fits nothing, with the nearest name.
  ChannelChoice(std::span<sim::ChannelSource* const> sources, std::span<const std::string> patterns,
                std::span<const Place> places = {});

  const std::vector<sim::Channel>& channels() const { return channels_; }  // as the sources do
  std::size_t width() const { return width_; }                             // columns of them

  // Their values after a step (width). Asks for no memory.
  void read(const sim::StepView& view, std::span<double> values);

 private:
  struct Range {
    std::size_t from, count;  // in the values of the source
  };
  struct Source {
    sim::ChannelSource* source;
    std::vector<double> values;  // of all its channels
    std::vector<Range> ranges;
    bool is_direct = false;  // read needs no other room than that of what is wanted
  };

  void add(sim::ChannelSource& source, std::span<const char> is_wanted);

  std::vector<Source> sources_;
  std::vector<sim::Channel> channels_;
  std::size_t width_ = 0;
};

// ", did you mean 'robot/com'?", or what there is: for a name that no channel has.
std::string suggest_channel(std::string_view name, std::span<const std::string> known);

}  // namespace stance::run
