#pragma once

// The figures on the real clock: the emulated service, its client on a thread of its own and the
// physics on another, through a WebSocket of this machine.

#include "stance/haptics/check/figures.h"

namespace stance::haptics {

struct LiveResult {
  double stiffness = 0.0;            // N/m, the middle one of all milliseconds
  double softest = 0.0;              // N/m
  double period = 0.0, delay = 0.0;  // s, as measured: the middle ones
  double force = 0.0;  // N, that holding a body of 1 kg reads: the middle one of the last half
  double swing = 0.0;  // m, of the hand in the last quarter
  std::uint64_t bad_messages = 0;
  std::string scheduling;
};

// Holds 1 kg for this long (s), and longer where nothing was heard yet, with a hand of these
// properties; `most` N/m is wanted.
LiveResult hold_live(double duration, const HandOptions& hand, double most);

}  // namespace stance::haptics
