#pragma once

// What the device's thread does, tick by tick: sample, force, account, send. It does not know what
// calls it, so a test may do so on a simulated clock.

#include "stance/haptics/exchange.h"
#include "stance/haptics/passivity.h"

namespace stance::haptics {

// How the device's space lies in the scene, and how strong things are.
struct LoopOptions {
  double period = 1e-3;            // s, that the loop is meant to have
  double stiffness = 2000.0;       // N/m, the most that is wanted, in the scene
  double scale = 1.0;              // metres of the scene per metre of the device
  double force_scale = 1.0;        // newtons at the device per newton of the scene
  Vec3d offset{};                  // m, where the device's origin is in the scene
  Mat3d turn = Mat3d::identity();  // from the device's axes to the scene's
  bool use_bound = true;           // choose the stiffness by b > K (T/2 + Td); off only to show why
  bool use_local = true;           // move the held point on between steps; off: it goes straight on
  bool use_account = true;         // hold forces back by the account of energy; likewise
};

class DeviceLoop {
 public:
  static constexpr double kStale = 0.010;  // s without a sample: the device is lost
  static constexpr double kFade = 0.030;   // s from then to no force
  // Where the account holds the force back, the object's side of the spring is as much weaker, so
  // that what it gives can fill the account again; but not more than so.
  static constexpr double kLeastShare = 0.2;
  // Samples beyond these are odd, and taken only when they stay where they are for so long.
  static constexpr double kFastest = 20.0;   // m/s, and
  static constexpr double kSlack = 0.01;     // m
  static constexpr double kMostReach = 4.0;  // workspaces from the device's origin
  static constexpr double kOdd = 0.020;      // s

  DeviceLoop(Device& device, const LoopOptions& options, Exchange& exchange);

  // Times of the ticks ascend. Asks for no memory.
  void tick(double now);

  const ProbeState& probe() const { return probe_; }
  const EnergyAccount& account() const { return account_; }

 private:
  bool is_plausible(double now, const DeviceSample& sample);
  void start_again();
  void take(double now, const DeviceSample& sample);
  void take_scene(double now);
  void move_on();
  void update_stiffness();
  Vec3d calc_force(double now, double& spring_energy);
  Vec3d limit(const Vec3d& wanted);
  Vec3d calc_attach(double& spring_energy);
  Vec3d calc_touch(double& spring_energy);

  Device& device_;
  LoopOptions options_;
  Exchange& exchange_;
  Timing timing_;
  EnergyAccount account_;
  ProbeState probe_;
  const SceneState* scene_ = nullptr;
  DeviceSample sample_;
  LocalMotion local_;
  bool has_sample_ = false;
  double sampled_ = 0.0;  // s, when the last fresh one came
  Pace pace_;
  double beyond_ = 0.0;       // s of simulated time that what is felt is beyond the scene's state
  double scene_since_ = 0.0;  // s, when the scene was first seen
  std::uint64_t number_ = 0;  // of the last force
  std::uint64_t hold_ = 0, step_ = 0;  // of the scene
  Vec3d travel_{}, proxy_{};
  Vec3d wanted_{};  // N, the spring's force on the object, as the device would feel it
  bool was_touching_ = false;
  double power_ = 1.0;  // device's work per scene's
  bool is_odd_ = false;
  Vec3d odd_{};                              // m, the last odd sample
  double odd_since_ = 0.0, odd_seen_ = 0.0;  // s, when they began to be there, and the last came
};

}  // namespace stance::haptics
