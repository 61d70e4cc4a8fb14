#include "stance/run/channels.h"

#include <algorithm>
#include <utility>

#include "stance/run/channel_choice.h"
#include "stance/run/simulation.h"
#include "stance/scene/channels.h"

namespace stance::run {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

// ---- of a simulation ----------------------------------------------------------------------------

Channels::Sources::Sources(const scene::Part& part, sim::SensorSuite& its_sensors)
    : engine(make_run_channels(part)), sensors(&its_sensors) {
  const auto add = [this](const std::vector<sim::Channel>& channels) {
    for (const sim::Channel& channel : channels) {
      ranges.emplace(channel.name, Range{width, channel.columns.size()});
      width += channel.columns.size();
    }
  };
  add(engine->channels());
  engine_width = width;
  add(sensors->channels());
}

Channels::Channels(const Simulation& simulation, sim::SensorSuite& sensors)
    : simulation_(simulation), part_(&simulation.part()), sensors_(&sensors) {}

Channels::~Channels() {
  for (ChannelReader* reader : readers_) reader->owner_ = nullptr;
}

const Channels::Sources& Channels::sources() const {
  if (!sources_) sources_ = std::make_unique<Sources>(*part_, *sensors_);
  return *sources_;
}

std::vector<sim::Channel> Channels::list() const {
  std::vector<sim::Channel> out = simulation_.scene().channels;
  if (simulation_.edits().empty()) return out;
  std::set<std::string_view> known;
  for (const sim::Channel& channel : simulation_.scene().channels) known.insert(channel.name);
  for (const sim::ChannelSource* source :
       {static_cast<const sim::ChannelSource*>(sources().engine.get()),
        static_cast<const sim::ChannelSource*>(sensors_)})
    for (const sim::Channel& channel : source->channels())
      if (!known.count(channel.name)) out.push_back(channel);
  return out;
}

bool Channels::is_here(std::string_view name) const { return sources().ranges.count(name) > 0; }

void Channels::enter(const scene::Part& part, sim::SensorSuite& sensors) {
  part_ = &part, sensors_ = &sensors;
  sources_.reset();
  is_fresh_ = has_stepped_ = false;
  for (ChannelReader* reader : readers_) reader->bind();
  choose();
}

void Channels::forget() {
  is_fresh_ = false;
  if (!std::exchange(has_stepped_, true) && !readers_.empty()) choose();
}

void Channels::adopt(Channels& other) {
  for (ChannelReader* reader : std::exchange(other.readers_, {})) {
    readers_.push_back(reader);
    reader->owner_ = this;
    reader->bind();
  }
  choose();
}

void Channels::add(ChannelReader& reader) {
  readers_.push_back(&reader);
  reader.owner_ = this;
  reader.bind();
  choose();
}

void Channels::remove(ChannelReader& reader) {
  std::erase(readers_, &reader);
  choose();
}

// What is worked out is what somebody wants; before the first step only what the state tells.
void Channels::choose() {
  if (readers_.empty()) return sources_.reset();
  const Sources& s = sources();
  std::vector<char> is_wanted(s.width);
  for (const ChannelReader* reader : readers_)
    for (const ChannelReader::Move& move : reader->moves_)
      if (move.from != ChannelReader::kNowhere)
        std::fill_n(is_wanted.begin() + static_cast<std::ptrdiff_t>(move.from), move.count, 1);
  std::vector<char> of_engine;
  std::size_t at = 0;
  for (const sim::Channel& channel : s.engine->channels()) {
    of_engine.push_back(!channel.columns.empty() && is_wanted[at] &&
                        (has_stepped_ || channel.when == sim::When::kEnd));
    at += channel.columns.size();
  }
  s.engine->choose(of_engine);
  wants_engine_ = std::count(of_engine.begin(), of_engine.end(), 1) > 0;
  wants_sensors_ = has_stepped_ && std::count(is_wanted.begin() + static_cast<std::ptrdiff_t>(at),
                                              is_wanted.end(), 1) > 0;
  values_.assign(s.width, kNone);
  is_fresh_ = false;
}

std::span<const double> Channels::read() {
  if (is_fresh_) return values_;
  const Sources& s = sources();
  const sim::StepView view = simulation_.view();
  if (wants_engine_) s.engine->read(view, {values_.data(), s.engine_width});
  if (wants_sensors_) s.sensors->read(view, std::span(values_).subspan(s.engine_width));
  is_fresh_ = true;
  return values_;
}

// ---- readers ------------------------------------------------------------------------------------

ChannelReader::ChannelReader(const Simulation& simulation, std::span<const std::string> patterns,
                             std::span<const Place> places)
    : chosen_(choose_channels(simulation.channels().list(), patterns, places)) {
  for (const sim::Channel& channel : chosen_) width_ += channel.columns.size();
  simulation.channels().add(*this);
}

ChannelReader::ChannelReader(const Simulation& simulation, const std::string& pattern)
    : ChannelReader(simulation, std::span(&pattern, 1)) {}

ChannelReader::~ChannelReader() { leave(); }

void ChannelReader::leave() {
  if (owner_) owner_->remove(*this);
  owner_ = nullptr;
}

void ChannelReader::bind() {
  const Channels::Sources& s = owner_->sources();
  moves_.clear();
  std::size_t to = 0;
  for (const sim::Channel& channel : chosen_) {
    const std::size_t count = channel.columns.size();
    const auto it = s.ranges.find(channel.name);
    const bool is_here = it != s.ranges.end() && it->second.count == count;
    const std::size_t from = is_here ? it->second.first : kNowhere;
    const bool goes_on = !moves_.empty() && is_here && moves_.back().from != kNowhere &&
                         moves_.back().from + moves_.back().count == from;
    if (goes_on)
      moves_.back().count += count;
    else if (count > 0)
      moves_.push_back({from, to, count});
    to += count;
  }
}

void ChannelReader::read(std::span<double> values) const {
  if (!owner_) throw Error("the simulation whose channels are read is not there any more");
  const std::span<const double> all = owner_->read();
  for (const Move& move : moves_) {
    double* to = values.data() + move.to;
    if (move.from == kNowhere)
      std::fill_n(to, move.count, kNone);
    else
      std::copy_n(all.data() + move.from, move.count, to);
  }
}

std::vector<double> ChannelReader::read() const {
  std::vector<double> out(width_);
  read(out);
  return out;
}

}  // namespace stance::run
