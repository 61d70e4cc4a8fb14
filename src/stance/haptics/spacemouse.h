#pragma once

// A SpaceMouse through libspnav (BSD) and the daemon spacenavd: a puck that is pushed and turned.
// It says how fast the probe is to move, and gives no force.

#include <memory>

#include "stance/haptics/device.h"

namespace stance::haptics {

// From rates to a pose; what a SpaceMouse needs, without one.
class RateProbe {
 public:
  static constexpr double kFull = 350.0;    // counts of a puck pushed all the way
  static constexpr double kDead = 10.0;     // counts that are none
  static constexpr double kSpeed = 0.25;    // m/s at kFull
  static constexpr double kTurn = 1.5;      // rad/s at kFull
  static constexpr double kReach = 0.5;     // m, to each side
  static constexpr double kSilence = 0.25;  // s without an event: the puck has been let go

  // Counts as libspnav has them: x right, y up, z away from the person; turns about these axes in
  // the sense in which its own spnav_posrot_moveobj takes them.
  void push(double now, const Vec3d& counts, const Vec3d& turn_counts);
  void press(int button, bool is_down);
  void let_go();  // of the puck and of all buttons
  void advance(double now, DeviceSample& sample);

 private:
  Vec3d velocity_{}, spin_{}, position_{};
  Mat3d orientation_ = Mat3d::identity();
  std::uint32_t buttons_ = 0;
  double time_ = 0.0, heard_ = 0.0;
  bool has_time_ = false;
};

// Throws stance::Error where there is no daemon, or the program was built without libspnav; a
// daemon that goes later is a lost device until it is back. There can be one at a time.
std::unique_ptr<Device> make_spacemouse();

}  // namespace stance::haptics
