#pragma once

// A device that is not there: a hand of mass, spring and damper that holds a handle, on a simulated
// clock. The force on the handle is held from one message to the next, as motors do.

#include <array>
#include <cstdint>
#include <functional>

#include "stance/haptics/device.h"
#include "stance/kernel/random.h"

namespace stance::haptics {

struct HandOptions {
  double mass = 0.1;          // kg, of handle and hand
  double stiffness = 300.0;   // N/m, of the hand towards where it wants to be
  double damping = 2.0;       // N s/m, of the device: what it says of itself
  double hand_damping = 0.0;  // N s/m, of the hand, besides
  double latency = 0.0;       // s, from a sample to the force that answers it
  double jitter = 0.0;        // s, at most as much again, each way
  double quantisation = 0.0;  // m, steps of the encoders
  double max_force = 20.0;    // N
  double watchdog = 0.05;     // s without a force before it is dropped
  std::uint64_t seed = 1;
};

// Where the hand wants to be at a time (s), and how fast it means to move.
struct Intention {
  Vec3d position{}, velocity{};
};
using Motion = std::function<Intention(double time)>;

// m x'' = k (x_wanted - x) + c (x_wanted' - x') - b x' + F.
class Hand {
 public:
  Hand(const HandOptions& options, Motion motion);

  // Moves on to a time, under the force of now. By Runge-Kutta's method of fourth order in steps of
  // at most 50 us, less for a hand that is stiffer than that; of more than a second the last one.
  void advance(double time);
  void set_force(const Vec3d& force) { force_ = force; }
  void place(const Vec3d& position, const Vec3d& velocity) { x_ = position, v_ = velocity; }

  double time() const { return time_; }
  const Vec3d& position() const { return x_; }
  const Vec3d& velocity() const { return v_; }
  const Vec3d& force() const { return force_; }
  double drawn() const { return drawn_; }  // J that the force did on the handle so far
  double burnt() const { return burnt_; }  // J that the device's damping took

 private:
  Vec3d calc_acceleration(double time, const Vec3d& x, const Vec3d& v) const;

  HandOptions options_;
  Motion motion_;
  double longest_;  // s, of a step
  double time_ = 0.0, drawn_ = 0.0, burnt_ = 0.0;
  Vec3d x_{}, v_{}, force_{};
};

class EmulatedDevice final : public Device {
 public:
  EmulatedDevice(const HandOptions& options, Motion motion);

  const DeviceFacts& facts() const override { return facts_; }
  Reading read(double now, DeviceSample& sample) override;
  void write(double now, const DeviceForce& force) override;

  const Hand& hand() const { return hand_; }
  Hand& hand() { return hand_; }
  // Pulls the plug, or puts it back. Nothing arrives any more, in either direction.
  void set_connected(bool is_connected) { is_connected_ = is_connected; }
  void set_buttons(std::uint32_t buttons) { buttons_ = buttons; }

 private:
  static constexpr int kQueue = 256;
  template <class T>
  struct Queue {
    std::array<T, kQueue> items{};
    std::array<double, kQueue> due{};
    std::uint64_t first = 0, end = 0;
    void push(double when, const T& item);
  };

  void advance(double now);
  double shake();  // s, of the jitter

  HandOptions options_;
  DeviceFacts facts_;
  Hand hand_;
  kernel::Random random_;
  Queue<DeviceForce> forces_;
  Queue<DeviceSample> samples_;
  std::uint64_t applied_ = 0;
  double last_force_ = -1e300;  // s, when one last arrived
  std::uint32_t buttons_ = 0;
  bool is_connected_ = true;
};

}  // namespace stance::haptics
