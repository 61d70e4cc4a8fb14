#pragma once

// When and where the feet of a walk are, and where the ground pushes: plain mathematics, no robot.
//
// From rest to rest on level ground along x: both feet stand side by side, the left one swings
// first, feet take turns, the last step brings them together again. Feet are flat on the ground
// whenever they do not swing.

#include <vector>

#include "stance/kernel/vec3.h"

namespace stance::control {

enum class Foot { kRight, kLeft };

struct WalkOptions {
  int steps = 5;
  double step_length = 0.2;    // m, between the two feet
  double foot_spacing = 0.18;  // m, across
  double clearance = 0.08;     // m, highest point of the path of a swinging foot's sole frame
  double swing_pitch = 0.2;    // rad, toes down as it rises, as much up as it comes down
  double hip_height = 0.88;    // m
  double zmp_forward = 0.05;   // m, in front of the ankle, where a standing foot is pushed
  double start = 0.6;          // s, before the first foot leaves
  double swing = 0.3;          // s
  double both = 0.1;           // s, on both feet between two swings
  double end = 0.8;            // s, after the last foot came down
  double sample = 0.005;       // s, between two keyframes
  double stiffness = 3e4;      // N m/rad, of the springs that follow; see Walk::targets
  double damping = 1e3;        // N m s/rad
};

struct Swing {
  Foot foot;
  double from, until;   // s
  double x_from, x_to;  // m
};

// The frame of a sole below the ankle: where, and how far the toes are down.
struct SolePose {
  kernel::Vec3d p;     // m
  double pitch = 0.0;  // rad
};

class WalkPlan {
 public:
  // Throws stance::Error when the options describe no walk.
  explicit WalkPlan(const WalkOptions& options);

  const WalkOptions& options() const { return options_; }
  const std::vector<Swing>& swings() const { return swings_; }
  double duration() const { return duration_; }  // s

  // True while the foot is meant to stand flat, and for `margin` seconds before and after.
  bool is_flat(Foot foot, double time, double margin = 0.0) const;
  SolePose calc_sole(Foot foot, double time) const;
  // Where the ground is to push: below the standing foot, from one to the next while on both.
  kernel::Vec3d calc_zmp(double time) const;

 private:
  double calc_y(Foot foot) const;

  WalkOptions options_;
  std::vector<Swing> swings_;
  double duration_ = 0.0;
};

// 0 to 1 as s goes from 0 to 1, at rest at both ends; 0 and 1 outside.
double calc_minimum_jerk(double s);
// 0 to 1 and back as s goes from 0 to 1, at rest at both ends; 0 outside.
double calc_bump(double s);

// The path c of a cart on a table of height z, c - z/g c'' = zmp at every sample of `dt`, at rest
// at both ends. Two shapes, one at each end of the time, are added to the zmp as far as rest needs.
struct CartPath {
  std::vector<double> c, zmp;
};
CartPath calc_cart_path(std::vector<double> zmp, const std::vector<double>& first,
                        const std::vector<double>& last, double z_over_g, double dt);

}  // namespace stance::control
