#pragma once

// A probe that touches bodies (H10): the proxy stays outside all shapes, and what it leans on feels
// the device's force.

#include <string>
#include <vector>

#include "stance/haptics/probe_mode.h"
#include "stance/haptics/proxy.h"

namespace stance::haptics {

class ProbeTouch final : public ProbeMode {
 public:
  explicit ProbeTouch(const HapticOptions& options)
      : options_(options), proxy_(options.probe_radius) {}

  void act(const ProbeState& probe, ProbeWorld& world, std::vector<run::Change>& changes) override;
  void tie(const ProbeState& probe, ProbeWorld& world, const StepDone& step, SceneState& scene,
           ProbeView& shown) override;

  // The proxy starts again where the probe is.
  void place(const Vec3d& probe) { proxy_.place(probe); }
  void change_world() { proxy_.change_world(); }
  const Vec3d& proxy() const { return proxy_.position(); }

  bool is_pushing() const { return !pushed_.empty(); }
  void forget_pushes() { pushed_.clear(); }  // they were released

 private:
  double calc_stiffness(const ProbeState& probe) const;
  sim::PushBody make_push(const Proxy::Touch& touch, double stiffness, ProbeWorld& world);
  bool add_to_same(const sim::PushBody& push, model::BodyIndex body, const ProbeWorld& world,
                   std::vector<run::Change>& changes) const;

  HapticOptions options_;
  Proxy proxy_;
  std::vector<std::string> pushed_;  // bodies with a wrench from this probe
  double felt_ = 1.0;                // of the device's force, by the touched body that feels least
};

}  // namespace stance::haptics
