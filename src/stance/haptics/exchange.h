#pragma once

// What the device's thread and the physics thread tell each other; plain data, newest wins.

#include <cstdint>

#include "stance/haptics/device.h"
#include "stance/haptics/local_model.h"
#include "stance/haptics/planes.h"
#include "stance/kernel/newest.h"

namespace stance::haptics {

// Device to physics: the probe, in the scene.
struct ProbeState {
  bool is_present = false;
  std::uint64_t tick = 0;
  Vec3d position{}, velocity{};           // m, m/s, world
  Mat3d orientation = Mat3d::identity();  // of the handle, world
  bool has_orientation = false;
  std::uint32_t buttons = 0;
  double stiffness = 0.0;      // N/m, that the spring may have, in the scene
  double strength = 0.0;       // 1, and less while a lost device fades
  double share = 1.0;          // of the spring's force, that the account lets the device feel
  double max_force = 0.0;      // N, in the scene, that the device can show; 0: none at all
  std::uint64_t jumps = 0;     // how often it was elsewhere all at once
  std::uint64_t unsolved = 0;  // how often the local model was not solved to its tolerance
  // what is worth showing
  Vec3d force{};                     // N, on the device
  double held_back = 0.0;            // N, by the account of energy
  double stored = 0.0;               // J, in it
  double period = 0.0, delay = 0.0;  // s, as measured
};

// Physics to device: what the probe's spring is tied to.
struct SceneState {
  enum class Mode : std::uint8_t { kNone, kTouch, kAttach };

  Mode mode = Mode::kNone;
  std::uint64_t hold = 0;  // another number whenever something else is held
  std::uint64_t step = 0;
  double h = 0.0;     // s, of simulated time: the step; nothing is known beyond another one
  double cost = 0.0;  // s, of the clock, that the step took
  // kAttach
  LocalModel local{};      // the point, and how it answers
  Vec3d shift{};           // m: where the point is pulled to, less where the probe is
  Vec3d travel{};          // m: sum of h times its mean velocity, since it was taken
  double stiffness = 0.0;  // N/m, that the spring was to have
  // kTouch
  int num_planes = 0;
  Plane planes[kMostPlanes];
  double speeds[kMostPlanes];  // m/s, of the planes along their normals
  double felt = 1.0;           // of the device's force, what the touched bodies felt at least
};

struct Exchange {
  kernel::Newest<ProbeState> probe;
  kernel::Newest<SceneState> scene;
};

}  // namespace stance::haptics
