#pragma once

// The walking biped of paper R under one contact law: what its corners did, step by step.

#include <string>
#include <vector>

#include "stance/contact/law.h"
#include "stance/control/walk_plan.h"

struct WalkRun {
  std::string name, title;
  // a row per step, the columns v1 to v8
  std::vector<double> time;           // s, from when the first foot leaves
  std::vector<double> height, force;  // m, N

  double highest = 0.0;          // m, of any corner
  double low = 0.0, high = 0.0;  // m, of the corners of a foot that stands alone
  double slip = 0.0;             // m, summed over the walk, the most of the two feet
  double mean_force = 0.0;       // N, vertical, over the walk
  double weight = 0.0;           // N
  int false_impacts = 0;         // of the foot that stands alone
  int false_impacts_flat = 0;    // of feet meant to stand flat, 20 ms off both ends
  int false_impacts_all = 0;     // of feet meant to stand flat at all
  int foot_breaks = 0;  // a foot meant to stand flat, likewise, with no force on any corner
  int steps = 0;        // swings that left the ground and came down again
  double worst_penetration = 0.0;  // m, of any contact in any step
  long unconverged = 0;            // steps
  bool fell = false;
};

// Runs the scene (scenes/biped_r_walk.yaml) under a law, with a wanted penetration in m.
WalkRun run_walk(const std::string& scene, stance::contact::ContactLaw law,
                 const std::string& wanted);
