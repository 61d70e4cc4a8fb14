#pragma once

// What contacts remember from one step to the next.

#include <cstdint>
#include <vector>

#include "stance/kernel/vec3.h"

namespace stance::contact {

// When it is worth while to make the impulses of a group exact, so that they serve for many steps.
struct RestPlan {
  static constexpr int kShortest = 16;
  bool is_halfway = false;  // it was done in the last step; it takes two
  int wait = 0;             // steps until it is tried again
  int span = kShortest;     // the next wait
};

// Impulses of the last step; part of the State, since the answer of an interrupted or redundant
// problem depends on where it starts.
struct WarmStart {
  // of contact points, by their ids, in the order of the contacts
  std::vector<std::uint64_t> id;
  std::vector<kernel::Vec3d> p;        // (N, T1, T2), N s
  std::vector<kernel::Vec3d> spin;     // torsion and rolling, N m s; zero where there is none
  std::vector<kernel::Vec3d> stretch;  // from the anchor of a classical penalty's friction, m

  // of joints, N s or N m s; zero where nothing acts
  std::vector<double> limit;        // (nv) positive at the lower limit, negative at the upper
  std::vector<double> friction;     // (nv)
  std::vector<double> mimic;        // by mimic
  std::vector<kernel::Vec3d> loop;  // two blocks per loop: forces, then torques

  std::vector<RestPlan> rest;  // by tree
};

}  // namespace stance::contact
