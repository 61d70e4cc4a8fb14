#pragma once

// What a device's probe does to bodies: it touches them (probe_touch.h) or holds one of them
// (probe_hold.h).

#include <string>
#include <vector>

#include "stance/haptics/exchange.h"
#include "stance/haptics/probe_world.h"
#include "stance/run/change.h"

namespace stance::haptics {

struct HapticOptions {
  std::string source = "device";  // of the changes
  double coefficient = 1.0;       // what a touched body feels of the device's force (H10)
  double probe_radius = 0.01;     // m
  double turning = 20.0;          // N m/rad, of the spring that turns what is held, where the
                                  // device has an orientation (A16)
  // Held from the first sample on: OBJECT or ROBOT/LINK, and the point in its frame, m.
  std::string hold{};
  Vec3d hold_point{};
};

// What a viewer shows of it.
struct ProbeView {
  bool is_present = false;
  Vec3d probe{}, proxy{};            // m
  double radius = 0.0;               // m
  std::string held{};                // empty: it touches
  Vec3d point{};                     // m, of the held body
  std::string touched{};             // the body touched most firmly, if any
  Vec3d force{};                     // N, on the device
  double stiffness = 0.0;            // N/m
  double period = 0.0, delay = 0.0;  // s, measured
  double held_back = 0.0;            // N, by the account of energy
};

// A step that was taken.
struct StepDone {
  const sim::StepView& view;
  const sim::Outside& outside;
  bool is_slow = false;  // it was, or took, longer than the device's period
};

class ProbeMode {
 public:
  virtual ~ProbeMode() = default;

  // Before a step: appends what acts from it on.
  virtual void act(const ProbeState& probe, ProbeWorld& world,
                   std::vector<run::Change>& changes) = 0;

  // After it: what the device's spring is tied to from now on, and what is shown of it.
  virtual void tie(const ProbeState& probe, ProbeWorld& world, const StepDone& step,
                   SceneState& scene, ProbeView& shown) = 0;
};

}  // namespace stance::haptics
