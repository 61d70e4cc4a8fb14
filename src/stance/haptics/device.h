#pragma once

// A device that a person holds: pose and buttons in, force out.
//
// SI units, the device's own axes turned to ours (x away from the person's chest to where they
// look, y left, z up). Times are those of the loop that asks, in seconds; simulated devices have no
// other clock.

#include <cstdint>
#include <string>

#include "stance/kernel/vec3.h"

namespace stance::haptics {

using kernel::Mat3d;
using kernel::Vec3d;

struct DeviceFacts {
  std::string name;
  double damping = 0.0;          // b, N s/m: what resists motion for sure; 0: it gives no force
  double max_force = 0.0;        // N
  double workspace = 0.1;        // m, half the width of what it reaches
  bool has_orientation = false;  // samples have one
};

struct DeviceSample {
  Vec3d position{}, velocity{};           // m, m/s
  Mat3d orientation = Mat3d::identity();  // of the handle
  std::uint32_t buttons = 0;              // a bit each
  std::uint64_t applied = 0;              // number of the newest force that was in effect
  double since = 0.0;                     // s, how long it had been
};

struct DeviceForce {
  Vec3d force{};  // N
  std::uint64_t number = 0;
};

enum class Reading {
  kFresh,    // a new sample
  kNothing,  // none since the last
  kLost,     // not connected
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceFacts& facts() const = 0;

  // Neither waits. What goes wrong inside is a lost device, and a sentence in `trouble`.
  virtual Reading read(double now, DeviceSample& sample) = 0;
  virtual void write(double now, const DeviceForce& force) = 0;
  virtual std::string trouble() const { return {}; }
};

}  // namespace stance::haptics
