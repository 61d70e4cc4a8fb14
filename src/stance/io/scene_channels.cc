#include "stance/io/scene_channels.h"

#include <algorithm>
#include <limits>

#include "stance/sim/run_channels.h"

namespace stance::io {
namespace {

using Sources = std::vector<std::unique_ptr<sim::ChannelSource>>;

// Of one world.
Sources make_sources(const LoadedScene& part) {
  std::vector<sim::ChannelRobot> robots;
  for (const SceneRobot& robot : part.robots)
    robots.push_back(
        {robot.name.empty() ? "robot" : robot.name, robot.name.empty() ? "" : robot.name + "/"});
  Sources out;
  out.push_back(std::make_unique<sim::RunChannels>(part.scene.world, std::move(robots)));
  out.push_back(part.make_sensors());
  return out;
}

// Of several worlds, one after the other.
class PartChannels final : public sim::ChannelSource {
 public:
  explicit PartChannels(const LoadedScene& scene) : channels_(scene.channels) {
    for (const sim::Channel& channel : channels_) {
      first_.push_back(width_);
      width_ += channel.columns.size();
    }
    add(scene);
    for (const LoadedScene& part : scene.later) add(part);
  }

  const std::vector<sim::Channel>& channels() const override { return channels_; }

  std::size_t choose(std::span<const char> is_wanted) override {
    for (Part& part : parts_)
      for (Source& source : part.sources) {
        std::vector<char> wanted;
        for (const std::size_t k : source.channel) wanted.push_back(is_wanted[k]);
        source.source->choose(wanted);
      }
    return width_;
  }

  void read(const sim::StepView& view, std::span<double> values) override {
    std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
    for (Part& part : parts_) {
      if (part.world != &view.world) continue;
      for (Source& source : part.sources) {
        source.source->read(view, source.values);
        const double* from = source.values.data();
        for (const std::size_t k : source.channel) {
          const std::size_t count = channels_[k].columns.size();
          std::copy_n(from, count, values.begin() + static_cast<std::ptrdiff_t>(first_[k]));
          from += count;
        }
      }
    }
  }

 private:
  struct Source {
    std::unique_ptr<sim::ChannelSource> source;
    std::vector<std::size_t> channel;  // which of all channels its own are
    std::vector<double> values;
  };
  struct Part {
    const sim::World* world;
    std::vector<Source> sources;
  };

  void add(const LoadedScene& scene) {
    Part& part = parts_.emplace_back(Part{&scene.scene.world, {}});
    for (auto& made : make_sources(scene)) {
      Source& source = part.sources.emplace_back(Source{std::move(made), {}, {}});
      std::size_t width = 0;
      for (const sim::Channel& channel : source.source->channels()) {
        const auto same = [&](const sim::Channel& other) {
          return other.name == channel.name && other.columns == channel.columns;
        };
        const auto it = std::find_if(channels_.begin(), channels_.end(), same);
        if (it == channels_.end())
          throw Error("the channel '" + channel.name +
                      "' has other columns when objects come or go; a plugin's must stay the same");
        source.channel.push_back(static_cast<std::size_t>(it - channels_.begin()));
        width += channel.columns.size();
      }
      source.values.resize(width);
    }
  }

  std::vector<sim::Channel> channels_;
  std::vector<std::size_t> first_;  // column of each channel
  std::size_t width_ = 0;
  std::vector<Part> parts_;
};

}  // namespace

Sources make_channels(const LoadedScene& scene) {
  if (scene.later.empty()) return make_sources(scene);
  Sources out;
  out.push_back(std::make_unique<PartChannels>(scene));
  return out;
}

}  // namespace stance::io
