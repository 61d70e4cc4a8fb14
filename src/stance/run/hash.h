#pragma once

// All bits of a run as two numbers, to compare programs by.

#include "stance/kernel/bit_hash.h"
#include "stance/run/channels.h"
#include "stance/run/simulation.h"

namespace stance::run {

// All numbers of all channels in every step.
class ChannelHash final : public Observer {
 public:
  // The columns of sensors are hashed behind those of the engine where the world stays the same,
  // all together where people may change it: so it was always.
  ChannelHash(Simulation& simulation, bool may_change)
      : reader_(simulation, "*"), values_(reader_.width()), split_(values_.size()) {
    if (may_change || !simulation.scene().later.empty()) return;
    split_ = simulation.channels().engine_width();
    is_split_ = true;
  }

  bool after_step(const Simulation&, const sim::StepView&) override {
    reader_.read(values_);
    const std::span<const double> values = values_;
    hash_.add(values.first(split_));
    if (is_split_) hash_.add(values.subspan(split_));
    return true;
  }
  std::uint64_t value() const { return hash_.value(); }

 private:
  ChannelReader reader_;
  std::vector<double> values_;
  std::size_t split_;
  bool is_split_ = false;
  kernel::BitHash hash_;
};

}  // namespace stance::run
