#pragma once

// Whether a robot has fallen.

#include "stance/sim/world.h"

namespace stance::sim {

// Against gravity, of length one; zero without gravity.
Vec3d find_up(const World& world);

// A robot has fallen when its heaviest body tilts by more than kTilt from where it was, or its
// centre of mass sinks to half its height above the lowest point that its tree had, both against
// gravity's direction. Not by its base: that may be a foot.
class FallWatch {
 public:
  static constexpr double kTilt = 1.0;  // rad

  FallWatch(const World& world, const State& start, model::BodyIndex base);

  // By poses and the centre of mass in them; without gravity never.
  bool is_down(const dynamics::Kinematics<double>& kin, const Vec3d& com) const;
  double calc_height(const Vec3d& com) const { return dot(up_, com) - ground_; }  // m
  // Centre of mass of the tree at the start of the step, world.
  Vec3d calc_com(const World& world, const Scratch& scratch) const;
  double ground() const { return ground_; }  // m along up, of its lowest point at the start

 private:
  int tree_ = 0, trunk_ = 0;  // trunk: the heaviest body
  Vec3d up_;
  Vec3d up_B_;           // the trunk's direction that was up
  double mass_ = 0.0;    // kg, of the tree
  double ground_ = 0.0;  // m along up of its lowest point
  double height_ = 0.0;  // m of the centre of mass above that
};

}  // namespace stance::sim
