#include "stance/contact/loop.h"

#include <cmath>

#include <Eigen/Geometry>

#include "stance/contact/tangents.h"

namespace stance::contact {
namespace {

using model::BodyIndex;
using model::Model;

// The rotation that takes G to F, as a vector in the world.
Vec3d calc_turn(const Mat3d& R_WF, const Mat3d& R_WG) {
  const Eigen::AngleAxisd turn(Eigen::Matrix3d(R_WF.eigen() * R_WG.eigen().transpose()));
  return Vec3d(Eigen::Vector3d(turn.angle() * turn.axis()));
}

LoopBlock& add_block(const Loop& loop, int number, bool is_turn, const Vec3d& p_a, const Vec3d& p_b,
                     std::vector<LoopBlock>& blocks) {
  LoopBlock& block = blocks.emplace_back();
  block.loop = number, block.is_turn = is_turn;
  block.body_a = loop.body_a, block.body_b = loop.body_b;
  block.p_a = p_a, block.p_b = p_b;
  return block;
}

}  // namespace

void find_loop_blocks(const Model& model, std::span<const Loop> loops,
                      const dynamics::Kinematics<double>& kin, std::vector<LoopBlock>& blocks) {
  blocks.clear();
  const Vec3d axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  for (int k = 0; k < static_cast<int>(loops.size()); ++k) {
    const Loop& loop = loops[k];
    const Vec3d p_F = kin.calc_position(model, BodyIndex(loop.body_a), loop.p_AF);
    const Vec3d p_G = kin.calc_position(model, BodyIndex(loop.body_b), loop.p_BG);
    const Vec3d apart = p_F - p_G;
    if (loop.kind == LoopKind::kDistance) {
      const double length = norm(apart);
      LoopBlock& block = add_block(loop, k, false, p_F, p_G, blocks);
      block.rows = 1;
      block.directions[0] = length > 1e-12 ? (1.0 / length) * apart : axes[2];
      block.error = {length - loop.length, 0.0, 0.0};
      continue;
    }
    // both sides attack at one point, so that the pair of forces has no moment
    const Vec3d middle = 0.5 * (p_F + p_G);
    LoopBlock& block = add_block(loop, k, false, middle, middle, blocks);
    for (int i = 0; i < 3; ++i) block.directions[i] = axes[i];
    block.error = apart;
    if (loop.kind == LoopKind::kBall) continue;

    const Mat3d R_WF = kin.R_WB[loop.body_a] * loop.R_AF, R_WG = kin.R_WB[loop.body_b] * loop.R_BG;
    LoopBlock& turn = add_block(loop, k, true, middle, middle, blocks);
    if (loop.kind == LoopKind::kWeld) {
      for (int i = 0; i < 3; ++i) turn.directions[i] = axes[i];
      turn.error = calc_turn(R_WF, R_WG);
    } else {
      const Vec3d z = R_WG.c[2], tilt = cross(z, R_WF.c[2]);
      turn.rows = 2;
      calc_tangents(z, turn.directions[0], turn.directions[1]);
      turn.error = {dot(turn.directions[0], tilt), dot(turn.directions[1], tilt), 0.0};
    }
  }
}

}  // namespace stance::contact
