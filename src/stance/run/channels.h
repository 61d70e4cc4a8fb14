#pragma once

// The numbers that a simulation offers after every step, worked out once for all who read them.

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stance/kernel/error.h"
#include "stance/scene/compile.h"
#include "stance/sim/channel.h"
#include "stance/sim/run_channels.h"

namespace stance::run {

class Simulation;
class ChannelReader;

// Those of the engine, then those of sensors, of the world of now. A simulation has one.
class Channels {
 public:
  Channels(const Simulation& simulation, sim::SensorSuite& sensors);
  Channels(const Channels&) = delete;
  Channels& operator=(const Channels&) = delete;
  ~Channels();

  // What can be read: the channels of the scene, whatever comes and goes in it, then those that
  // only the world of now has, since somebody added objects.
  std::vector<sim::Channel> list() const;

  // Whether the world of now has it.
  bool is_here(std::string_view name) const;

  // Columns of the engine's channels in the world of now; those of sensors come behind them.
  std::size_t engine_width() const { return sources().engine_width; }

 private:
  friend class ChannelReader;
  friend class Simulation;

  struct Range {
    std::size_t first, count;  // columns
  };
  // A world and its channels side by side.
  struct Sources {
    Sources(const scene::Part& part, sim::SensorSuite& its_sensors);

    std::unique_ptr<sim::RunChannels> engine;
    sim::SensorSuite* sensors;  // of the simulation
    std::size_t engine_width = 0, width = 0;
    std::map<std::string, Range, std::less<>> ranges;  // by name
  };

  // Of the simulation: a step was taken; steps go on in another world; readers come over.
  void forget();
  void enter(const scene::Part& part, sim::SensorSuite& sensors);
  void adopt(Channels& other);

  void add(ChannelReader& reader);
  void remove(ChannelReader& reader);
  void choose();
  std::span<const double> read();  // all columns

  const Simulation& simulation_;
  const scene::Part* part_;
  sim::SensorSuite* sensors_;
  mutable std::unique_ptr<Sources> sources_;  // once somebody wants to know
  const Sources& sources() const;
  std::vector<ChannelReader*> readers_;
  bool wants_engine_ = false, wants_sensors_ = false;
  std::vector<double> values_;
  bool is_fresh_ = false;
  bool has_stepped_ = false;  // in this world
};

// Reads some channels of a simulation. It goes on when the world becomes another one, and when
// another simulation goes on from this one (Simulation::adopt).
class ChannelReader {
 public:
  // Channels by name or pattern (choose_channels). Throws stance::Error when there are none such.
  ChannelReader(const Simulation& simulation, std::span<const std::string> patterns,
                std::span<const Place> places = {});
  ChannelReader(const Simulation& simulation, const std::string& pattern);
  ChannelReader(const ChannelReader&) = delete;
  ChannelReader& operator=(const ChannelReader&) = delete;
  ~ChannelReader();

  const std::vector<sim::Channel>& channels() const { return chosen_; }
  std::size_t width() const { return width_; }  // columns of them

  // Their values after the last step (width), one channel after the other. Not a number (NaN)
  // where an object is not there, and where no step was taken yet that could tell. Allocates no
  // memory once warm. Throws stance::Error when the simulation is gone.
  void read(std::span<double> values) const;
  std::vector<double> read() const;

  // Works out nothing more.
  void leave();

 private:
  friend class Channels;
  struct Move {
    std::size_t from, to, count;
  };
  static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

  void bind();  // to the world of now

  std::vector<sim::Channel> chosen_;
  std::size_t width_ = 0;
  std::vector<Move> moves_;
  Channels* owner_ = nullptr;
};

}  // namespace stance::run
