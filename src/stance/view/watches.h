#pragma once

// Channels that viewers plot: who watches which, and the samples since the last frame.

#include <memory>
#include <string>
#include <vector>

#include "stance/run/channels.h"
#include "stance/view/bytes.h"
#include "stance/view/outbox.h"

namespace stance::view {

class Watches {
 public:
  // A viewer watches these channels, as far as there are such, instead of those before.
  BegunWatch begin(int viewer, const std::vector<std::string>& channels,
                   const run::Simulation& simulation);
  void leave(int viewer);
  void clear() { watches_.clear(); }

  // The world is another object, with the same things in it.
  void renew(const run::Simulation& simulation);

  // After a step, the `steps`th of the scene of this number.
  void sample(const sim::StepView& view, std::int64_t steps, std::uint32_t scene);
  void send(Outbox& outbox);

 private:
  struct Watch {
    int viewer = 0;
    std::vector<std::string> names;  // channels, as they were asked for
    std::vector<std::string> columns;
    std::unique_ptr<run::ChannelReader> reader;
    std::vector<double> values;
    std::vector<std::size_t> order;  // of the values, as they were asked for
    Bytes batch;
    std::uint16_t rows = 0;
    std::uint32_t number = 0;
  };
  static void choose_channels(const run::Simulation& simulation, Watch& watch);

  std::vector<Watch> watches_;
  std::uint32_t last_ = 0;  // number
};

}  // namespace stance::view
