#pragma once

// All bits of a run as two numbers, to compare programs by.

#include "stance/kernel/bit_hash.h"
#include "stance/run/scene_channels.h"

namespace stance::run {

// All numbers of all channels in every step.
class ChannelHash final : public Observer {
 public:
  explicit ChannelHash(ChannelSources sources) : sources_(std::move(sources)) {
    for (const auto& source : sources_) {
      std::size_t width = 0;
      for (const sim::Channel& channel : source->channels()) width += channel.columns.size();
      values_.emplace_back(width);
    }
  }

  bool after_step(const Simulation&, const sim::StepView& view) override {
    for (std::size_t k = 0; k < sources_.size(); ++k) {
      sources_[k]->read(view, values_[k]);
      hash_.add(std::span<const double>(values_[k]));
    }
    return true;
  }
  std::uint64_t value() const { return hash_.value(); }

 private:
  ChannelSources sources_;
  std::vector<std::vector<double>> values_;
  kernel::BitHash hash_;
};

}  // namespace stance::run
