#pragma once

// Sensors: what a run can measure after a step, as channels (channel.h). Forces come from the
// step's own balance of momentum, v+ - v over h, not from a model beside it.
//
// Noise needs no memory: it is a function of the seed, the time and the column, so that a run that
// goes on from a snapshot, or is read twice, has the same.

#include <cstdint>
#include <memory>

#include "stance/dynamics/rnea.h"
#include "stance/sim/channel.h"

namespace stance::sim {

// Forces and accelerations of a step, worked out once for all sensors. Where things were at its
// start and are at its end is in Scratch::start and Scratch::end.
struct StepForces {
  explicit StepForces(const World& world);
  void update(const StepView& view);

  std::vector<model::FrameIndex> geometry_link;  // by geometry; none for parts of the world
  std::vector<double> vdot;                      // (nv) (v+ - v) / h
  std::vector<kernel::Force<double>> wrenches;   // (nbody) of contacts, loops and Input, at O
  dynamics::NewtonEuler<double> newton_euler;    // F: what each joint transmits to its body, at O
  std::vector<double> tau;                       // (nv) the part of it along the coordinates
};

// The wrench of contact point k on its body a, at p_WO; body b has the opposite.
kernel::Force<double> calc_contact_wrench(const contact::ContactScratch& scratch, int k,
                                          const Vec3d& p_WO, double h);

// Normal distribution with mean 0 and standard deviation 1.
double calc_noise(std::uint64_t seed, double time, int column);

// Measures something after a step and offers it as channels.
class Sensor {
 public:
  virtual ~Sensor() = default;
  virtual std::vector<Channel> channels() const = 0;
  // The values of its channels one after the other.
  virtual void measure(const StepView& view, const StepForces& forces,
                       std::span<double> values) = 0;
};

// All sensors of a run.
class SensorSuite final : public ChannelSource {
 public:
  explicit SensorSuite(const World& world) : forces_(world) {}

  void add(std::unique_ptr<Sensor> sensor);
  bool is_empty() const { return sensors_.empty(); }

  const std::vector<Channel>& channels() const override { return channels_; }
  void read(const StepView& view, std::span<double> values) override;

  // Columns of all channels, and the first one of a channel by name; -1 when there is none.
  int width() const { return width_; }
  int find(std::string_view channel) const;

 private:
  struct Entry {
    std::unique_ptr<Sensor> sensor;
    int first = 0, count = 0;
  };
  StepForces forces_;
  std::vector<Entry> sensors_;
  std::vector<Channel> channels_;
  int width_ = 0;
};

}  // namespace stance::sim
