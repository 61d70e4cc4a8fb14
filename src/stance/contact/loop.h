#pragma once

// Joints that close loops: hard constraints between frames of two bodies, solved in the same loop
// as contacts. Nothing is soft: the velocities obey them to the solver's tolerance, and drift is
// taken back as displacement, without a share in the velocities.

#include <span>
#include <string>
#include <vector>

#include "stance/dynamics/kinematics.h"

namespace stance::contact {

using kernel::Mat3d;
using kernel::Vec3d;

enum class LoopKind {
  kWeld,      // the frames coincide
  kBall,      // their origins do
  kHinge,     // and their z axes too
  kDistance,  // their origins stay `length` apart
};

// F is fixed to body a, G to body b; body 0 is the world.
struct Loop {
  LoopKind kind = LoopKind::kBall;
  int body_a = 0, body_b = 0;
  Mat3d R_AF = Mat3d::identity(), R_BG = Mat3d::identity();
  Vec3d p_AF{}, p_BG{};  // m
  double length = 0.0;   // kDistance, m
  std::string name{};
};

// Up to three rows of a loop in this step: along `directions` the velocity of a's point against
// b's, or their relative spin, must vanish.
struct LoopBlock {
  int loop = 0;
  bool is_turn = false;  // rows on angular velocities
  int rows = 3;
  Vec3d directions[3];
  Vec3d p_a, p_b;                // points of attack, in the world
  Vec3d error;                   // along the directions, m or rad
  Vec3d turn;                    // what turning adds to u until the end of the step
  Vec3d drift;                   // what takes back a little drift by velocities, m/s or rad/s
  Vec3d u_before, u_free, u, p;  // rows; u with `turn`
  int body_a = 0, body_b = 0;
};

// At most two per loop, in order: LoopBlock::loop * 2 + is_turn names a block for the warm start.
void find_loop_blocks(const model::Model& model, std::span<const Loop> loops,
                      const dynamics::Kinematics<double>& kin, std::vector<LoopBlock>& blocks);

}  // namespace stance::contact
