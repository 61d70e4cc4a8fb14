#pragma once

// The figures that the force feedback has to reach, measured on a simulated clock with the emulated
// hand: tests check them, `stance device-emulator --check` prints them.

#include <string>
#include <vector>

#include "stance/haptics/check/emulator.h"
#include "stance/haptics/device_loop.h"

namespace stance::haptics {

struct Figure {
  std::string name, unit, wanted;
  double value = 0.0;
  bool is_reached = false;
};

// A hand presses the probe on a fixed floor for 30 s, in waves.
struct WallTest {
  HandOptions hand{};
  LoopOptions loop{};
  double duration = 30.0;  // s
};

struct WallResult {
  double stiffness = 0.0;  // N/m, at the end
  double force = 0.0;      // N, at the end
  double early = 0.0,
         late =
             0.0;  // m, the hand's swing about where it rests: after pressing, and in the last 3 s
  double overdrawn = 0.0;  // J, the most that was drawn beyond what the damping burnt
  double held_back = 0.0;  // N, the most that the account held back
  bool is_stable() const { return late <= early && late < 1e-4; }
};
WallResult press_on_wall(const WallTest& test);

// A hand holds a body of a mass (kg), moves it about for 10 s and holds it still for 20 s.
struct HoldResult {
  double stiffness = 0.0, force = 0.0;  // N/m; N, down, at the end
  double late = 0.0;                    // m, swing of the hand in the last 3 s
  double overdrawn = 0.0;               // J, beyond burnt and what the body gave
};
HoldResult hold_body(double mass, const HandOptions& hand, const LoopOptions& loop);

// s from the last sample to no force, and whether the simulation and the device go on.
struct LossResult {
  double fade = 0.0;
  bool goes_on = false, comes_back = false;
};
LossResult lose_device();

std::vector<Figure> measure_figures();

}  // namespace stance::haptics
