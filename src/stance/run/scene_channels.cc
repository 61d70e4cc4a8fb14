#include "stance/run/scene_channels.h"

#include <algorithm>
#include <limits>

#include "stance/scene/channels.h"

namespace stance::run {
namespace {

// Of several worlds, one after the other: those of the scene, and one that people made of it.
class PartChannels final : public sim::ChannelSource, public Observer {
 public:
  explicit PartChannels(const scene::Scene& scene) : channels_(scene.channels) {
    if (channels_.empty()) channels_ = list_channels(scene.first);
    for (const sim::Channel& channel : channels_) {
      first_.push_back(width_);
      width_ += channel.columns.size();
    }
    is_wanted_.assign(channels_.size(), 1);
    parts_.push_back(make_part(scene.first, true));
    for (const scene::Part& part : scene.later) parts_.push_back(make_part(part, true));
  }

  // The simulation whose worlds it follows.
  void begin(Simulation& simulation) override { on_world(simulation.part()); }

  // People made another world.
  void on_world(const scene::Part& part) override {
    const auto is_it = [&](const World& known) { return known.world == &part.scene.world; };
    std::erase_if(parts_, [](const World& known) { return !known.is_planned; });
    if (std::any_of(parts_.begin(), parts_.end(), is_it)) return;
    parts_.push_back(make_part(part, false));
    choose(parts_.back());
  }

  const std::vector<sim::Channel>& channels() const override { return channels_; }

  std::size_t choose(std::span<const char> is_wanted) override {
    is_wanted_.assign(is_wanted.begin(), is_wanted.end());
    for (World& part : parts_) choose(part);
    return width_;
  }

  void read(const sim::StepView& view, std::span<double> values) override {
    std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
    for (World& part : parts_) {
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
  struct World {
    const sim::World* world;
    bool is_planned;  // by the scene
    std::vector<Source> sources;
  };

  World make_part(const scene::Part& from, bool is_planned) const {
    World part{&from.scene.world, is_planned, {}};
    for (auto& made : make_channels(from)) {
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

  void choose(World& part) {
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
  std::vector<World> parts_;
};

}  // namespace

ChannelSources make_channels(const scene::Part& part) {
  ChannelSources out;
  out.push_back(make_run_channels(part));
  out.push_back(part.make_modules().sensors);
  return out;
}

ChannelSources make_channels(const scene::Scene& scene) {
  if (scene.later.empty()) return make_channels(scene.first);
  ChannelSources out;
  out.push_back(std::make_unique<PartChannels>(scene));
  return out;
}

ChannelSources make_channels(Simulation& simulation) {
  auto channels = std::make_unique<PartChannels>(simulation.scene());
  simulation.attach(*channels);
  ChannelSources out;
  out.push_back(std::move(channels));
  return out;
}

std::vector<sim::ChannelSource*> point_to(const ChannelSources& sources) {
  std::vector<sim::ChannelSource*> out;
  for (const auto& source : sources) out.push_back(source.get());
  return out;
}

}  // namespace stance::run
