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

// Of several worlds, one after the other: those of the scene, and one that people made of it.
class PartChannels final : public sim::ChannelSource {
 public:
  explicit PartChannels(const LoadedScene& scene) : channels_(scene.channels) {
    if (channels_.empty())
      for (const auto& source : make_sources(scene))
        channels_.insert(channels_.end(), source->channels().begin(), source->channels().end());
    for (const sim::Channel& channel : channels_) {
      first_.push_back(width_);
      width_ += channel.columns.size();
    }
    is_wanted_.assign(channels_.size(), 1);
    parts_.push_back(make_part(scene, true));
    for (const LoadedScene& part : scene.later) parts_.push_back(make_part(part, true));
  }

  // People made another world.
  void enter(const LoadedScene& part) {
    const auto is_it = [&](const Part& known) { return known.world == &part.scene.world; };
    std::erase_if(parts_, [](const Part& known) { return !known.is_planned; });
    if (std::any_of(parts_.begin(), parts_.end(), is_it)) return;
    parts_.push_back(make_part(part, false));
    choose(parts_.back());
  }

  const std::vector<sim::Channel>& channels() const override { return channels_; }

  std::size_t choose(std::span<const char> is_wanted) override {
    is_wanted_.assign(is_wanted.begin(), is_wanted.end());
    for (Part& part : parts_) choose(part);
    return width_;
  }

  void read(const sim::StepView& view, std::span<double> values) override {
    std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
    for (Part& part : parts_) {
      if (part.world != &view.world) continue;
      for (Source& source : part.sources) {
        source.source->read(view, source.values);
        const double* from = source.values.data();
        for (const Own& own : source.channels) {
          if (own.channel < first_.size())
            std::copy_n(from, own.columns,
                        values.begin() + static_cast<std::ptrdiff_t>(first_[own.channel]));
          from += own.columns;
        }
      }
    }
  }

 private:
  struct Own {
    std::size_t channel;  // which of all channels it is; none of them: their number
    std::size_t columns;
  };
  struct Source {
    std::unique_ptr<sim::ChannelSource> source;
    std::vector<Own> channels;
    std::vector<double> values;
  };
  struct Part {
    const sim::World* world;
    bool is_planned;  // by the scene
    std::vector<Source> sources;
  };

  Part make_part(const LoadedScene& scene, bool is_planned) const {
    Part part{&scene.scene.world, is_planned, {}};
    for (auto& made : make_sources(scene)) {
      Source& source = part.sources.emplace_back(Source{std::move(made), {}, {}});
      std::size_t width = 0;
      for (const sim::Channel& channel : source.source->channels()) {
        const auto same = [&](const sim::Channel& other) {
          return other.name == channel.name && other.columns == channel.columns;
        };
        const auto it = std::find_if(channels_.begin(), channels_.end(), same);
        if (it == channels_.end() && is_planned)
          throw Error("the channel '" + channel.name +
                      "' has other columns when objects come or go; a plugin's must stay the same");
        source.channels.push_back(
            {static_cast<std::size_t>(it - channels_.begin()), channel.columns.size()});
        width += channel.columns.size();
      }
      source.values.resize(width);
    }
    return part;
  }

  void choose(Part& part) {
    for (Source& source : part.sources) {
      std::vector<char> wanted;
      for (const Own& own : source.channels)
        wanted.push_back(own.channel < is_wanted_.size() && is_wanted_[own.channel]);
      source.source->choose(wanted);
    }
  }

  std::vector<sim::Channel> channels_;
  std::vector<std::size_t> first_;  // column of each channel
  std::size_t width_ = 0;
  std::vector<char> is_wanted_;
  std::vector<Part> parts_;
};

}  // namespace

Sources make_channels(const LoadedScene& scene) {
  if (scene.later.empty()) return make_sources(scene);
  Sources out;
  out.push_back(std::make_unique<PartChannels>(scene));
  return out;
}

Sources make_channels(SceneRun& run) {
  auto channels = std::make_unique<PartChannels>(run.scene());
  channels->enter(run.part());
  run.listen([to = channels.get()](const LoadedScene& part) { to->enter(part); });
  Sources out;
  out.push_back(std::move(channels));
  return out;
}

}  // namespace stance::io
