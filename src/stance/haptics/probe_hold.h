#pragma once

// A probe that holds a point of a body (H11), and turns the body where the device has an
// orientation (A16): a drag, told before every step.

#include <string>
#include <vector>

#include "stance/haptics/probe_mode.h"

namespace stance::haptics {

class ProbeHold final : public ProbeMode {
 public:
  explicit ProbeHold(const HapticOptions& options) : options_(options) {}

  // The point (m, in the frame of that name) is held where it is when the next step begins.
  void attach(const std::string& name, const Vec3d& point);
  void take_anew();  // the same, if something is held
  void detach() { held_.clear(); }

  const std::string& held() const { return held_; }  // empty: nothing
  bool is_there(const model::Model& model) const;    // what is held
  bool is_fresh() const { return is_fresh_; }        // taken since the last step
  bool is_pulling() const { return is_pulling_; }    // a drag is among the inputs
  void forget_pull() { is_pulling_ = false; }        // it was released
  std::uint64_t count() const { return count_; }     // how often something was taken

  void act(const ProbeState& probe, ProbeWorld& world, std::vector<run::Change>& changes) override;
  void tie(const ProbeState& probe, ProbeWorld& world, const StepDone& step, SceneState& scene,
           ProbeView& shown) override;

 private:
  HapticOptions options_;
  std::string held_;
  Vec3d held_point_{};
  bool is_fresh_ = false;  // the shift is not known yet
  bool is_pulling_ = false;
  std::uint64_t count_ = 0;
  Vec3d shift_{}, travel_{};             // m (SceneState)
  Mat3d grip_turn_ = Mat3d::identity();  // orientation of the held link in the handle's
  bool has_turn_ = false;                // that is known
};

}  // namespace stance::haptics
